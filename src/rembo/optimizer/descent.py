"""One descent of the growing search: from few bins shared by many coordinates to fine ones, until nothing is to gain.

A step of the search is one of four. It polishes: a smooth model of the nearest observations says where the bottom lies
(`Polish`). It explores: expected improvement is maximised over the whole region. It exploits: the same in a trust
region around the best point. And where no improvement is expected, it grows: the bins that may hide several coordinates
that matter are split, and every observation stays valid.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rembo.acquisition import LogExpectedImprovement
from rembo.arrays import Array, Mask
from rembo.blas import one_thread
from rembo.embedding import Forest, Point, Region, Window
from rembo.gp import Data, Evidence, LogTail, Noise, Posterior
from rembo.kernel import Leaves
from rembo.learning import MOST_NOISE, MaximumAPosteriori
from rembo.maximizer import Ascent, Maximum, Score, SparseAscent, Unseen
from rembo.maximizer.maximizer import higher
from rembo.optimizer.directions import learn_directions
from rembo.optimizer.growth import Growth
from rembo.optimizer.optimizer import stream
from rembo.optimizer.polish import Polish, Step
from rembo.optimizer.state import EXPECTED_EFFECTS, MEDIAN_SCALE, State, axes_kernel, belief
from rembo.optimizer.trial import Origin, Trial
from rembo.space import Domain

_ASK, _LEARN, _DESIGN = 0, 1, 2  # the uses of randomness
_PRICE = 0.25  # of log n nats, for each number that directions have to learn beyond those of the axes
_LEAST_NOISE = 1e-8
_SMOOTH = 1e-6  # the noise, of the variance of the values, above which best values and parabolas mislead
_HOPELESS_ADVANTAGE = -20.0  # in nats: below this directions are learned again only now and then


class Descent:
    """A search that begins with a forest and ends when nothing is left to gain.

    To be told is only to take note; the state catches up when it is next needed. Each point carries the forest it was
    asked in, so the state is a function of what was told. `forest` is the one at the beginning.
    """

    def __init__(self, space: Domain, forest: Forest, growth: Growth, noise: Noise, seed: int) -> None:
        self.space = space
        self.forest = forest
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
            median=MEDIAN_SCALE, spread=2.0, lower=0.03, upper=100.0, besides=EXPECTED_EFFECTS, search=climb
        )
        self.maximizer = SparseAscent()
        self.most_bins = max(growth.most_bins, forest.embedding_dim + growth.most_bins // 2)
        self._told: list[Trial] = []
        leaves = Leaves.of(space, forest)
        learned = self.learning.begin(axes_kernel(leaves), self.roughness)
        self._state = State(forest, leaves, Data.empty(forest.embedding_dim), learned)

    @property
    @one_thread
    def state(self) -> State:
        """What follows from all that was told, in the order of telling."""
        while len(self._state.data) < len(self._told):
            self._state = self._advance(self._state, self._told[len(self._state.data)])
        return self._state

    @property
    @one_thread
    def posterior(self) -> Posterior:
        """The belief about f that follows from all that was told."""
        return self._posterior(self.state)

    def observe(self, trial: Trial) -> None:
        """Take note of a trial of this descent."""
        self._told.append(trial)

    def suggest(self, turn: int, pending: Sequence[Trial]) -> Point | None:
        """Where to evaluate at the turn-th ask of this descent; None if there is nothing left to gain."""
        forest, rng = self.newest_forest(pending), stream(self.seed, _ASK, turn)
        state = self._in(forest)
        if self._in_design(turn, state):
            return Point(forest, self._design_point(turn, state))
        step = self._next_step(state, pending)
        sparse = not self.dense(state)  # where f varies with everything, the models of few leaves or of all say little
        if step is not None and (state.succeeded or (sparse and turn % self.growth.polish_every == 0)):
            return Point(forest, step.at)
        if sparse and turn % self.growth.explore_every == self.growth.explore_every - 1:
            found = self._highest_improvement(state, pending, forest.region, rng)
            if found.value >= self.growth.hopeless:
                return Point(forest, found.at)
        return self._exploit_or_grow(state, step, turn, pending, rng)

    def newest_forest(self, pending: Sequence[Trial]) -> Forest:
        """The finest forest that a trial was asked in: forests only grow."""
        forests = [self.state.forest, *(forest_of(trial) for trial in pending)]
        return max(forests, key=lambda forest: forest.embedding_dim)

    def _exploit_or_grow(
        self, state: State, step: Step | None, turn: int, pending: Sequence[Trial], rng: np.random.Generator
    ) -> Point | None:
        """The best point of the trust region, of a finer forest's if it is exhausted, or else of the whole region.

        Where nothing is expected there either, there is polishing, and else any point is as good as another; but among
        choices, of which a model seldom knows all, the point of which most is expected is better than any.
        """
        while True:
            found = self._best_in_trust_region(state, pending, rng)
            stuck = self._stuck(state)
            if found.value >= self.growth.exhausted and not stuck:
                return Point(state.forest, found.at)
            patient = state.since_growth < self.growth.patience or (
                state.rotation is not None and step is not None and not stuck
            )
            grown = None if patient else self._grown(state, rng)
            if grown is None:
                break
            state = grown
        if step is None and not patient and (state.forest.sizes > 1).any() and not self.dense(state):
            return None
        found = higher(found, self._highest_improvement(state, pending, state.forest.region, rng))
        if found.value >= self.growth.hopeless or state.leaves.only_choices:
            return Point(state.forest, found.at)
        if step is not None and len(step.at) == state.forest.embedding_dim:  # no bin was split since
            return Point(state.forest, step.at)
        return Point(state.forest, self._design_point(turn, state))

    def _stuck(self, state: State) -> bool:
        """Whether no progress was made for long, and there is another place to look or another bin to split."""
        elsewhere = not self.dense(state) or bool(self._worthwhile(state).any())
        return elsewhere and min(state.since_progress, state.since_growth) >= self.growth.stuck

    def _in_design(self, turn: int, state: State) -> bool:
        """Whether the turn is one of the first, before the model; among choices, values that tell nothing do not count.

        A model that has seen a wall and one place beside it would have the search stay there. Among numbers what is
        near to the wall tells how far it goes.
        """
        silent = len(state.data) - len(state.told) if state.leaves.only_choices else 0
        longest = self.growth.most_design * self.design
        return turn < min(self.design + silent, longest) or state.successes < 2

    def _in(self, forest: Forest) -> State:
        state = self.state
        return state if forest == state.forest else state.refined(forest, Leaves.of(self.space, forest))

    def _design_point(self, turn: int, state: State) -> Array:
        """The first points: the centre, then a Sobol sequence; SciPy's, slow to load, is there before workers wait."""
        sequence = state.forest.region.sobol(max(64, turn + 1), stream(self.seed, _DESIGN))
        return state.forest.origin if turn == 0 else np.asarray(state.leaves.snap(sequence[turn : turn + 1])[0])

    def _advance(self, before: State, trial: Trial) -> State:
        """One more observation: in the trial's own forest if that is finer, then learn, then mind the trust region."""
        asked_in = forest_of(trial)
        finer = asked_in.embedding_dim > before.forest.embedding_dim
        state = before.refined(asked_in, Leaves.of(self.space, asked_in)) if finer else before
        value = math.nan if trial.value is None else trial.value
        data = state.data.add(state.leaves.snap(state.forest.lift(trial.y[None, :], asked_in))[0], value)
        hurried = state.hurried + (trial.origin is Origin.HURRIED)
        after = replace(state, data=data, hurried=hurried, since_learning=state.since_learning + 1)
        if self._is_to_learn(after, trial):
            after = replace(self._learn(after, stream(self.seed, _LEARN, trial.number)), since_learning=0)
        if self._in_design(len(data) - 1, before):
            return after
        least = self.growth.progress if state.rotation is None else self.growth.polishing
        return replace(
            after,
            trust=state.trust.after(state.improved_by(value, 1e-3), state.forest.embedding_dim),
            since_growth=state.since_growth + 1,
            since_progress=0 if state.improved_by(value, least) else state.since_progress + 1,
        )

    def _is_to_learn(self, state: State, trial: Trial) -> bool:
        """Ever more rarely, as a fit costs O(n^3) and changes ever less; and not from trials found in a hurry.

        There may be thousands of those between two asks: what was missed is made up for at the next one asked.
        """
        n = len(state.data)
        every = max(1, n // 20)
        return trial.origin is not Origin.HURRIED and (n % every == 0 or state.since_learning >= 2 * every)

    def _learn(self, state: State, rng: np.random.Generator) -> State:
        """The most probable length scales, and directions if there are any."""
        active = state.active(self.most_data(state))
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
        coarse = self._worthwhile(state).any() and state.rotation is None
        least = self.growth.coarse if coarse else self.growth.polished
        if step is None or not step.gain > least * state.spread:
            return None
        waiting = self._waiting(state, pending)
        under_way = (np.abs(waiting - step.at) <= 0.1 * step.reach).all(axis=1).any()
        return None if under_way else step

    def _polished(self, state: State) -> Step | None:
        if state.rotation is None:
            return self.polish(state.data.Y, state.data.values, state.lengths, state.leaves)
        return self.polish.along(*state.rotation.frame, state.data.Y, state.data.values)

    def _grown(self, state: State, rng: np.random.Generator) -> State | None:
        """The bins most likely to hide several coordinates that matter are split, a quarter of all, at least three.

        That is likely for a large bin and for a short length scale; None if it is likely for none. If fewer bins are
        worth it, their halves are split, too, so that two coordinates that share one part with probability 3/4.
        """
        worthwhile = self._worthwhile(state)
        if not worthwhile.any():
            return None
        order = np.argsort(2.0 * np.log(state.extents) - np.log(state.forest.sizes), kind="stable").tolist()
        room = self._most_bins(state) - state.forest.embedding_dim
        share = 1.0 if self.dense(state) else self.growth.share
        count = min(max(self.growth.least_splits, int(share * state.forest.embedding_dim)), room)
        forest = _split(state.forest, [leaf for leaf in order if worthwhile[leaf]], count)
        return self._learn(state.refined(forest, Leaves.of(self.space, forest)), rng)

    def dense(self, state: State) -> bool:
        """Whether f varies with nearly all bins, and not through few directions: then all are split at once."""
        d = state.forest.embedding_dim
        if state.rotation is not None and state.rotation.frame[0].shape[1] <= self.growth.dense * d:
            return False
        return bool(np.count_nonzero(state.extents < self.polish.relevant) > self.growth.dense * d)

    def most_data(self, state: State) -> int:
        """How many observations the model sees: main effects cost bins times observations for each point they score.

        Where most were made in a hurry, f is faster than a model of many observations.
        """
        hurried = 2 * state.hurried > len(state.data)
        most = self.growth.hurried_data if hurried else self.growth.most_data
        return most * self.most_bins // max(self.most_bins, state.forest.embedding_dim)

    def _most_bins(self, state: State) -> int:
        return self.most_bins * (self.growth.dense_bins if self.dense(state) else 1)

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
        return (sizes > 1) & likely & (state.forest.embedding_dim < self._most_bins(state))

    def _best_in_trust_region(self, state: State, pending: Sequence[Trial], rng: np.random.Generator) -> Maximum:
        window = state.trust.window(self._incumbent(state), state.extents, state.leaves, state.forest.region)
        return self._highest_improvement(state, pending, window, rng)

    def _highest_improvement(
        self, state: State, pending: Sequence[Trial], box: Region | Window, rng: np.random.Generator
    ) -> Maximum:
        """The maximum of log EI in a box, given the pending trials, which are believed.

        Among choices it is that of an improvement beyond a margin: a point that differs from the best in what hardly
        matters has about its value, and many such points would be asked before any other.
        """
        posterior = self._posterior(state)
        waiting = self._waiting(state, pending)
        if len(waiting):
            posterior = posterior.extend(waiting, posterior(waiting).mean, state.noise)
        values = posterior.values if self._exact(state) else posterior.fitted
        best = float(values.min()) if len(values) else 0.0
        if state.leaves.only_choices:
            best -= self.growth.margin
        score: Score = LogExpectedImprovement().score(posterior, best, state.forest.region, rng)
        if not state.leaves.continuous.any():
            score = Unseen.beyond(np.vstack([state.data.Y, waiting]), score)
        return self.maximizer(score, box, self._incumbent(state), state.extents, state.leaves, rng)

    def _exact(self, state: State) -> bool:
        """Whether values are to be taken as they are: f has no noise, and the model follows all of its variation."""
        return self.noise.known and state.noise <= _SMOOTH

    def _waiting(self, state: State, pending: Sequence[Trial]) -> Array:
        """The pending points, (k, d)."""
        lifted = [state.forest.lift(trial.y[None, :], forest_of(trial)) for trial in pending]
        return state.leaves.snap(np.vstack([np.zeros((0, state.forest.embedding_dim)), *lifted]))

    def _posterior(self, state: State) -> Posterior:
        return belief(state, self.values, self.most_data(state))

    def _incumbent(self, state: State) -> Array:
        """The best point so far, (d,); under noise the one with the best posterior mean; before all data the centre."""
        if state.successes == 0:
            return state.forest.origin
        if self._exact(state):
            return np.asarray(state.data.Y[int(np.nanargmin(state.data.values))])
        posterior = self._posterior(state)
        return np.asarray(posterior.Y[int(np.argmin(posterior.fitted))])


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


def forest_of(trial: Trial) -> Forest:
    """The forest that a trial was asked in."""
    forest = trial.point.embedding
    assert isinstance(forest, Forest)  # no others are made
    return forest
