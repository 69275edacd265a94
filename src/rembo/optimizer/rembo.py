"""REMBO: Bayesian optimization with random embeddings (Algorithm 2), the one screen everything else exists for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rembo.acquisition import Acquisition, LogExpectedImprovement, Portfolio
from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import Embedding, GaussianEmbedding, Point, Region
from rembo.gp import Data, Evidence, LogTail, Noise, NotPositiveDefiniteError, Posterior, Values, condition_shortening
from rembo.kernel import SAMPLED, Hamming, Image, Kernel, Product, Rounded, SquaredExponential
from rembo.learning import LEAST_NOISE, MOST_NOISE, Learning, Schedule
from rembo.maximizer import Ascent, Maximizer
from rembo.optimizer.optimizer import (
    Optimizer,
    Suggestion,
    as_point,
    check_seed,
    derived_seed,
    first_accepted,
    stream,
)
from rembo.optimizer.trial import Trial
from rembo.space import Box, Domain, check_domain, parts_of

NOISELESS = 1e-13  # of the variance of the values: no more than rounding
_ASK, _LEARN = 0, 1  # the two uses of randomness within a run


@dataclass(frozen=True)
class Parts:
    """The choices that make a run of Algorithm 2, all but the embedding."""

    kernel: Kernel
    acquisition: Acquisition | Portfolio
    maximizer: Maximizer
    learning: Learning
    values: Values = LogTail()
    noise: float | Literal["learn"] = NOISELESS
    projection: bool = True

    def __post_init__(self) -> None:
        if self.noise != "learn" and not (isinstance(self.noise, (int, float)) and 0.0 <= self.noise < math.inf):
            raise ValueError(f"noise must be 'learn' or a variance, relative to that of the values, not {self.noise!r}")


@dataclass(frozen=True, eq=False)
class Nomination:
    """Where to evaluate, (d,); and where each acquisition of a portfolio of several would have, (members, d)."""

    y: Array
    nominees: Array | None


class Run:
    """One run of Algorithm 2: Bayesian optimization of g(y) = f(p_X(A y)) over the region Y.

    Pending points are believed: the posterior is told its own mean there, which leaves the mean as it is and takes the
    spread away, so that no two asks go to the same place (the hallucination of GP-BUCB, Desautels et al. 2014).
    """

    def __init__(self, space: Domain, embedding: Embedding, region: Region, parts: Parts) -> None:
        if region.dim != embedding.embedding_dim:
            raise ValueError(f"{region} must have as many dimensions as the embedding, {embedding.embedding_dim}")
        self.embedding = embedding  # line 1: the random matrix A
        self.region = region  # line 2: the bounded region Y
        self.data = Data.empty(region.dim)  # line 3: D_0 is empty
        acquisition = parts.acquisition
        self.portfolio = acquisition if isinstance(acquisition, Portfolio) else Portfolio(acquisition)
        self.maximizer = parts.maximizer
        self.learning = parts.learning
        self.values = parts.values
        self.projection = parts.projection
        self.noise = Noise(LEAST_NOISE, MOST_NOISE) if parts.noise == "learn" else Noise(parts.noise, parts.noise)
        self.kernel = parts.kernel.bind(space, embedding, parts.projection)
        self.learned = self.learning.begin(self.kernel, self.noise)
        self.posterior = self._condition()
        self._gains = np.zeros(len(self.portfolio.members))

    def suggest(self, pending: Array, rng: np.random.Generator) -> Nomination:
        """Line 5: y_{t+1} = argmax u(y | D_t), given points that are being evaluated, pending: (k, d)."""
        posterior = self._extend(pending, self.posterior(pending).mean) if len(pending) else self.posterior
        best = self._incumbent_value(posterior)
        scores = [member.score(posterior, best, self.region, rng) for member in self.portfolio.members]
        starts = self._starts(rng)
        nominees = np.array([self.maximizer(score, self.region, starts, rng).at for score in scores])
        return Nomination(nominees[self.portfolio.choose(self._gains, rng)], nominees if len(scores) > 1 else None)

    def observe(self, y: Array, value: float, nominees: Array | None, rng: np.random.Generator) -> None:
        """Lines 6 and 7: augment the data with (y, f(A y)), then update the kernel hyper-parameters."""
        spread = float(self.posterior(y[None, :]).std[0])
        self.data = self.data.add(y, value)
        evidence = Evidence(self.kernel, self.kernel.features(self.data.Y), self._standardized, self.noise)
        before = self.learned
        self.learned = self.learning.advance(before, len(self.data), spread, evidence, rng)
        kept = self.learned.noise == before.noise and np.array_equal(self.learned.scales, before.scales)
        self.posterior = self._extend(y[None, :], np.zeros(1)) if kept else self._condition()
        self.posterior = self.posterior.with_values(self._standardized)
        if nominees is not None:
            self._gains = self.portfolio.reward(self._gains, self.posterior, nominees)

    def locate(self, x: Point) -> Array:
        """The y of a point in [-1,1]^D, or a ValueError: y must exist and lie in the region."""
        y = x.y if x.embedding == self.embedding else self.embedding.preimage(x[:])
        if not self.region.contains(y):
            raise ValueError(f"y = {y} lies outside the region [-{self.region.half_width}, {self.region.half_width}]^d")
        return y

    def point(self, y: Array) -> Point:
        """x = p_X(A y) in [-1,1]^D."""
        return Point(self.embedding, y, projected=self.projection)

    def _condition(self) -> Posterior:
        """The belief given all data, under what was learned."""
        kernel = self.kernel.with_scales(self.learned.scales)
        return condition_shortening(kernel, self.data.Y, self._standardized, self.learned.noise)

    def _extend(self, Y: Array, values: Array) -> Posterior:
        """The belief after more observations, Y: (k, d)."""
        now = self.posterior
        try:
            return now.extend(Y, values, self.learned.noise)
        except NotPositiveDefiniteError:
            together = np.vstack([now.Y, Y]), np.append(now.values, values)
            return condition_shortening(now.kernel, *together, self.learned.noise)

    def _incumbent_value(self, posterior: Posterior) -> float:
        """The best value; under noise the best posterior mean at a seen point; 0, the prior mean, before all data."""
        if len(posterior) == 0:
            return 0.0
        seen = posterior.values if self.noise.known else posterior(posterior.Y).mean
        return float(seen.min())

    @property
    def _standardized(self) -> Array:
        return self.values(self.data.values)

    def _starts(self, rng: np.random.Generator) -> Array:
        """The points seen with the lowest values, (k, d); before all data any point, since the belief is flat."""
        if len(self.data) == 0:
            return self.region.sobol(1, rng)
        return self.data.Y[np.argsort(self._standardized, kind="stable")[:3]]


class EmbeddedSearch(Optimizer):
    """Runs of Algorithm 2 that take turns and share nothing but the budget (Section 3.1)."""

    def __init__(self, space: Domain, runs: Sequence[Run], seed: int) -> None:
        super().__init__(space, seed)
        self.runs = tuple(runs)

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        n, number = divmod(turn, len(self.runs))
        run = self.runs[number]
        if turn == 0:  # the middle of the space, which all embeddings share, is tried once
            return Suggestion(run.point(run.region.center))
        theirs = np.array([trial.y for trial in pending if trial.run == number]).reshape(-1, run.region.dim)
        nomination = run.suggest(theirs, stream(self.seed, number, _ASK, n))
        return Suggestion(run.point(nomination.y), number, nomination.nominees)

    def _observe(self, trial: Trial) -> None:
        run = self.runs[trial.run]
        value = math.nan if trial.value is None else trial.value
        run.observe(trial.y, value, trial.nominees, stream(self.seed, trial.run, _LEARN, len(run.data)))

    def _locate(self, x: Any) -> Suggestion:
        return first_accepted(enumerate(self.runs), lambda number, run: self._place(number, run, x))

    def _place(self, number: int, run: Run, x: Any) -> Suggestion:
        return Suggestion(run.point(run.locate(as_point(x, self.space))), number)


class Rembo(EmbeddedSearch):
    """Algorithm 2 in d = `embedding_dim` dimensions, as `runs` = k interleaved independent runs (Section 3.1).

    The defaults are the paper's: Gaussian A, Y = [-sqrt d, sqrt d]^d, the low-dimensional squared exponential kernel on
    continuous spaces and the categorical kernel on discrete ones, expected improvement (through its logarithm, which
    has the same maximiser and does not underflow), Algorithm 3. Only the maximiser is the faster ascent; the paper's is
    `maximizer=BestOf(Direct(), CMAES())`. With projection=False f is evaluated at A y itself, outside the box too, as
    in the authors' Branin demo. noise="learn" is for an f that is noisy.
    """

    def __init__(
        self,
        space: Domain,
        embedding_dim: int,
        *,
        runs: int = 1,
        embedding: Callable[[int, int, int], Embedding] = GaussianEmbedding,
        region: Region | None = None,
        kernel: Kernel | None = None,
        acquisition: Acquisition | Portfolio = LogExpectedImprovement(),
        maximizer: Maximizer = Ascent(),
        learning: Learning = Schedule(),
        values: Values = LogTail(),
        noise: float | Literal["learn"] = NOISELESS,
        projection: bool = True,
        seed: int | None = None,
    ) -> None:
        space, seed = check_domain(space), check_seed(seed)
        check_whole(runs, "runs", 1)
        if not projection and not isinstance(space, Box):
            raise ValueError("projection=False evaluates f outside its box, which only a Box allows: drop it")
        parts = Parts(kernel or paper_kernel(space), acquisition, maximizer, learning, values, noise, projection)
        matrices = [embedding(space.size, embedding_dim, derived_seed(seed, run)) for run in range(runs)]
        super().__init__(space, [Run(space, A, region or A.region, parts) for A in matrices], seed)


def paper_kernel(space: Domain, at_most: int = SAMPLED) -> Kernel:
    """k^d on a continuum, k_lambda on categories, and beyond the paper: k^D where numbers round, times k_lambda."""
    parameters = [part.parameter for part in parts_of(space)]
    if all(parameter.levels == 0 for parameter in parameters):
        return SquaredExponential()
    categories = Hamming(on=Rounded(at_most))
    if not any(parameter.ordered for parameter in parameters):
        return categories
    numbers = SquaredExponential(on=Image(at_most))
    return numbers if all(parameter.ordered for parameter in parameters) else Product(numbers, categories)
