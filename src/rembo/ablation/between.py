"""The configurations between two: for each set of changes, the start with these changes made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rembo.ablation.result import Change
from rembo.arrays import Array
from rembo.embedding import IdentityEmbedding, Point
from rembo.space import Bounds, Box, Domain, Space, coordinate_name


class Between(Protocol):
    """What lies between a start and a goal."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that differ, in the space's order."""

    def configuration(self, changed: frozenset[str]) -> Any:
        """What f gets where these parameters have the goal's value and all others the start's."""

    def allows(self, changed: frozenset[str]) -> bool:
        """Whether that configuration is none of those that are forbidden."""

    def changed(self, x: Any) -> frozenset[str] | None:
        """The parameters that have the goal's value in x; None where x does not lie between."""

    def change(self, name: str) -> Change:
        """What becomes of a parameter."""


def between(space: Domain, start: Any, goal: Any) -> Between:
    """The configurations between two of a Space, parameter by parameter, or of an array, number by number."""
    match space:
        case Space():
            whole = space.completed(_checked(space, start, "start"))
            return _Named(space, whole, {**whole, **_checked(space, goal, "goal")})
        case Box() | Bounds():
            return _Listed(space, *(_coordinates(space, x, name) for x, name in ((start, "start"), (goal, "goal"))))
    raise TypeError(f"space must be a Space or a Box, of which single parameters can be changed, not {space!r}")


@dataclass(frozen=True)
class _Named:
    """Dicts of a Space; an array is one change. What is inactive at an end is there as it is at the other one."""

    space: Space
    start: Mapping[str, Any]
    goal: Mapping[str, Any]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self._from_start.changes(self.goal))

    def configuration(self, changed: frozenset[str]) -> dict[str, Any]:
        return self.space.active(self._whole(changed))

    def allows(self, changed: frozenset[str]) -> bool:
        return self.space.rules.violated(self.configuration(changed)) is None

    def changed(self, x: Mapping[str, Any]) -> frozenset[str] | None:
        differing = frozenset(self._from_start.changes(x))
        lies_between = differing.isdisjoint(self._from_goal.changes(x))
        return differing if lies_between and differing <= set(self.names) else None

    def change(self, name: str) -> Change:
        return Change(name, self.start[name], self.goal[name])

    def _whole(self, changed: frozenset[str]) -> dict[str, Any]:
        return {name: self.goal[name] if name in changed else value for name, value in self.start.items()}

    @cached_property
    def _from_start(self) -> Space:
        return Space(self.space.parameters, self.start)

    @cached_property
    def _from_goal(self) -> Space:
        return Space(self.space.parameters, self.goal)


@dataclass(frozen=True)
class _Listed:
    """Points of a Box or of Bounds; start and goal: (size,), in their units."""

    space: Box | Bounds
    start: Array
    goal: Array

    @cached_property
    def indices(self) -> dict[str, int]:
        """The coordinates that differ, by name."""
        return {coordinate_name(self.space, int(i)): int(i) for i in np.flatnonzero(self.start != self.goal)}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.indices)

    def configuration(self, changed: frozenset[str]) -> Any:
        numbers = self.start.copy()
        index = self._index(changed)
        numbers[index] = self.goal[index]
        return self.space.decode(Point(IdentityEmbedding(self.space.size), self.space.encode(numbers)))

    def allows(self, changed: frozenset[str]) -> bool:
        return True

    def changed(self, x: Any) -> frozenset[str] | None:
        numbers = np.asarray(x, dtype=np.float64)
        changed = frozenset(name for name, i in self.indices.items() if numbers[i] == self.goal[i])
        return changed if np.array_equal(np.asarray(self.configuration(changed)), numbers) else None

    def change(self, name: str) -> Change:
        i = self.indices[name]
        return Change(name, float(self.start[i]), float(self.goal[i]))

    def _index(self, names: Iterable[str]) -> list[int]:
        return [self.indices[name] for name in names]


def _checked(space: Space, x: Any, name: str) -> dict[str, Any]:
    """A configuration of the space: its active parameters, in the space's order."""
    try:
        space.encode(x)
    except (TypeError, ValueError) as wrong:
        raise type(wrong)(f"the {name} is no configuration of the space: {wrong}") from None
    return space.active({parameter: x[parameter] for parameter in space.parameters if parameter in x})


def _coordinates(box: Box | Bounds, x: Any, name: str) -> Array:
    try:
        box.encode(x)
    except (TypeError, ValueError) as wrong:
        raise type(wrong)(f"the {name} is no point of the box: {wrong}") from None
    return np.asarray(x, dtype=np.float64)
