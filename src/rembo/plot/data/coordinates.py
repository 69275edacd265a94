"""Single coordinates of a space by name, and what a position in [-1,1] stands for there, in the user's units.

Looking one up never costs D: `weights[17]` of a billion is found by its number.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.arrays import Array, Indices
from rembo.space import (
    Bool,
    Box,
    Categorical,
    Domain,
    Ordinal,
    Parameter,
    Scalar,
    Space,
    coordinate_name,
    parts_of,
    stretch,
)
from rembo.study import StudyTrial

_ALONE = "x"  # what a parameter is called that is a space by itself


@dataclass(frozen=True)
class Coordinate:
    """One coordinate: its number in the space, what it is called, and the parameter it belongs to."""

    index: int
    name: str
    parameter: Parameter

    @property
    def names(self) -> tuple[str, ...]:
        """What values that are words are called; nothing for numbers."""
        match self.parameter:
            case Categorical(choices):
                return tuple(map(str, choices))
            case Ordinal(values) if not self.parameter.numeric:
                return tuple(map(str, values))
            case Bool():
                return ("False", "True")
        return ()

    @property
    def log(self) -> bool:
        """Whether its logarithm is searched evenly."""
        return bool(getattr(self.parameter, "log", False))

    def value(self, u: float) -> Any:
        """What f gets for a position u in [-1,1]."""
        if isinstance(self.parameter, Scalar):
            return self.parameter.value(u)
        assert isinstance(self.parameter, Box)  # the one parameter of several coordinates
        return float(stretch(u, self.parameter.low, self.parameter.high))

    def number(self, u: float) -> float:
        """The value as a number to draw and to sort by: a word is the number of its level."""
        return float(self.parameter.code(np.array(u))) if self.names else float(self.value(u))

    def text(self, u: float) -> str:
        """The value as one reads it."""
        value = self.value(u)
        return f"{value:.6g}" if isinstance(value, float) else str(value)


def coordinate(space: Domain, index: int) -> Coordinate:
    """The coordinate of this number."""
    parts = parts_of(space)
    owner = parts[int(np.searchsorted([part.start for part in parts], index, side="right")) - 1]
    return Coordinate(index, coordinate_name(space, index), owner.parameter)


def find_coordinate(space: Domain, name: str) -> Coordinate | None:
    """The coordinate that is called `rate`, `weights[17]` or `x[17]`; None if there is none."""
    named = space.parameters if isinstance(space, Space) else {_ALONE: space}
    owners = dict(zip(named, parts_of(space), strict=True))
    if name in owners and isinstance(owners[name].parameter, Scalar):
        return Coordinate(owners[name].start, name, owners[name].parameter)
    found = re.fullmatch(r"(.*)\[(\d{1,19})\]", name, flags=re.DOTALL)
    owner = owners.get(found[1]) if found else None
    if found is None or owner is None or isinstance(owner.parameter, Scalar) or int(found[2]) >= owner.parameter.size:
        return None
    return Coordinate(owner.start + int(found[2]), name, owner.parameter)


def first_coordinates(space: Domain, most: int) -> list[Coordinate]:
    """The coordinates of the space in order, at most so many."""
    return [coordinate(space, index) for index in range(min(space.size, most))]


def positions(trials: Iterable[StudyTrial], coordinates: Sequence[Coordinate]) -> Array:
    """Where trials lie in [-1,1] along some coordinates, (n, p), NaN where one is inactive; no others are computed."""
    index = np.array([each.index for each in coordinates], dtype=np.int64)
    read = [_position(trial, index, coordinates) for trial in trials]
    return np.array(read, dtype=np.float64).reshape(len(read), len(index))


def _position(trial: StudyTrial, index: Indices, coordinates: Sequence[Coordinate]) -> Array:
    """Where a trial lies; in a space with conditions that is where what f got lies."""
    u = trial.point[index]
    if not (isinstance(trial.space, Space) and trial.space.has_rules):
        return u
    x = trial.x
    for place, each in enumerate(coordinates):
        if not isinstance(each.parameter, Scalar):
            u[place] = u[place] if each.name.rpartition("[")[0] in x else math.nan
        else:
            u[place] = each.parameter.position(x[each.name]) if each.name in x else math.nan
    return u
