"""One descent of the growing search: from few bins shared by many coordinates to fine ones, until nothing is to gain.

A step of the search is one of four. It polishes: a smooth model of the nearest observations says where the bottom lies
(`Polish`). It explores: expected improvement is maximised over the whole region. It exploits: the same in a trust
region around the best point. And where no improvement is expected, it grows: the bins that may hide several coordinates
that matter are split, and every observation stays valid.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from rembo.acquisition import LogExpectedImprovement
from rembo.arrays import Array, Mask
from rembo.embedding import Forest, Point, Region, Window
from rembo.gp import Data, Evidence, LogTail, Noise, Posterior, condition_shortening
from rembo.kernel import BESIDES, BoundEffects, BoundKernel, Leaves
from rembo.learning import MOST_NOISE, Hyperparameters, LengthScale, MaximumAPosteriori, Prior
from rembo.maximizer import Ascending, Ascent, Maximum, Score, SparseAscent
from rembo.maximizer.maximizer import higher
from rembo.optimizer.directions import Directions, learn_directions
from rembo.optimizer.growth import Growth
from rembo.optimizer.optimizer import stream
from rembo.optimizer.polish import Polish, Step
from rembo.optimizer.trial import Trial
from rembo.optimizer.trust_region import TrustRegion
from rembo.space import Domain

_ASK, _LEARN, _DESIGN = 0, 1, 2  # the uses of randomness
_MEDIAN_SCALE = 2.0
_PRICE = 0.25  # of log n nats, for each number that directions have to learn beyond those of the axes
_BESIDES = (  # what is expected of main effects: how much shorter their scales are, their variance, and the remainder's
    Prior(2.7, 1.0, 0.5, 50.0),
    Prior(0.5, 2.0, 1e-3, 100.0),
    Prior(0.5, 2.0, 1e-3, 100.0),
)
_LEAST_NOISE = 1e-8
_SMOOTH = 1e-6  # the noise, of the variance of the values, above which best values and parabolas mislead
_HOPELESS_ADVANTAGE = -20.0  # in nats: below this directions are learned again only now and then


@dataclass(frozen=True, eq=False)
class State:
    """What a descent has learned from the values told so far; a function of them alone.

    f is modelled along the axes, with the length scales of `learned`, or along `directions`, if these have the
    advantage: the difference of the two models' log posteriors, less a price for the numbers that had to be learned.
    """

    forest: Forest
    leaves: Leaves
    data: Data
    learned: Hyperparameters
    directions: Directions | None = None
    advantage: float = -math.inf
    trust: TrustRegion = field(default_factory=TrustRegion)
    since_growth: int = 0
    since_progress: int = 0

    @property
    def rotated(self) -> bool:
        """Whether f varies along directions other than the axes."""
        return self.directions is not None and self.advantage > 0.0

    @property
    def kernel(self) -> BoundKernel:
        """The covariance of the model in force."""
        if self.directions is not None and self.rotated:
            return self.directions.kernel
        return self.axes

    @property
    def axes(self) -> BoundEffects:
        """The covariance of the model along the axes."""
        return axes_kernel(self.leaves).with_scales(self.learned.scales)

    @property
    def noise(self) -> float:
        """The noise of the model in force: what it takes for noise, be it that or fine structure."""
        return self.directions.noise if self.directions is not None and self.rotated else self.learned.noise

    @property
    def extents(self) -> Array:
        """How far f stays alike along each axis, (d,)."""
        return self.directions.extents if self.directions is not None and self.rotated else self.lengths

    @property
    def lengths(self) -> Array:
        """The length scale of each leaf along the axes, (d,)."""
        return self.learned.scales[:-BESIDES]

    @property
    def successes(self) -> int:
        """How many evaluations gave a value."""
        return int(np.count_nonzero(~np.isnan(self.data.values)))

    @property
    def best(self) -> float:
        """The lowest value, infinite if there is none."""
        return float(np.nanmin(self.data.values)) if self.successes else math.inf

    @property
    def spread(self) -> float:
        """From the best value to the median; quarters are subtracted, so that nothing overflows on the way."""
        return 4.0 * float(np.nanmedian(self.data.values / 4.0) - self.best / 4.0) if self.successes else 0.0

    def active(self, most: int) -> Data:
        """What the model sees: all, or up to a limit the nearest to the best and a quarter from farther away."""
        if len(self.data) <= most:
            return self.data
        best = int(np.nanargmin(self.data.values)) if self.successes else 0
        Z = self.leaves(self.data.Y) / self.lengths[self.leaves.groups]
        order = np.argsort(((Z - Z[best]) ** 2).sum(axis=1), kind="stable")
        near, rest = order[: 3 * most // 4], order[3 * most // 4 :]
        kept = np.sort(np.append(near, rest[np.linspace(0, len(rest) - 1, most - len(near)).astype(int)]))
        return Data(self.data.Y[kept], self.data.values[kept])

    def refined(self, forest: Forest, leaves: Leaves) -> "State":
        """The same observations in a finer forest; its leaves inherit values and length scales."""
        ancestors = forest.ancestors(self.forest)
        return replace(
            self,
            forest=forest,
            leaves=leaves,
            data=Data(leaves.snap(forest.lift(self.data.Y, self.forest)), self.data.values),
            learned=replace(
                self.learned, scale=LengthScale(np.append(self.lengths[ancestors], self.learned.scales[-BESIDES:]))
            ),
            directions=self.directions and self.directions.lifted(ancestors, forest.turns(self.forest)),
            trust=TrustRegion(),
            since_growth=0,
        )


class Descent:
    """A search that begins with a forest and ends when nothing is left to gain.

    To be told is only to take note; the state catches up when it is next needed. Each point carries the forest it was
    asked in, so the state is a function of what was told.
    """

    def __init__(self, space: Domain, forest: Forest, growth: Growth, noise: Noise, seed: int) -> None:
        self.space = space
        self.growth = growth
        self.noise = noise
        self.roughness = Noise(max(noise.low, _LEAST_NOISE), max(noise.high, MOST_NOISE))
        self.seed = seed
        d = forest.embedding_dim
        self.design = max(growth.design, min(d, growth.bins), d // 3)  # more where many bins are to be told apart
        self.values = LogTail(least=1.0, design=self.design)
        self.polish = Polish()
        climb = Ascent(sobol=0, local=0, climbs=4, steps=15)
        self.learning = MaximumAPosteriori(
            median=_MEDIAN_SCALE, spread=2.0, lower=0.03, upper=100.0, besides=_BESIDES, search=climb
        )
        self.maximizer = SparseAscent()
        self.most_bins = max(growth.most_bins, forest.embedding_dim + growth.most_bins // 2)
        self._told: list[Trial] = []
        leaves = Leaves.of(space, forest)
        learned = self.learning.begin(axes_kernel(leaves), self.roughness)
        self._state = State(forest, leaves, Data.empty(forest.embedding_dim), learned)

    @property
    def state(self) -> State:
        """What follows from all that was told, in the order of telling."""
        while len(self._state.data) < len(self._told):
            self._state = self._advance(self._state, self._told[len(self._state.data)])
        return self._state

    def observe(self, trial: Trial) -> None:
        """Take note of a trial of this descent."""
        self._told.append(trial)

    def suggest(self, turn: int, pending: Sequence[Trial]) -> Point | None:
        """Where to evaluate at the turn-th ask of this descent; None if there is nothing left to gain."""
        forest, rng = self.newest_forest(pending), stream(self.seed, _ASK, turn)
        state = self._in(forest)
        if turn < self.design or state.successes < 2:
            return Point(forest, self._design_point(turn, state))
        step = self._next_step(state, pending)
        sparse = not self.dense(state)  # where f varies with everything, the models of few leaves or of all say little
        if step is not None and (_succeeded(state) or (sparse and turn % self.growth.polish_every == 0)):
            return Point(forest, step.at)
        if sparse and turn % self.growth.explore_every == self.growth.explore_every - 1:
            found = self._highest_improvement(state, pending, forest.region, rng)
            if found.value >= self.growth.hopeless:
                return Point(forest, found.at)
        return self._exploit_or_grow(state, step, turn, pending, rng)

    def shares(self, parts: int = 8) -> "Shares":
        """How much of f's variation is along each leaf, and the range of that when a part of the data is left out."""
        state = self.state
        rng = stream(self.seed, _LEARN, len(self._told))
        numbers = np.arange(len(state.data)) % parts
        fewer = [Data(state.data.Y[numbers != part], state.data.values[numbers != part]) for part in range(parts)]
        refits = [_variation(self._learn(replace(state, data=data), rng)) for data in fewer if len(data)]
        everything = _variation(state)
        spread = np.array([everything, *refits])
        return Shares(everything, spread.min(axis=0), spread.max(axis=0))

    def newest_forest(self, pending: Sequence[Trial]) -> Forest:
        """The finest forest that a trial was asked in: forests only grow."""
        forests = [self.state.forest, *(forest_of(trial) for trial in pending)]
        return max(forests, key=lambda forest: forest.embedding_dim)

    def _exploit_or_grow(
        self, state: State, step: Step | None, turn: int, pending: Sequence[Trial], rng: np.random.Generator
    ) -> Point | None:
        """The best point of the trust region, of a finer forest's if it is exhausted, or else of the whole region.

        Where nothing is expected there either, there is polishing, and else any point is as good as another.
        """
        while True:
            found = self._best_in_trust_region(state, pending, rng)
            stuck = self._stuck(state)
            if found.value >= self.growth.exhausted and not stuck:
                return Point(state.forest, found.at)
            patient = state.since_growth < self.growth.patience or (state.rotated and step is not None and not stuck)
            grown = None if patient else self._grown(state, rng)
            if grown is None:
                break
            state = grown
        if step is None and not patient and (state.forest.sizes > 1).any():
            return None
        found = higher(found, self._highest_improvement(state, pending, state.forest.region, rng))
        if found.value >= self.growth.hopeless:
            return Point(state.forest, found.at)
        polishes = step is not None and len(step.at) == state.forest.embedding_dim  # no bin was split since
        return Point(state.forest, step.at if step is not None and polishes else self._design_point(turn, state))

    def _stuck(self, state: State) -> bool:
        """Whether no progress was made for long, and there is another place to look or another bin to split."""
        elsewhere = not self.dense(state) or bool(self._worthwhile(state).any())
        return elsewhere and min(state.since_progress, state.since_growth) >= self.growth.stuck

    def _in(self, forest: Forest) -> State:
        state = self.state
        return state if forest == state.forest else state.refined(forest, Leaves.of(self.space, forest))

    def _design_point(self, turn: int, state: State) -> Array:
        """The first points: the centre, then a Sobol sequence."""
        if turn == 0:
            return state.forest.origin
        sequence = state.forest.region.sobol(max(64, turn + 1), stream(self.seed, _DESIGN))
        return np.asarray(state.leaves.snap(sequence[turn : turn + 1])[0])

    def _advance(self, before: State, trial: Trial) -> State:
        """One more observation: in the trial's own forest if that is finer, then learn, then mind the trust region."""
        asked_in = forest_of(trial)
        finer = asked_in.embedding_dim > before.forest.embedding_dim
        state = before.refined(asked_in, Leaves.of(self.space, asked_in)) if finer else before
        value = math.nan if trial.value is None else trial.value
        data = state.data.add(state.leaves.snap(state.forest.lift(trial.y[None, :], asked_in))[0], value)
        after = replace(state, data=data)
        if len(data) % max(1, len(data) // 20) == 0:  # ever more rarely, as a fit costs O(n^3) and changes ever less
            after = self._learn(after, stream(self.seed, _LEARN, trial.number))
        if len(data) <= self.design:
            return after
        least = self.growth.polishing if state.rotated else self.growth.progress
        return replace(
            after,
            trust=state.trust.after(_improves(value, state, by=1e-3), state.forest.embedding_dim),
            since_growth=state.since_growth + 1,
            since_progress=0 if _improves(value, state, least) else state.since_progress + 1,
        )

    def _learn(self, state: State, rng: np.random.Generator) -> State:
        """The most probable length scales, and directions if there are any."""
        active = state.active(self.growth.most_data)
        values = self.values(active.values)
        evidence = Evidence(axes_kernel(state.leaves), state.leaves(active.Y), values, self.roughness)
        learned = self.learning.advance(state.learned, len(state.data), math.nan, evidence, rng)
        after = replace(state, learned=learned)
        now_and_then = len(state.data) % 10 == 0
        hopeless = after.directions is not None and after.advantage < _HOPELESS_ADVANTAGE
        if not self._may_be_rotated(after, values) or (hopeless and not now_and_then):
            return after
        noise = self.roughness.low if self.noise.known else learned.noise
        directions = learn_directions(active.Y, values, noise, after.directions, afresh=now_and_then)
        if directions.frame[1].size == 0:
            return replace(after, directions=directions, advantage=-math.inf)
        price = _PRICE * (directions.degrees_of_freedom - len(learned.scales)) * math.log(len(values))
        advantage = directions.log_posterior - self.learning.log_posterior(learned, evidence) - price
        return replace(after, directions=directions, advantage=advantage)

    def _may_be_rotated(self, state: State, values: Array) -> bool:
        """Whether there are numbers enough for directions, and values to tell them by."""
        enough = state.forest.embedding_dim >= 3 and state.successes > self.design
        return bool(enough and state.leaves.continuous.all() and values.any())

    def _next_step(self, state: State, pending: Sequence[Trial]) -> Step | None:
        """Newton's step, if it is worth one and not already under way; under noise there is none.

        In a forest that is still to grow only large gains are worth a step, unless f varies along few directions.
        """
        if not self._exact(state):
            return None
        step = self._polished(state)
        coarse = self._worthwhile(state).any() and not state.rotated
        least = self.growth.coarse if coarse else self.growth.polished
        if step is None or not step.gain > least * state.spread:
            return None
        waiting = self._waiting(state, pending)
        under_way = (np.abs(waiting - step.at) <= 0.1 * step.reach).all(axis=1).any()
        return None if under_way else step

    def _polished(self, state: State) -> Step | None:
        if state.directions is not None and state.rotated:
            return self.polish.along(*state.directions.frame, state.data.Y, state.data.values)
        return self.polish(state.data.Y, state.data.values, state.lengths, state.leaves)

    def _grown(self, state: State, rng: np.random.Generator) -> State | None:
        """The bins most likely to hide several coordinates that matter are split, a quarter of all, at least three.

        That is likely for a large bin and for a short length scale; None if it is likely for none. If fewer bins are
        worth it, their halves are split, too, so that two coordinates that share one part with probability 3/4.
        """
        worthwhile = self._worthwhile(state)
        if not worthwhile.any():
            return None
        order = np.argsort(2.0 * np.log(state.extents) - np.log(state.forest.sizes), kind="stable").tolist()
        room = self.most_bins - state.forest.embedding_dim
        share = 1.0 if self.dense(state) else self.growth.share
        count = min(max(self.growth.least_splits, int(share * state.forest.embedding_dim)), room)
        forest = _split(state.forest, [leaf for leaf in order if worthwhile[leaf]], count)
        return self._learn(state.refined(forest, Leaves.of(self.space, forest)), rng)

    def dense(self, state: State) -> bool:
        """Whether f varies with nearly all bins, and not through few directions: then all are split at once."""
        d = state.forest.embedding_dim
        few = (
            state.directions is not None
            and state.rotated
            and state.directions.frame[0].shape[1] <= self.growth.dense * d
        )
        return not few and bool(np.count_nonzero(state.extents < self.polish.relevant) > self.growth.dense * d)

    def _worthwhile(self, state: State) -> Mask:
        """Which bins to split, (d,): those that matter and hold another coordinate that does with some probability.

        As many coordinates as bins matter, at least, and they lie anywhere. If a single bin matters, it is split
        whatever its size: a function of one coordinate alone is not expected. If none matters, any may be split.
        """
        sizes, relevant = state.forest.sizes, state.extents < self.polish.relevant
        expected = relevant.sum() * sizes / state.forest.ambient_dim
        match np.count_nonzero(relevant):
            case 0:
                likely = sizes > 1
            case 1:
                likely = relevant
            case _:
                likely = relevant & (expected >= self.growth.collision)
        return (sizes > 1) & likely & (state.forest.embedding_dim < self.most_bins)

    def _best_in_trust_region(self, state: State, pending: Sequence[Trial], rng: np.random.Generator) -> Maximum:
        window = state.trust.window(self._incumbent(state), state.extents, state.leaves, state.forest.region)
        return self._highest_improvement(state, pending, window, rng)

    def _highest_improvement(
        self, state: State, pending: Sequence[Trial], box: Region | Window, rng: np.random.Generator
    ) -> Maximum:
        """The maximum of log EI in a box, given the pending trials, which are believed."""
        posterior = self._posterior(state)
        waiting = self._waiting(state, pending)
        if len(waiting):
            posterior = posterior.extend(waiting, posterior(waiting).mean, state.noise)
        values = posterior.values if self._exact(state) else posterior.fitted
        best = float(values.min()) if len(values) else 0.0
        score: Score = LogExpectedImprovement().score(posterior, best, state.forest.region, rng)
        if not state.leaves.continuous.any():
            score = Unseen(score, _rows(state.data.Y) | _rows(waiting))
        return self.maximizer(score, box, self._incumbent(state), state.extents, state.leaves, rng)

    def _exact(self, state: State) -> bool:
        """Whether values are to be taken as they are: f has no noise, and the model follows all of its variation."""
        return self.noise.known and state.noise <= _SMOOTH

    def _waiting(self, state: State, pending: Sequence[Trial]) -> Array:
        """The pending points, (k, d)."""
        lifted = [state.forest.lift(trial.y[None, :], forest_of(trial)) for trial in pending]
        return state.leaves.snap(np.vstack([np.zeros((0, state.forest.embedding_dim)), *lifted]))

    def _posterior(self, state: State) -> Posterior:
        return _posterior(state, self.values, self.growth.most_data)

    def _incumbent(self, state: State) -> Array:
        """The best point so far, (d,); under noise the one with the best posterior mean; before all data the centre."""
        if state.successes == 0:
            return state.forest.origin
        if self._exact(state):
            return np.asarray(state.data.Y[int(np.nanargmin(state.data.values))])
        posterior = self._posterior(state)
        return np.asarray(posterior.Y[int(np.argmin(posterior.fitted))])


@dataclass(frozen=True, eq=False)
class Shares:
    """The share of f's variation along each leaf, (d,), in all 1, and its lowest and highest estimates, (d,)."""

    share: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Unseen:
    """A score that is minus infinity where f was asked already: for finite spaces, in which points come back."""

    score: Score
    seen: frozenset[bytes]

    def __call__(self, Y: Array) -> Array:
        """The scores of Y, (n, d)."""
        return np.where([row.tobytes() in self.seen for row in Y], -np.inf, self.score(Y))

    def with_gradient(self, Y: Array) -> Ascending:
        """Scores and gradients, which lead nowhere in a finite space."""
        return self.score.with_gradient(Y)


@lru_cache(maxsize=1)
def _posterior(state: State, values: LogTail, most_data: int) -> Posterior:
    """The belief in a state; an ask needs it several times."""
    active = state.active(most_data)
    return condition_shortening(state.kernel, active.Y, values(active.values), state.noise)


def _split(forest: Forest, leaves: Sequence[int], count: int) -> Forest:
    """The forest with so many splits: of the first of these leaves, then of their halves, the largest first."""
    finer = forest.split(leaves[:count])
    left = count - len(leaves)
    while left > 0:
        descended = np.isin(finer.ancestors(forest), leaves) & (finer.sizes > 1)
        halves = sorted(np.flatnonzero(descended).tolist(), key=lambda leaf: -int(finer.sizes[leaf]))[:left]
        if not halves:
            break
        finer, left = finer.split(halves), left - len(halves)
    return finer


def axes_kernel(leaves: Leaves) -> BoundEffects:
    """Main effects of the leaves and an interaction, with the scales that are expected before anything is seen."""
    scales = np.append(np.full(len(leaves.choices), _MEDIAN_SCALE), [prior.median for prior in _BESIDES])
    return BoundEffects(leaves, scales, leaves.groups, leaves.choices > 0)


def forest_of(trial: Trial) -> Forest:
    """The forest that a trial was asked in."""
    forest = trial.point.embedding
    assert isinstance(forest, Forest)  # no others are made
    return forest


def _variation(state: State) -> Array:
    """Squared inverse extents, as shares of their sum: for a linear f the squared slopes."""
    squares = state.extents**-2.0
    return np.asarray(squares / squares.sum())


def _rows(Y: Array) -> frozenset[bytes]:
    return frozenset(row.tobytes() for row in Y)


def _succeeded(state: State) -> bool:
    """Whether the last value told is the best."""
    return bool(state.data.values[-1] <= state.best)


def _improves(value: float, before: State, by: float) -> bool:
    """Whether the value is better than the best by this part of the way from there to the median; a failure is not."""
    if math.isnan(value):
        return False
    return before.successes == 0 or value / 4.0 < before.best / 4.0 - by * before.spread / 4.0
