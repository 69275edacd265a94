"""REMBO: Bayesian optimization with random embeddings (Algorithm 2), the one screen everything else exists for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rembo.acquisition import Acquisition, LogExpectedImprovement, Portfolio
from rembo.arrays import Array
from rembo.blas import one_thread
from rembo.border import check_part, check_whole, is_finite
from rembo.embedding import LARGEST_ARRAY, Embedding, GaussianEmbedding, Point, Region
from rembo.gp import (
    Data,
    Evidence,
    Noise,
    NotPositiveDefiniteError,
    Posterior,
    Standardized,
    Values,
    condition_shortening,
)
from rembo.kernel import SAMPLED, Hamming, Image, Kernel, Product, Rounded, SquaredExponential
from rembo.learning import LEAST_NOISE, MOST_NOISE, Hyperparameters, Learning, Schedule
from rembo.maximizer import Ascent, Maximizer
from rembo.optimizer.mutation import mutants
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
from rembo.space import Box, Domain, DomainLike, check_domain, parts_of

NOISELESS = 1e-10  # of the variance of the values: enough to keep Cholesky factors exact
_ASK, _LEARN = 0, 1  # the two uses of randomness within a run


@dataclass(frozen=True)
class Parts:
    """The choices that make a run of Algorithm 2, all but the embedding."""

    kernel: Kernel
    acquisition: Acquisition | Portfolio
    maximizer: Maximizer
    learning: Learning
    values: Values = Standardized()
    noise: float | Literal["learn"] = NOISELESS
    projection: bool = True

    def __post_init__(self) -> None:
        check_part(self.kernel, "kernel", "bind", "rembo.Matern52()")
        if not isinstance(self.acquisition, Portfolio):
            check_part(self.acquisition, "acquisition", "score", "rembo.LogExpectedImprovement()")
        check_part(self.maximizer, "maximizer", "__call__", "rembo.Ascent()")
        check_part(self.learning, "learning", "advance", "rembo.MaximumAPosteriori()")
        check_part(self.values, "values", "__call__", "rembo.LogTail()")
        noise_range(self.noise)


@dataclass(frozen=True, eq=False)
class Nomination:
    """Where to evaluate, (d,); and where each acquisition of a portfolio of several would have, (members, d)."""

    y: Array
    nominees: Array | None


@dataclass(frozen=True, eq=False)
class Told:
    """One value at y, (d,), NaN if the evaluation failed; who nominated what; the randomness of learning from it."""

    y: Array
    value: float
    nominees: Array | None
    rng: np.random.Generator


@dataclass(frozen=True, eq=False)
class State:
    """What a run has learned from the values it was told: replaced as a whole, never changed."""

    data: Data
    learned: Hyperparameters
    posterior: Posterior
    gains: Array


class Run:
    """One run of Algorithm 2: Bayesian optimization of g(y) = f(p_X(A y)) over the region Y.

    To be told is only to take note; the state catches up with what was told when it is next needed, one observation
    after the other, so that an interrupted step is taken again and nothing is lost.

    Pending points are believed: the posterior is told its own mean there, which leaves the mean as it is and takes the
    spread away, so that no two asks go to the same place (the hallucination of GP-BUCB, Desautels et al. 2014).
    """

    def __init__(self, space: Domain, embedding: Embedding, region: Region, parts: Parts) -> None:
        if region.dim != embedding.embedding_dim:
            raise ValueError(f"{region} must have as many dimensions as the embedding, {embedding.embedding_dim}")
        self.embedding = embedding  # line 1: the random matrix A
        self.region = region  # line 2: the bounded region Y
        self.parts = parts
        acquisition = parts.acquisition
        self.portfolio = acquisition if isinstance(acquisition, Portfolio) else Portfolio(acquisition)
        self.noise = noise_range(parts.noise)
        self.kernel = parts.kernel.bind(space, embedding, parts.projection)
        data = Data.empty(region.dim)  # line 3: D_0 is empty
        learned = parts.learning.begin(self.kernel, self.noise)
        gains = np.zeros(len(self.portfolio.members))
        self._told: list[Told] = []
        self._state = State(data, learned, self._condition(data, learned), gains)

    @property
    @one_thread
    def state(self) -> State:
        """What follows from all that was told."""
        while len(self._state.data) < len(self._told):
            self._state = self._advance(self._state, self._told[len(self._state.data)])
        return self._state

    def observe(self, y: Array, value: float, nominees: Array | None, rng: np.random.Generator) -> None:
        """Take note of a value at y, (d,); NaN if the evaluation failed."""
        self._told.append(Told(y, value, nominees, rng))

    def suggest(self, pending: Array, rng: np.random.Generator) -> Nomination:
        """Line 5: y_{t+1} = argmax u(y | D_t), given points that are being evaluated, pending: (k, d)."""
        state = self.state
        posterior = self._believe(state, pending)
        best, starts = self._incumbent_value(posterior), self._starts(state, rng)
        scores = [member.score(posterior, best, self.region, rng) for member in self.portfolio.members]
        nominees = np.array([self.parts.maximizer(score, self.region, starts, rng).at for score in scores])
        return Nomination(nominees[self.portfolio.choose(state.gains, rng)], nominees if len(scores) > 1 else None)

    def _advance(self, before: State, told: Told) -> State:
        """Lines 6 and 7: augment the data with (y, f(A y)), then update the kernel hyper-parameters."""
        spread = float(before.posterior(told.y[None, :]).std[0])
        data = before.data.add(told.y, told.value)
        values = self.parts.values(data.values)
        evidence = Evidence(self.kernel, self.kernel.features(data.Y), values, self.noise)
        learned = self.parts.learning.advance(before.learned, len(data), spread, evidence, told.rng)
        kept = learned.noise == before.learned.noise and np.array_equal(learned.scales, before.learned.scales)
        posterior = self._extend(before, told.y[None, :], np.zeros(1)) if kept else self._condition(data, learned)
        posterior = posterior.with_values(values)
        return State(data, learned, posterior, self._rewarded(before.gains, posterior, told.nominees))

    def _rewarded(self, gains: Array, posterior: Posterior, nominees: Array | None) -> Array:
        return gains if nominees is None else self.portfolio.reward(gains, posterior, nominees)

    def locate(self, x: Point) -> Array:
        """The y of a point in [-1,1]^D, or a ValueError: y must exist and lie in the region."""
        if x.embedding != self.embedding and len(x) > LARGEST_ARRAY:
            raise ValueError(f"the point comes from {x.embedding}, this run takes only points of {self.embedding}")
        y = x.y if x.embedding == self.embedding else self.embedding.preimage(x[:])
        nearest = self.region.clip(y)
        if np.abs(y - nearest).max() > 1e-9:
            raise ValueError(f"y = {y} lies outside the region [-{self.region.half_width}, {self.region.half_width}]^d")
        return nearest

    def point(self, y: Array) -> Point:
        """x = p_X(A y) in [-1,1]^D."""
        return Point(self.embedding, y, projected=self.parts.projection)

    def _condition(self, data: Data, learned: Hyperparameters) -> Posterior:
        """The belief given all data, under what was learned."""
        kernel = self.kernel.with_scales(learned.scales)
        return condition_shortening(kernel, data.Y, self.parts.values(data.values), learned.noise)

    def _believe(self, state: State, pending: Array) -> Posterior:
        """The belief that pending points, (k, d), will turn out as expected."""
        return self._extend(state, pending, state.posterior(pending).mean) if len(pending) else state.posterior

    def _extend(self, state: State, Y: Array, values: Array) -> Posterior:
        """The belief after more observations, Y: (k, d)."""
        now, noise = state.posterior, state.learned.noise
        try:
            return now.extend(Y, values, noise)
        except NotPositiveDefiniteError:
            return condition_shortening(now.kernel, np.vstack([now.Y, Y]), np.append(now.values, values), noise)

    def _incumbent_value(self, posterior: Posterior) -> float:
        """The best value; under noise the best posterior mean at a seen point; 0, the prior mean, before all data."""
        if len(posterior) == 0:
            return 0.0
        seen = posterior.values if self.noise.known else posterior(posterior.Y).mean
        return float(seen.min())

    def _starts(self, state: State, rng: np.random.Generator) -> Array:
        """The points seen with the lowest values, (k, d); before all data any point, since the belief is flat."""
        if len(state.data) == 0:
            return self.region.sobol(1, rng)
        return state.data.Y[np.argsort(state.posterior.values, kind="stable")[:3]]


class EmbeddedSearch(Optimizer):
    """Runs of Algorithm 2 that take turns and share nothing but the budget (Section 3.1) and the origin.

    All embeddings map y = 0 to the middle of the space: it is evaluated once, first, and told to every run.
    """

    def __init__(self, space: Domain, runs: Sequence[Run], seed: int) -> None:
        super().__init__(space, seed)
        self.runs = tuple(runs)

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        n, number = divmod(turn, len(self.runs))
        run = self.runs[number]
        if turn == 0 and not self.trials:
            return Suggestion(run.point(run.region.center))
        theirs = np.array([trial.y for trial in pending if trial.run == number]).reshape(-1, run.region.dim)
        nomination = run.suggest(theirs, stream(self.seed, number, _ASK, n))
        return Suggestion(run.point(nomination.y), number, nomination.nominees)

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        number = turn % len(self.runs) if best is None else best.run
        run, at = self.runs[number], None if best is None else best.y
        return self._unasked(Suggestion(run.point(y), number) for y in mutants(at, run.region, rng))

    def _observe(self, trial: Trial) -> None:
        value = math.nan if trial.value is None else trial.value
        self._tell(trial.run, trial.y, value, trial.nominees, trial.number)
        if not trial.y.any():
            for other in set(range(len(self.runs))) - {trial.run}:
                self._tell(other, self.runs[other].region.center, value, None, trial.number)

    def _tell(self, number: int, y: Array, value: float, nominees: Array | None, trial: int) -> None:
        self.runs[number].observe(y, value, nominees, stream(self.seed, number, _LEARN, trial))

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
        space: DomainLike,
        embedding_dim: int,
        *,
        runs: int = 1,
        embedding: Callable[[int, int, int], Embedding] = GaussianEmbedding,
        region: Region | None = None,
        kernel: Kernel | None = None,
        acquisition: Acquisition | Portfolio = LogExpectedImprovement(),
        maximizer: Maximizer = Ascent(),
        learning: Learning = Schedule(),
        values: Values = Standardized(),
        noise: float | Literal["learn"] = NOISELESS,
        projection: bool = True,
        seed: int | None = None,
    ) -> None:
        space, seed = check_domain(space), check_seed(seed)
        check_whole(runs, "runs", 1)
        if not projection and not isinstance(space, Box):
            raise ValueError("projection=False evaluates f outside its box, which only a Box allows: drop it")
        chosen = paper_kernel(space) if kernel is None else kernel
        parts = Parts(chosen, acquisition, maximizer, learning, values, noise, projection)
        if region is not None:
            check_part(region, "region", "half_width", "rembo.paper_region(4)")
        if not callable(embedding):
            raise TypeError(f"embedding must be a class such as rembo.HashEmbedding, not {embedding!r}")
        matrices = [embedding(space.size, embedding_dim, derived_seed(seed, run)) for run in range(runs)]
        super().__init__(space, [Run(space, A, region or A.region, parts) for A in matrices], seed)
        self._given = {"embedding_dim": int(embedding_dim), "runs": int(runs), "embedding": embedding, "region": region}

    @property
    def settings(self) -> dict[str, Any]:
        """What was given, the chosen kernel in place of none."""
        return self._given | vars(self.runs[0].parts)


def noise_range(noise: float | Literal["learn"]) -> Noise:
    """What the user says of the noise, as bounds on its variance."""
    if noise == "learn":
        return Noise(LEAST_NOISE, MOST_NOISE)
    if not is_finite(noise) or noise < 0.0:
        raise ValueError(f"noise must be 'learn' or a variance, relative to that of the values, not {noise!r}")
    return Noise(noise, noise)


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
