"""What was tried where parameters are categorical and not kept (ADR 23), for `choices.py`: parts that replace ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from harness.methods.ablated import Replacement
from harness.methods.trees import grow
from rembo.acquisition import LogExpectedImprovement
from rembo.arrays import Array
from rembo.embedding import Point
from rembo.kernel import Leaves
from rembo.maximizer import Maximum, Score, Unseen
from rembo.maximizer.ascent import top
from rembo.maximizer.maximizer import best_of_batch, higher, scores_of
from rembo.optimizer.growing import ascent, restart
from rembo.optimizer.growing.ascent import Ground
from rembo.optimizer.growing.restart import Restart, Situation
from rembo.optimizer.growing.state import State
from rembo.optimizer.optimizer import Suggestion
from rembo.optimizer.trial import Origin
from rembo.space import middle_of

MOST_SETTINGS = 512
ANYWHERE = 1000  # random configurations among the forest's candidates
CLIMBED = 3
EVERY = 4  # trials from one of these steps to the next

_explore, _highest = Restart._explore, ascent.highest


def margin_at_once() -> Sequence[Replacement]:
    """The margin of ADR 16: from the first trial on, where all parameters are categorical, and nowhere else."""
    return [Replacement(Restart, "_margin", _at_once)]


def margin_always() -> Sequence[Replacement]:
    """The margin from the first trial on, wherever there is a categorical."""
    return [Replacement(Restart, "_margin", _always)]


def all_settings() -> Sequence[Replacement]:
    """The acquisition is maximised over all settings of the few categoricals that matter most, too."""
    return [Replacement(restart, "highest", _highest_of_all_settings)]


def mutations() -> Sequence[Replacement]:
    """Where progress stalls, the exploring step changes one or a few discrete entries of the incumbent at random."""
    return [Replacement(Restart, "_explore", _or_else(_mutated))]


def forest() -> Sequence[Replacement]:
    """Where progress stalls, the exploring step is that of a forest of trees."""
    return [Replacement(Restart, "_explore", _or_else(_by_forest))]


def _at_once(self: Restart, state: State) -> float:
    return self.growth.margin if state.only_choices else 0.0


def _always(self: Restart, state: State) -> float:
    return self.growth.margin if (state.leaves.choices > 0).any() else 0.0


def _highest_of_all_settings(score: Score, smooth: Score, ground: Ground, rng: np.random.Generator) -> Maximum:
    best = _highest(score, smooth, ground, rng)
    found = best_of_batch(score, np.vstack([settings(ground, best.at), settings(ground, ground.at)]))
    return higher(best, ascent._exchanged(score, found, ground.leaves)) if found.value > best.value else best


def settings(ground: Ground, at: Array) -> Array:
    """`at`, (d,), with all settings of the categoricals with the shortest length scales: (k, d), k <= 512."""
    choices = ground.leaves.choices
    order = [leaf for leaf in np.argsort(ground.lengths, kind="stable").tolist() if choices[leaf] > 0]
    few = order[: np.count_nonzero(np.cumprod(choices[order].astype(float)) <= MOST_SETTINGS)]
    positions = list(product(*(middle_of(np.arange(choices[leaf]), choices[leaf]) for leaf in few)))
    Y = np.tile(at, (len(positions), 1))
    Y[:, few] = positions
    return Y


def _or_else(step: Callable[[Restart, Situation], Array]) -> Callable[[Restart, Situation], Suggestion | None]:
    """The exploring step, or this one where something is discrete and progress stalls."""

    def explore(self: Restart, now: Situation) -> Suggestion | None:
        stalls = now.state.since_progress >= 2 * self.growth.patience
        if not stalls or now.state.leaves.continuous.all() or len(now.state.data) % EVERY:
            return _explore(self, now)
        return Suggestion(Point(now.state.forest, step(self, now)), origin=Origin.EXPLORE)

    return explore


def _mutated(self: Restart, now: Situation) -> Array:
    """The incumbent, (d,), with another value in one of its discrete leaves, and in 1.5 on average."""
    y, leaves = self._incumbent(now).copy(), now.state.leaves
    discrete = now.rng.permutation(np.flatnonzero(~leaves.continuous))
    others = len(discrete) - 1
    for leaf in discrete[: 1 + now.rng.binomial(others, 0.5 / max(others, 1))].tolist():
        y = _with_another(y, leaf, leaves, now.rng)
    return y


def _with_another(y: Array, leaf: int, leaves: Leaves, rng: np.random.Generator) -> Array:
    """y, (d,), with another value in a leaf, if it has several."""
    changed = leaves.snap(y[None, :])
    for _ in range(64):
        changed[0, leaf] = rng.uniform(-1.0, 1.0)
        changed = leaves.snap(changed)
        if changed[0, leaf] != y[leaf]:
            break
    return np.asarray(changed[0])


@dataclass(frozen=True, eq=False)
class Told:
    """What a forest tells of points: mean and standard deviation, (n,)."""

    mean: Array
    std: Array


def _by_forest(self: Restart, now: Situation) -> Array:
    """Where log EI by a forest is highest: the best of many candidates, climbed by exchanges; (d,)."""
    leaves, rng, best = now.state.leaves, now.rng, float(now.posterior.values.min())
    trees = grow(leaves(now.posterior.Y), now.posterior.values, rng)

    def score(Y: Array) -> Array:
        return LogExpectedImprovement().utility(Told(*trees(leaves(Y))), best).value  # type: ignore[arg-type]

    unseen = Unseen.beyond(np.vstack([now.state.data.Y, now.pending]), score)  # type: ignore[arg-type]
    ground = Ground(now.state.forest.region, self._incumbent(now), now.model.in_force.lengths, leaves)
    anywhere = rng.uniform(-1.0, 1.0, size=(ANYWHERE, now.state.dim))
    Y = leaves.snap(np.vstack([anywhere, ascent._wide(ground, rng), ascent._near(ground, rng)]))
    values = scores_of(unseen, Y)
    starts = [Maximum(Y[number], float(values[number])) for number in top(values, CLIMBED)]
    return max((ascent._exchanged(unseen, start, leaves) for start in starts), key=lambda each: each.value).at
