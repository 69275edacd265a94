"""What adapters to other libraries share: a space as numbers under names, values that can be squared, and silence."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.embedding import IdentityEmbedding, Point
from rembo.optimizer.optimizer import Suggestion
from rembo.space import Domain, Integer, Parameter, middle_of, parts_of

LARGEST_VALUE = 1e100  # other libraries square the values that they are told


@dataclass(frozen=True)
class Columns:
    """The coordinates of a space, each under a name of its own, as numbers that any library knows.

    A real number is its position in [-1,1], so that it comes back to the last bit; a whole number is itself; a choice
    is its place in the list.

    >>> Columns.of(Integer(1, 8)).numbers(np.array([1.0]))
    {'x0': 8}
    """

    parameters: Mapping[str, Parameter]

    @staticmethod
    def of(space: Domain) -> "Columns":
        """The columns of a space; their names sort as the coordinates do."""
        each = [part.parameter for part in parts_of(space) for _ in range(part.parameter.size)]
        width = len(str(len(each) - 1))
        return Columns({f"x{index:0{width}}": parameter for index, parameter in enumerate(each)})

    def numbers(self, u: Array) -> dict[str, float | int]:
        """The numbers at a position in [-1,1]^D, (D,), by column."""
        return {
            name: _number(parameter, position)
            for (name, parameter), position in zip(self.parameters.items(), u.tolist(), strict=True)
        }

    def point(self, numbers: Mapping[str, Any]) -> Point:
        """The point of [-1,1]^D with these numbers; the inverse of `numbers`."""
        y = np.array([_position(parameter, numbers[name]) for name, parameter in self.parameters.items()])
        return Point(IdentityEmbedding(len(y)), y)


def check_size(space: Domain, method: str, at_most: int) -> None:
    """A ValueError where a space has more coordinates than a method can take."""
    if space.size > at_most:
        raise ValueError(f"{method} in {space.size} dimensions is more than {at_most}: use Rembo")


def check_repeated(again: Suggestion, before: Suggestion) -> None:
    """A RuntimeError where a library that was asked again, to bring it where it was, suggests another point."""
    if again.point != before.point:
        raise RuntimeError(
            f"a trial cannot be recalled: asked again, the library suggests {again.point} in place of {before.point}; "
            "use the version, and for SMAC the PYTHONHASHSEED, that suggested it first"
        )


def tamed(value: float) -> float:
    """The value, or the nearest one whose square is finite."""
    return min(max(value, -LARGEST_VALUE), LARGEST_VALUE)


@contextmanager
def quiet(package: str) -> Iterator[None]:
    """A package's log, silent for a while."""
    log = logging.getLogger(package)
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        log.setLevel(level)


def _number(parameter: Parameter, position: float) -> float | int:
    if parameter.levels == 0:
        return position
    if isinstance(parameter, Integer):
        return parameter.value(position)
    return int(parameter.code(np.array(position)))


def _position(parameter: Parameter, number: Any) -> float:
    if parameter.levels == 0:
        return float(number)
    if isinstance(parameter, Integer):
        return parameter.position(int(number))
    return float(middle_of(np.array(int(number)), parameter.levels))
