"""What a restart was told: its observations in its bins, and what follows from them without any model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Forest
from rembo.gp import Data, telling
from rembo.kernel import Leaves
from rembo.optimizer.growing.trust_region import TrustRegion
from rembo.optimizer.trial import Origin, Trial
from rembo.space import Domain

_SUCCESS = 1e-3  # of the way to the median: an improvement that the trust region follows
_WORTHWHILE = 1e-6  # the same: an improvement after which polishing goes on as it does
_LONGEST_WAIT = 16


@dataclass(frozen=True)
class Polishing:
    """When the next polishing step is due, and whether it moves all numbers instead of those that matter.

    It is due after every improvement. A failure doubles the wait, and has the next one move the others, too, or again
    those that matter alone.
    """

    due: int = 0
    wait: int = 1
    whole: bool = False

    @property
    def hopeful(self) -> bool:
        """Whether it has not failed four times in a row: along directions it then comes only when it is due."""
        return self.wait < _LONGEST_WAIT

    def after(self, improved: bool, told: int) -> "Polishing":
        """After a polishing step, the told-th trial."""
        if improved:
            return replace(self, due=told, wait=1)
        wait = min(2 * self.wait, _LONGEST_WAIT)
        return Polishing(told + wait, wait, not self.whole)


@dataclass(frozen=True, eq=False)
class State:
    """Observations in the bins of the finest forest that one was asked in, and counts of trials since events.

    Those inherited are of the restart before, in the same bins: they tell what matters, not where to look.
    """

    forest: Forest
    leaves: Leaves
    data: Data
    inherited: Data
    trust: TrustRegion = field(default_factory=TrustRegion)
    polishing: Polishing = field(default_factory=Polishing)
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

    def refined(self, space: Domain, forest: Forest) -> "State":
        """The same observations in a finer forest; its bins inherit the values of those they grew from."""
        if forest == self.forest:
            return self
        leaves = Leaves.of(space, forest)
        data, inherited = (
            Data(leaves.snap(forest.lift(some.Y, self.forest)), some.values) for some in (self.data, self.inherited)
        )
        finer = replace(self, forest=forest, leaves=leaves, data=data, inherited=inherited)
        return replace(finer, trust=TrustRegion(), since_growth=0)

    def with_observation(self, trial: Trial) -> "State":
        """One observation more, of a trial that was asked in this forest or in one that it grew from."""
        forest, value = forest_of(trial), value_of(trial)
        y = self.leaves.snap(self.forest.lift(trial.y[None, :], forest))[0]
        model_free = self.model_free + (trial.origin is Origin.HURRIED)
        return replace(self, data=self.data.add(y, value), model_free=model_free)

    def counted(self, before: "State", trial: Trial, progress: float) -> "State":
        """This state, which has the trial's observation, with what it means for counts, trust region and polishing."""
        value, told = value_of(trial), len(self.data)
        polishing = self.polishing
        if trial.origin is Origin.POLISH:
            polishing = polishing.after(before.improved_by(value, _WORTHWHILE), told)
        elif value <= self.best:
            polishing = replace(polishing, due=told, wait=1)
        return replace(
            self,
            trust=before.trust.after(before.improved_by(value, _SUCCESS), self.dim),
            polishing=polishing,
            since_growth=before.since_growth + 1,
            since_progress=0 if before.improved_by(value, progress) else before.since_progress + 1,
        )


def value_of(trial: Trial) -> float:
    """The value of a trial, NaN if it failed."""
    return math.nan if trial.value is None else trial.value


def forest_of(trial: Trial) -> Forest:
    """The forest that a trial was asked in."""
    forest = trial.point.embedding
    assert isinstance(forest, Forest)  # no others are made
    return forest
