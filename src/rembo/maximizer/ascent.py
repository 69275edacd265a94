"""Multi-start gradient ascent: L-BFGS-B from the best of Sobol points and of small steps around the starts."""

from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array, Indices
from rembo.embedding import Region, Window
from rembo.maximizer.maximizer import Ascending, Maximum, Score, best_of, best_of_batch, higher, scores_of


@dataclass(frozen=True)
class Ascent:
    """Scores `sobol` points all over the region and `local` ones near the starts, then climbs from the best.

    All climbs are one L-BFGS-B run on the sum of their scores, so that every step scores them as one batch. A score
    that is piecewise constant has no gradient to climb: the best candidate is the answer.
    """

    sobol: int = 256
    local: int = 256
    climbs: int = 4
    steps: int = 30

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best point that was scored on the way."""
        pools = [starts, self._near(starts, region, rng), region.sobol(self.sobol, rng)]
        Y = np.vstack(pools)
        values = scores_of(score, Y)
        near = len(pools[0]) + len(pools[1])
        chosen = np.concatenate([top(values[:near], self.climbs // 2), near + top(values[near:], self.climbs // 2)])
        return higher(best_of(Y, values), climb(score, region, Y[chosen], self.steps))

    def _near(self, starts: Array, region: Region, rng: np.random.Generator) -> Array:
        """Gaussian steps from the starts in turn, of lengths between 1e-4 and 0.5 of the half-width."""
        lengths = 10.0 ** rng.uniform(-4.0, -0.3, size=(self.local, 1)) * region.half_width
        steps = rng.standard_normal((self.local, region.dim))
        return region.clip(np.resize(starts, (self.local, region.dim)) + lengths * steps)


def top(values: Array, k: int) -> Indices:
    """The numbers of the k highest values, at least one."""
    return np.argsort(-values, kind="stable")[: max(k, 1)]


def climb(score: Score, region: Region | Window, Y: Array, steps: int, calls: int = 15_000) -> Maximum:
    """The best point on the way of climbs from all of Y, (k, dim), taken together, in so many calls of the score."""
    best = best_of_batch(score, Y)
    if not np.isfinite(best.value):
        return best
    unit = max(abs(best.value), 1e-300)  # so that an improvement of 1e-20 is climbed like one of 1

    def loss(flat: Array) -> tuple[float, Array]:
        nonlocal best
        at = flat.reshape(Y.shape)
        found: Ascending = score.with_gradient(at)
        best = higher(best, best_of(at, found.values))
        return -float(found.values.sum()) / unit, -found.gradients.ravel() / unit

    bounds = scipy.optimize.Bounds(np.tile(region.low, len(Y)), np.tile(region.high, len(Y)))
    scipy.optimize.minimize(
        loss, Y.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps, "maxfun": calls}
    )
    return best
