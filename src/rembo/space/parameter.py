"""What a parameter is: `size` coordinates of [-1,1], each with a legal value wherever it stands.

The paper's s(x), Section 3.2: scale and round. What the other files of the package have in common stands here.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rembo.arrays import Array, Indices
from rembo.border import is_finite
from rembo.space.condition import Condition, Conditional

MOST_LEVELS = 2**40  # beyond this, neighbouring integers are no longer told apart by a position in [-1,1]


@dataclass(frozen=True, eq=False)
class Written:
    """Numbers as the user wrote them, (n,), and their positions in [-1,1], (n,): a value read there is as written.

    From value to position to value a number may change in its last bits; a default must not.
    """

    positions: Array
    values: Array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Written):
            return NotImplemented
        return np.array_equal(self.positions, other.positions) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: compared, never hashed

    def part(self, start: int, stop: int) -> "Written":
        """Numbers start to stop - 1."""
        return Written(self.positions[start:stop], self.values[start:stop])

    def restored(self, index: Indices, u: Array, values: Array) -> Array:
        """The values read at positions u of the numbers `index`, as written where u is their position; all (k,)."""
        return np.where(u == self.positions[index], self.values[index], values)


class Coordinates(Protocol):
    """A point of [-1,1]^D of which a space reads the coordinates it needs, and no others."""

    @property
    def given(self) -> Written | None:
        """The real numbers of the point, where the user gave it: they take the place of a default's."""

    def __getitem__(self, index: Indices) -> Array: ...

    def part(self, start: int, stop: int) -> "Coordinates":
        """Coordinates start to stop - 1 as a point of their own."""

    def scaled(self, low: float, high: float, written: Written | None = None) -> Any:
        """The same point with [-1,1] stretched to [low, high]; numbers that the user wrote are read as written."""


class Parameter(ABC):
    """One entry of a space: `size` coordinates, each with `levels` values (0: a continuum)."""

    size: int

    @property
    def levels(self) -> int:
        """How many values a coordinate has; 0 for a continuum."""
        return 0

    @property
    def ordered(self) -> bool:
        """Whether nearby positions stand for similar values."""
        return True

    @property
    @abstractmethod
    def middle(self) -> Any:
        """The value of a parameter that a default leaves out: the middle of a range, the first choice."""

    @abstractmethod
    def decode(self, x: Coordinates, written: Written | None = None) -> Any:
        """The value that f gets at x in [-1,1]^size; numbers that the user wrote are read as written."""

    @abstractmethod
    def encode(self, value: Any) -> Array:
        """A position in [-1,1]^size that decodes to `value`, or a ValueError."""

    def reals(self, value: Any) -> Array | None:
        """The real numbers of a legal value, (size,); None for whole numbers and choices, which positions give back."""
        return None

    def written(self, value: Any) -> Written | None:
        """A legal value as the user wrote it, where it has real numbers: positions give back all but the last bits."""
        reals = self.reals(value)
        return None if reals is None else Written(self.encode(value), reals)

    def code(self, u: Array) -> Array:
        """s(u): the number of the level that each position falls on, any shape; every level has an equal share."""
        return level_at(u, self.levels)

    def snap(self, u: Array) -> Array:
        """Each position moved to the middle of its level's share; a continuum is left as it is."""
        return u if self.levels == 0 else middle_of(self.code(u), self.levels)

    def when(self, condition: Condition) -> Conditional:
        """This parameter in a `Space`, where it exists only if a condition on others is fulfilled.

        Parameters
        ----------
        condition : Condition
            E.g. `rembo.Is("solver", "sgd")`, `rembo.Greater("layers", 2)`, or several joined by `&`, `|` and `~`. What
            names a parameter that does not exist itself is not fulfilled, and neither is its contrary.

        Returns
        -------
        Conditional
            What `Space` takes in the place of a parameter.
        """
        return Conditional(self, condition)


class Scalar(Parameter):
    """A parameter of one coordinate."""

    size = 1

    @abstractmethod
    def value(self, u: float) -> Any:
        """The value at position u in [-1,1]."""

    @abstractmethod
    def position(self, value: Any) -> float:
        """A position in [-1,1] of a legal value."""

    @property
    def middle(self) -> Any:
        """The value at position 0."""
        return self.value(0.0)

    def decode(self, x: Coordinates, written: Written | None = None) -> Any:
        """The value at the only coordinate of x."""
        return self.value_at(float(x[np.zeros(1, dtype=np.int64)][0]), x.given or written)

    def value_at(self, u: float, written: Written | None) -> Any:
        """The value at position u, or the number that the user wrote there."""
        return self.value(u) if written is None or u != written.positions[0] else float(written.values[0])

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.ordered

    def number(self, value: Any) -> float:
        """A legal value as conditions compare it: the number itself, or that of the level where values are words."""
        position = self.position(value)
        return float(value) if self.numeric else float(self.code(np.array(position)))

    @property
    def middles(self) -> Array:
        """A position of each level, (levels,)."""
        return middle_of(np.arange(self.levels), self.levels)

    def numbers(self, u: Array) -> Array:
        """What `number` says of the values at positions u, (n,)."""
        if self.numeric:
            return np.array([float(self.value(position)) for position in u.tolist()])
        return self.code(u).astype(np.float64)

    def encode(self, value: Any) -> Array:
        """The position of `value`, as a vector of one."""
        return np.array([self.position(value)])

    def reals(self, value: Any) -> Array | None:
        """The number, where the parameter's values are floats."""
        return np.array([float(value)]) if isinstance(self.value(self.position(value)), float) else None


def level_at(u: Array, levels: int | Indices) -> Array:
    """Which of so many equal shares of [-1,1] each position falls on, any shape."""
    return np.clip(np.floor((u + 1.0) * (levels / 2.0)), 0, levels - 1)


def middle_of(level: Array | Indices, levels: int | Indices) -> Array:
    """The middle of a share of [-1,1]; the inverse of `level_at`."""
    return np.asarray((2.0 * level + 1.0) / levels - 1.0)


def stretch(u: Any, low: float | Array, high: float | Array) -> Any:
    """[-1,1] onto [low, high], exact at 0 and, for [-1,1] itself, everywhere."""
    return (low / 2.0 + high / 2.0) + (high / 2.0 - low / 2.0) * u


def unstretch(value: Any, low: float, high: float) -> Any:
    """[low, high] onto [-1,1]; the inverse of stretch."""
    half = high / 2.0 - low / 2.0
    u = (value - (low / 2.0 + high / 2.0)) / (half or math.inf)
    return np.clip(u, -1.0, 1.0) if isinstance(u, np.ndarray) else min(max(u, -1.0), 1.0)


class Bounded(Protocol):
    """A parameter between two bounds."""

    @property
    def low(self) -> float:
        """The least value."""

    @property
    def high(self) -> float:
        """The largest value."""


def check_bounds(parameter: Bounded, log: bool = False) -> None:
    """low < high, both finite, and above 0 on a log scale, or a ValueError with the cure."""
    low, high = parameter.low, parameter.high
    _check_finite(parameter)
    if low >= high:
        cure = "swap them" if low > high else "leave a fixed parameter out of the space"
        raise ValueError(f"{parameter}: low {low} must be below high {high}; {cure}")
    if log and low <= 0:
        raise ValueError(f"{parameter}: a log scale needs low above 0, not {low}; raise low or drop log=True")


def take_plain_bounds(parameter: Bounded) -> None:
    """Make Python's own numbers of the bounds, as a file has them: with a float32, NumPy computes in float32."""
    _check_finite(parameter)
    for name in ("low", "high"):
        object.__setattr__(parameter, name, _plain(getattr(parameter, name)))


def _plain(number: Any) -> float:
    """The float that is nearest; an int that is equal to it stays as it is."""
    return number if type(number) is int and number == float(number) else float(number)


def _check_finite(parameter: Bounded) -> None:
    if not all(is_finite(bound) for bound in (parameter.low, parameter.high)):
        raise ValueError(f"{parameter}: both bounds must be finite numbers")


def check_inside(value: Any, parameter: Bounded) -> Any:
    """The number, or a ValueError if it lies outside the bounds."""
    if not is_finite(value) or not parameter.low <= value <= parameter.high:
        raise ValueError(f"{value!r} does not lie in {parameter}")
    return value
