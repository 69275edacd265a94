"""A trial: one point to evaluate, and in the end what came of it."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from rembo.arrays import Array
from rembo.embedding import Point
from rembo.space import shown


class TrialState(Enum):
    """Where a trial stands; the words are Optuna's. Only a study's trials wait or are pruned."""

    WAITING = "waiting"
    RUNNING = "running"
    COMPLETE = "complete"
    PRUNED = "pruned"
    FAIL = "fail"


class Origin(Enum):
    """Where a trial's point comes from: why it was asked, or that the user brought it."""

    ASKED = "asked"  # of an optimizer that does not say why
    HURRIED = "hurried"  # of the optimizer, without its model
    GIVEN = "given"  # by the user
    DESIGN = "design"  # the default's first points
    POLISH = "polish"  # the bottom of a smooth model of the nearest observations
    EXPLORE = "explore"  # the highest expected improvement anywhere
    EXPLOIT = "exploit"  # the highest expected improvement near the incumbent
    GROW = "grow"  # the same after bins were split
    MUTATE = "mutate"  # the incumbent with a few bins moved at random


@dataclass(frozen=True, eq=False, repr=False)
class Trial:
    """`x` is what f gets. `point` is the same in [-1,1]^D: an embedding and `y`. `run` says which run asked it."""

    number: int
    x: Any
    point: Point
    run: int = 0
    value: float | None = None
    failure: str | None = None
    nominees: Array | None = None
    origin: Origin = Origin.ASKED

    def __repr__(self) -> str:
        outcome = "" if self.value is None else f", value={self.value!r}"
        failure = "" if self.failure is None else f", failure={shown(self.failure)}"
        return f"Trial({self.number}, {self.state.value}{outcome}{failure}, x={shown(self.x)})"

    @property
    def y(self) -> Array:
        """The embedded point, (d,)."""
        return self.point.y

    @property
    def state(self) -> TrialState:
        """RUNNING until told; then COMPLETE with a value or FAIL with a reason."""
        if self.failure is not None:
            return TrialState.FAIL
        return TrialState.RUNNING if self.value is None else TrialState.COMPLETE
