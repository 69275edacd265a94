"""A point that the user gives: f gets the numbers that were given, though no position in [-1,1] stands for just these.

From a number to its position and back it may change in its last bits, by much where a range is vast; in a forest, by a
billionth of the range. So the point keeps the numbers.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rembo.arrays import LARGEST_ARRAY, Array, Indices, Mask
from rembo.embedding import Point
from rembo.space import Domain, Space, Written, coordinate_name, parts_of

_NOWHERE = np.inf  # the position of what is no real number


@dataclass(frozen=True, eq=False)
class _Readings:
    """A value of a space as D numbers, and which of them are real; all else is told by its position."""

    numbers: Array
    real: Mask

    @classmethod
    def of(cls, value: Any, space: Domain) -> "_Readings":
        """Of a value of a space; a parameter that is inactive there reads 0."""
        numbers, real = np.zeros(space.size), np.zeros(space.size, dtype=bool)
        names = space.parameters if isinstance(space, Space) else [None]
        for name, part in zip(names, parts_of(space), strict=True):
            if name is not None and name not in value:
                continue
            each = value if name is None else value[name]
            reals = part.parameter.reals(each)
            numbers[part.start : part.stop] = part.parameter.encode(each) if reals is None else reals
            real[part.start : part.stop] = reals is not None
        return cls(numbers, real)

    @property
    def bits(self) -> Indices:
        """The numbers as whole numbers, which differ where the sign of a zero does."""
        return self.numbers.view(np.int64)


def as_given(point: Point, x: Any, space: Domain) -> Point:
    """The point at which an optimizer has located x, with the numbers of x where reading it gives others.

    A ValueError if it stands for another whole number or choice.
    """
    found = space.decode(point)
    if isinstance(x, Point) and (len(x) > LARGEST_ARRAY or x == found):
        return point
    wanted = _Readings.of(space.active(space.completed(x)) if isinstance(space, Space) else x, space)
    off = wanted.bits != _Readings.of(found, space).bits
    if not off.any():
        return point
    lost = np.flatnonzero(off & ~wanted.real)
    if len(lost):
        name = coordinate_name(space, int(lost[0]))
        cure = "give it as the only x0, or use BayesOpt"
        raise ValueError(f"{name} shares a bin that tells no values as near as its neighbours apart: {cure}")
    at = np.where(wanted.real, point[:], _NOWHERE)
    return replace(point, given=Written(at, np.where(wanted.real, wanted.numbers, 0.0)))
