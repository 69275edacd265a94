"""One restart of the growing search: from few bins to fine ones, until nothing is left to gain.

    design ──► search ──► exhausted
                ▲  │
                └──┘ a step: mutate, polish, exploit, grow or explore

In the state `search` the first kind of step that applies is taken. *Mutate*: where progress stalls, a few bins of the
incumbent are moved at random, as often as the share of the variance is that the model cannot explain; and in place of a
point that is known already. *Polish*: to the bottom of a smooth model of the nearest observations, after an improvement
and on the toss of a coin. *Exploit*: where expected improvement is highest in a box around the incumbent.
*Grow*: where less than a hundredth of a standard deviation is expected there, or these bins brought no progress for
long, those that may hide several coordinates that matter are split, and the step exploits the finer bins; every
observation stays valid. *Explore*: expected improvement is maximised over the whole region. Where nothing is expected
there, the restart is exhausted, unless another one would not help.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rembo.acquisition import LogExpectedImprovement
from rembo.arrays import Array
from rembo.blas import one_thread
from rembo.embedding import Forest, Point, Region, Window
from rembo.gp import Noise, Posterior
from rembo.kernel import BoundEffects, Leaves
from rembo.maximizer import Maximum, Score, Unseen
from rembo.optimizer.growing.ascent import Ground, highest, reaches
from rembo.optimizer.growing.growth import Growth
from rembo.optimizer.growing.lens import Lens, Step
from rembo.optimizer.growing.model import Model, Modelling
from rembo.optimizer.growing.splitting import Splitting
from rembo.optimizer.growing.state import State, forest_of
from rembo.optimizer.mutation import mutants
from rembo.optimizer.optimizer import Suggestion, stream
from rembo.optimizer.trial import Origin, Trial
from rembo.space import Domain

_ASK, _DESIGN = 0, 2  # the uses of randomness
_LEAST = 2  # values that a model is learned from
_LONGEST_DESIGN = 4  # times as many points, where few values say more than that a place is bad
_COARSE, _FINE = 1e-4, 1e-10  # gain worth polishing for, as part of the spread: while bins are to be split, and after


@dataclass(frozen=True, eq=False)
class Situation:
    """All that a step depends on: what was told, what is believed, what is pending, and random numbers."""

    state: State
    model: Model
    posterior: Posterior
    pending: Array
    rng: np.random.Generator


class Restart:
    """A search that begins with a forest and ends when nothing is left to gain.

    To be told is only to take note. State and model are functions of what was told, in the order of telling, and catch
    up when the restart is asked: a study that is only read pays for no fit.
    """

    def __init__(
        self,
        space: Domain,
        forest: Forest,
        growth: Growth,
        noise: Noise,
        seed: int,
        inherited: Sequence[Trial] = (),
    ) -> None:
        self.space = space
        self.forest = forest
        self.growth = growth
        self.noise = noise
        self.seed = seed
        d = forest.embedding_dim
        self.design = max(min(growth.bins, d + 2), d // 3)
        self.splitting = Splitting(growth, max(growth.most_bins, d + growth.most_bins // 2))
        self.modelling = Modelling(noise, self.design, growth.most_data)
        self._told: list[Trial] = []
        self._state = State.of(space, forest, inherited)
        self._model: Model | None = None

    def observe(self, trial: Trial) -> None:
        """Take note of a trial of this restart."""
        self._told.append(trial)

    @one_thread
    def catch_up(self) -> State:
        """Learn from all that was told since the last time; the state that follows."""
        while len(self._state.data) < len(self._told):
            trial = self._told[len(self._state.data)]
            self._state = self._advanced(self._state, trial)
            if trial.origin is not Origin.HURRIED:
                self._model = self._learned(self._model, self._state)
        return self._state

    @one_thread
    def model(self) -> Model:
        """What is believed after all that was told."""
        return self._model_of(self.catch_up())

    @one_thread
    def posterior(self) -> Posterior:
        """The belief about f that follows from all that was told."""
        return self.modelling.posterior(self.catch_up(), self.model())

    def suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion | None:
        """Where to evaluate at the turn-th ask of this restart; None if it is exhausted."""
        state = self.catch_up().refined(self.space, self.newest_forest(pending))
        if self._in_design(turn, state):
            return Suggestion(Point(state.forest, self._design_point(turn, state)), origin=Origin.DESIGN)
        now = self._situation(state, pending, stream(self.seed, _ASK, turn))
        return self._mutate(now) or self._polish(now) or self._exploit(now) or self._grow(now) or self._explore(now)

    def polish(self, pending: Sequence[Trial], rng: np.random.Generator) -> Suggestion | None:
        """A polishing step, if it is time for one and it is worth a trial, in the turn of another restart."""
        state = self.catch_up().refined(self.space, self.newest_forest(pending))
        return self._polish(self._situation(state, pending, rng))

    def newest_forest(self, pending: Sequence[Trial]) -> Forest:
        """The finest forest that a trial was asked in: forests only grow."""
        forests = [self.catch_up().forest, *(forest_of(trial) for trial in pending)]
        return max(forests, key=lambda forest: forest.embedding_dim)

    def _advanced(self, before: State, trial: Trial) -> State:
        """One more observation: in the trial's own forest if that is finer."""
        finer = forest_of(trial).embedding_dim > before.dim
        state = before.refined(self.space, forest_of(trial)) if finer else before
        after = state.with_observation(trial)
        if self._in_design(len(before.data), before):
            return after
        return after.counted(state, trial, self.growth)

    def _learned(self, before: Model | None, state: State) -> Model | None:
        """The model after one more observation; none before there are as many as the design has."""
        if len(state.data) < self.design or state.successes < _LEAST:
            return before
        return self.modelling.learned(before, state) if self.modelling.is_due(before, state) else before

    def _in_design(self, turn: int, state: State) -> bool:
        """Whether the turn is one of the first, before the model; among categoricals, censored values do not count.

        A model that has seen an infeasible place and one beside it would have the search stay there. Among numbers,
        what is near to an infeasible place tells how far it goes.
        """
        censored = len(state.data) - len(state.told) if state.only_choices else 0
        return turn < min(self.design + censored, _LONGEST_DESIGN * self.design) or state.successes < _LEAST

    def _design_point(self, turn: int, state: State) -> Array:
        """The first points: the centre, then Latin hypercubes, in which each bin takes values from all of its range.

        Near a user's default, shared bins take values from the part of it in which few parameters change.
        """
        if turn == 0:
            return state.forest.origin
        cube, number = divmod(turn - 1, self.design)
        rng = stream(self.seed, _DESIGN, cube)
        strata = rng.permuted(np.tile(np.arange(self.design), (state.dim, 1)), axis=1)[:, number]
        y = 2.0 * (strata + rng.random((self.design, state.dim))[number]) / self.design - 1.0
        if state.forest.near:
            y = np.where(state.forest.sizes > 1, self.growth.near * y, y)
        return np.asarray(state.leaves.snap(y[None, :])[0])

    def _model_of(self, state: State) -> Model:
        """The model in force, or where a pending trial, or none so far, asks for it, one of this state alone."""
        if self._model is not None and self._model.forest == state.forest:
            return self._model
        known = self._model is not None or state.successes >= _LEAST
        return self.modelling.learned(self._model, state) if known else self.modelling.expected(state)

    def _situation(self, state: State, pending: Sequence[Trial], rng: np.random.Generator) -> Situation:
        model = self._model_of(state)
        lifted = [state.forest.lift(trial.y[None, :], forest_of(trial)) for trial in pending]
        waiting = state.leaves.snap(np.vstack([np.zeros((0, state.dim)), *lifted]))
        return Situation(state, model, self.modelling.posterior(state, model), waiting, rng)

    def _mutate(self, now: Situation) -> Suggestion | None:
        """Where progress stalls, a model-free step, as often as the share of the variance is that it cannot explain.

        On a rugged function that is nearly always. Among discrete parameters alone it is never: points that were not
        seen yet are all new, and expected improvement orders them.
        """
        if not (self._stalls(now.state) and now.state.leaves.continuous.any()):
            return None
        return self._mutated(now) if now.rng.random() < now.model.in_force.noise else None

    def _polish(self, now: Situation) -> Suggestion | None:
        """A polishing step after an improvement, and every other time: a coin leaves trials to the other kinds."""
        return self._polished(now) if now.state.polish_next or now.rng.random() < 0.5 else None

    def _polished(self, now: Situation) -> Suggestion | None:
        """To the bottom of a smooth model, if that is worth a trial and not under way; under noise there is none.

        Nor is there one among categoricals alone, in whose bins f is not smooth. In a forest that is still to grow only
        large gains are worth it, unless f varies along few directions.
        """
        state, rotation = now.state, now.model.rotation
        if not self.noise.known or state.only_choices:
            return None
        step = self._step(state, now.model)
        coarse = rotation is None and self.splitting.worthwhile(now.model).any()
        if step is None or not step.gain > (_COARSE if coarse else _FINE) * state.spread:
            return None
        under_way = (np.abs(now.pending - step.at) <= 0.1 * step.reach).all(axis=1).any()
        if under_way or state.has_seen(step.at):
            return None
        return Suggestion(Point(state.forest, step.at), origin=Origin.POLISH)

    def _step(self, state: State, model: Model) -> Step | None:
        lens = Lens(self.growth.relevant, state.polish_all)
        if model.rotation is None:
            return lens(state.data.Y, state.data.values, model.in_force.lengths, state.leaves)
        return lens.along(*model.rotation.frame, state.data.Y, state.data.values)

    def _exploit(self, now: Situation) -> Suggestion | None:
        """The best point near the incumbent, if enough is expected there, and growth is not overdue."""
        if self._overdue(now.state) and self.splitting.finer(now.model) is not None:
            return None
        found = self._best_in(now, self._near(now))
        return self._at(now, found, Origin.EXPLOIT) if found.value >= math.log(self.growth.progress) else None

    def _grow(self, now: Situation) -> Suggestion | None:
        """The best point near the incumbent in a finer forest, however little is expected there, if bins can be split.

        If f varies along few directions, polishing along them comes before growth, unless that is overdue.
        """
        along = now.model.rotation is not None and not self._overdue(now.state)
        polished = self._polished(now) if along else None
        forest = None if polished or self._patient(now.state) else self.splitting.finer(now.model)
        if forest is None:
            return polished
        finer = self._refined(now, forest)
        return self._at(finer, self._best_in(finer, self._near(finer)), Origin.GROW)

    def _explore(self, now: Situation) -> Suggestion | None:
        """Where most is expected of the whole region; None if the restart is exhausted."""
        found = self._best_in(now, now.state.forest.region)
        return None if self._exhausted(now, found) else self._at(now, found, Origin.EXPLORE)

    def _exhausted(self, now: Situation, found: Maximum) -> bool:
        """Whether nothing is expected, a tenth of what is enough near the incumbent, and another restart may help."""
        nothing = not found.value >= math.log(self.growth.progress / 10.0)
        splittable = bool((now.state.forest.sizes > 1).any())
        return nothing and splittable and not self._patient(now.state) and not self.splitting.dense(now.model)

    def _mutated(self, now: Situation) -> Suggestion:
        """The incumbent with a few bins moved at random, where the model does not help."""
        state = now.state
        y = next(mutants(self._incumbent(now), state.forest.region, now.rng))
        return Suggestion(Point(state.forest, state.leaves.snap(y[None, :])[0]), origin=Origin.MUTATE)

    def _at(self, now: Situation, found: Maximum, origin: Origin) -> Suggestion:
        """The point that was found; one that is known already, where f is not noisy, would tell nothing."""
        if self.noise.known and now.state.leaves.continuous.any() and now.state.has_seen(found.at):
            return self._mutated(now)
        return Suggestion(Point(now.state.forest, found.at), origin=origin)

    def _refined(self, now: Situation, forest: Forest) -> Situation:
        """The same situation in a finer forest, the model learned again."""
        state = now.state.refined(self.space, forest)
        model = self.modelling.learned(now.model, state)
        pending = state.leaves.snap(forest.lift(now.pending, now.state.forest))
        return replace(now, state=state, model=model, posterior=self.modelling.posterior(state, model), pending=pending)

    def _near(self, now: Situation) -> Window:
        """The box around the incumbent in which the exploiting step looks."""
        state = now.state
        half_widths = reaches(self.growth.reach, now.model.in_force.lengths, state.leaves)
        return state.forest.region.window(self._incumbent(now), half_widths)

    def _best_in(self, now: Situation, box: Region | Window) -> Maximum:
        """The maximum of log EI in a box; pending trials are fantasised at their mean."""
        posterior, leaves = now.posterior, now.state.leaves
        if len(now.pending):
            posterior = posterior.extend(now.pending, posterior(now.pending).mean, now.model.in_force.noise)
        values = posterior.values if self.noise.known else posterior.fitted
        best = float(values.min()) - self._margin(now.state)
        score: Score = LogExpectedImprovement().score(posterior, best, now.state.forest.region, now.rng)
        smooth = LogExpectedImprovement().score(_relaxed(posterior), best, now.state.forest.region, now.rng)
        if not leaves.continuous.any():
            score = Unseen.beyond(np.vstack([now.state.data.Y, now.pending]), score)
        return highest(score, smooth, Ground(box, self._incumbent(now), now.model.in_force.lengths, leaves), now.rng)

    def _margin(self, state: State) -> float:
        """By how much an improvement must exceed the incumbent, where there are categoricals and progress stalls.

        A point that differs from the incumbent in categoricals that hardly matter has about its value: without a margin
        many such points would be asked before any other.
        """
        return self.growth.margin if self._stalls(state) and any(state.forest.layout.kinds) else 0.0

    def _patient(self, state: State) -> bool:
        """Whether bins were split so recently that they are not split again."""
        return state.since_growth < self.growth.patience

    def _overdue(self, state: State) -> bool:
        """Whether these bins brought no progress for long, whatever is expected of them; many are given more time."""
        return min(state.since_progress, state.since_growth) >= 3 * self.growth.patience + state.dim

    def _stalls(self, state: State) -> bool:
        """Whether no progress was made for a while: the model's steps do not help, whatever it expects of them."""
        return state.since_progress >= 2 * self.growth.patience

    def _incumbent(self, now: Situation) -> Array:
        """The best point so far, (d,); under noise the one with the best posterior mean."""
        if self.noise.known:
            return np.asarray(now.state.data.Y[int(np.nanargmin(now.state.data.values))])
        return np.asarray(now.posterior.Y[int(np.argmin(now.posterior.fitted))])


def _relaxed(posterior: Posterior) -> Posterior:
    """The same belief where whole numbers may be any."""
    kernel = posterior.kernel
    if isinstance(kernel, BoundEffects) and isinstance(kernel.feature_map, Leaves):
        return replace(posterior, kernel=replace(kernel, feature_map=kernel.feature_map.relaxed))
    return posterior
