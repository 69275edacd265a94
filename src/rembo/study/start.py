"""Where a study begins: configurations that the user brings, and the values of those that are known already."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.border import is_finite
from rembo.embedding import Point
from rembo.optimizer.optimizer import as_point
from rembo.space import Domain, Scalar


@dataclass(frozen=True, eq=False)
class Start:
    """Points as f would get them, and for each the value of f there, or None."""

    points: tuple[Any, ...] = ()
    values: tuple[float | None, ...] = ()

    @staticmethod
    def of(x0: Any, y0: Any, space: Domain) -> "Start":
        """From what the user gives: one point or a list of several; one value, or a list with None for unknown ones."""
        points = _listed(x0, space)
        if len(points) > 1:
            _check_points(points, space)
        if y0 is None:
            return Start(points, (None,) * len(points))
        given = list(y0) if isinstance(y0, (Sequence, np.ndarray)) else [y0]
        if len(given) != len(points):
            raise ValueError(
                f"y0 has {len(given)} values and x0 has {len(points)} points: give a value or None for each"
            )
        return Start(points, tuple(_check_value(value, number) for number, value in enumerate(given)))

    @property
    def known(self) -> int:
        """How many values are known."""
        return sum(value is not None for value in self.values)

    def center(self, sign: float) -> Any:
        """The best of the known points, or else the first; None without any. A sign of -1 makes high values good."""
        if not self.points:
            return None
        ranks = [math.inf if value is None else sign * value for value in self.values]
        return self.points[ranks.index(min(ranks))]


def _listed(x0: Any, space: Domain) -> tuple[Any, ...]:
    """The points in x0; an array of numbers is one of them, unless the space itself takes a single number."""
    if x0 is None:
        return ()
    if isinstance(x0, (Mapping, Point)) or not isinstance(x0, (list, tuple, np.ndarray)) or _is_value(x0, space):
        return (x0,)
    if len(x0) == 0:
        raise ValueError("x0 is an empty list: give a point, a list of points, or leave it out")
    return tuple(x0)


def _is_value(x0: Any, space: Domain) -> bool:
    """Whether a list is one point."""
    if isinstance(space, Scalar):
        return np.ndim(x0) == 0 or is_inside(x0, space)
    return len(x0) > 0 and not isinstance(x0[0], (Mapping, Point, list, tuple, np.ndarray))


def _check_points(points: tuple[Any, ...], space: Domain) -> None:
    """Refuse a list with a point that is none of the space before anything is begun; a Point is read later."""
    for number, x in enumerate(points):
        try:
            if not isinstance(x, Point):
                as_point(x, space)
        except (TypeError, ValueError) as refusal:
            raise type(refusal)(f"x0[{number}]: {refusal}") from None


def is_inside(x0: Any, space: Domain) -> bool:
    """Whether a value is one of the space."""
    try:
        space.encode(x0)
    except (TypeError, ValueError):
        return False
    return True


def _check_value(value: Any, number: int) -> float | None:
    if value is None:
        return None
    if not is_finite(value):
        raise ValueError(f"y0[{number}] is {value!r}: give a finite number, or None where f was not evaluated")
    return float(value)
