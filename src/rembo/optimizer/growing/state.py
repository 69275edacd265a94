"""What a restart was told: its observations in its bins, and what follows from them without any model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Forest
from rembo.gp import Data, telling
from rembo.kernel import Leaves
from rembo.optimizer.growing.growth import Growth
from rembo.optimizer.trial import Origin, Trial
from rembo.space import Domain

_FEW, _GAIN = 3, 0.1  # a polishing step gained if it improved by this part of the way to the third-best value


@dataclass(frozen=True, eq=False)
class State:
    """Observations in the bins of the finest forest that one was asked in, and counts of trials since events.

    Those inherited are of the restart before, in the same bins: they tell what matters, not where to look. After an
    improvement a polishing step comes next. After one that gained nothing the following one moves all numbers, or again
    those that matter alone: `polish_all`.
    """

    forest: Forest
    leaves: Leaves
    data: Data
    inherited: Data
    polish_next: bool = False
    polish_all: bool = False
    since_growth: int = 0
    since_progress: int = 0
    model_free: int = 0

    @classmethod
    def of(cls, space: Domain, forest: Forest, inherited: Sequence[Trial] = ()) -> "State":
        """Before any observation of its own; the inherited ones were asked in this forest, or in one it grew from."""
        leaves, none = Leaves.of(space, forest), Data.empty(forest.embedding_dim)
        lifted = [forest.lift(trial.y[None, :], forest_of(trial)) for trial in inherited]
        Y = leaves.snap(np.vstack([none.Y, *lifted]))
        return cls(forest, leaves, none, Data(Y, np.array([value_of(trial) for trial in inherited])))

    @property
    def known(self) -> Data:
        """The inherited observations, then its own."""
        return (
            Data(np.vstack([self.inherited.Y, self.data.Y]), np.append(self.inherited.values, self.data.values))
            if len(self.inherited)
            else self.data
        )

    @property
    def dim(self) -> int:
        """The number of bins."""
        return self.forest.embedding_dim

    @property
    def only_choices(self) -> bool:
        """Whether there is no number, whole or not, among the parameters."""
        return 0 not in self.forest.layout.kinds

    @property
    def successes(self) -> int:
        """How many evaluations gave a value."""
        return int(np.count_nonzero(~np.isnan(self.data.values)))

    @property
    def told(self) -> Array:
        """The values that say more than that a place is bad."""
        return self.data.values[telling(self.data.values)]

    @property
    def best(self) -> float:
        """The lowest value, infinite if there is none."""
        return float(np.nanmin(self.data.values)) if self.successes else math.inf

    @property
    def spread(self) -> float:
        """From the best value to the median of those that tell; quarters are subtracted, so that nothing overflows."""
        told = self.told
        return 4.0 * float(np.median(told / 4.0) - told.min() / 4.0) if len(told) else 0.0

    def has_seen(self, y: Array) -> bool:
        """Whether f was evaluated at y, (d,)."""
        return bool((y == self.data.Y).all(axis=1).any())

    def improved_by(self, value: float, part: float) -> bool:
        """Whether a value beats the best by this part of the spread; a failure, NaN, does not."""
        if math.isnan(value):
            return False
        return self.successes == 0 or value / 4.0 < self.best / 4.0 - part * self.spread / 4.0

    def gained_by(self, value: float) -> bool:
        """Whether a value beats the best by a tenth of the way from there to the third-best.

        Unlike the spread, this way shrinks as the search closes in on an optimum: creeping towards it is no gain.
        """
        lowest = np.sort(self.data.values[~np.isnan(self.data.values)])[:_FEW] / 4.0
        return len(lowest) > 1 and bool(value / 4.0 < lowest[0] - _GAIN * (lowest[-1] - lowest[0]))

    def refined(self, space: Domain, forest: Forest) -> "State":
        """The same observations in a finer forest; its bins inherit the values of those they grew from."""
        if forest == self.forest:
            return self
        leaves = Leaves.of(space, forest)
        data, inherited = (
            Data(leaves.snap(forest.lift(some.Y, self.forest)), some.values) for some in (self.data, self.inherited)
        )
        return replace(self, forest=forest, leaves=leaves, data=data, inherited=inherited, since_growth=0)

    def with_observation(self, trial: Trial) -> "State":
        """One observation more, of a trial that was asked in this forest or in one that it grew from."""
        forest, value = forest_of(trial), value_of(trial)
        y = self.leaves.snap(self.forest.lift(trial.y[None, :], forest))[0]
        model_free = self.model_free + (trial.origin is Origin.HURRIED)
        return replace(self, data=self.data.add(y, value), model_free=model_free)

    def counted(self, before: "State", trial: Trial, growth: Growth) -> "State":
        """This state, which has the trial's observation, with what it means for polishing and counts."""
        value = value_of(trial)
        polished, gained = trial.origin is Origin.POLISH, before.gained_by(value)
        return replace(
            self,
            polish_next=gained if polished else before.improved_by(value, 0.0),
            polish_all=before.polish_all != (polished and not gained),
            since_growth=before.since_growth + 1,
            since_progress=0 if before.improved_by(value, growth.progress) else before.since_progress + 1,
        )


def value_of(trial: Trial) -> float:
    """The value of a trial, NaN if it failed."""
    return math.nan if trial.value is None else trial.value


def forest_of(trial: Trial) -> Forest:
    """The forest that a trial was asked in."""
    forest = trial.point.embedding
    assert isinstance(forest, Forest)  # no others are made
    return forest
