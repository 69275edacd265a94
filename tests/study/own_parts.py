"""A user's own kernel, embedding, acquisition, maximiser and optimizer, as a program would have them in a module."""

from dataclasses import dataclass

import numpy as np

from rembo import BayesOpt, IdentityEmbedding, LogExpectedImprovement, Point, Rembo
from rembo.embedding import Region
from rembo.kernel import Stationary
from rembo.maximizer import Maximum
from rembo.optimizer import Optimizer, Suggestion
from rembo.optimizer.optimizer import as_point, stream


@dataclass(frozen=True)
class Rational(Stationary):
    """1 / (1 + s/2)."""

    def profile(self, s):
        return 1.0 / (1.0 + s / 2.0)

    def slope(self, s):
        return -0.5 / (1.0 + s / 2.0) ** 2


@dataclass(frozen=True)
class Halves:
    """The first half of the coordinates is y_0, the second y_1."""

    ambient_dim: int
    embedding_dim: int = 2
    seed: int = 0

    @property
    def region(self):
        return Region(2, 1.0)

    def rows(self, index):
        return np.asarray((2 * index[:, None] // self.ambient_dim) == np.arange(2), dtype=np.float64)

    def image(self, y, index):
        return y[2 * index // self.ambient_dim]

    def preimage(self, x):
        return np.array([x[0], x[-1]])


@dataclass(frozen=True)
class Eager:
    """Log-EI below a lower incumbent."""

    by: float = 0.1

    def score(self, posterior, best, region, rng):
        return LogExpectedImprovement().score(posterior, best - self.by, region, rng)


class BestOfDraws:
    """The best of some points drawn at random; no dataclass, but it says what makes an equal one."""

    def __init__(self, draws=100):
        self.draws = draws

    @property
    def settings(self):
        return {"draws": self.draws}

    def __call__(self, score, region, starts, rng):
        Y = np.vstack([starts, rng.uniform(region.low, region.high, (self.draws, region.dim))])
        values = score(Y)
        best = int(np.argmax(values))
        return Maximum(Y[best], float(values[best]))


class Alternating(Optimizer):
    """The last point with its sign turned, or a new one."""

    def __init__(self, space, share=0.5, seed=None):
        super().__init__(space, seed)
        self.share, self._last = share, np.zeros(self.space.size)

    @property
    def settings(self):
        return {"share": self.share}

    def _suggest(self, turn, pending):
        rng = stream(self.seed, turn)
        fresh = rng.random() < self.share
        y = rng.uniform(-1.0, 1.0, self.space.size) if fresh else -self._last
        return Suggestion(Point(IdentityEmbedding(self.space.size), y))

    def _observe(self, trial):
        self._last = trial.y

    def _locate(self, x):
        return Suggestion(as_point(x, self.space))


MAKE = {
    "kernel": lambda space: BayesOpt(space, kernel=Rational(), seed=0),
    "embedding": lambda space: Rembo(space, 2, embedding=Halves, seed=0),
    "acquisition": lambda space: BayesOpt(space, acquisition=Eager(0.2), seed=0),
    "maximiser": lambda space: BayesOpt(space, maximizer=BestOfDraws(50), seed=0),
    "optimizer": lambda space: Alternating(space, 0.7, seed=0),
}
