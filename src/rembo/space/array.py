"""Parameters that are arrays: `Box`, alike numbers of any count, and `Bounds`, a list of ranges."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rembo.arrays import LARGEST_ARRAY, Array
from rembo.border import check_whole
from rembo.space.number import Float
from rembo.space.parameter import Coordinates, Parameter, Written, check_bounds, take_plain_bounds, unstretch
from rembo.space.shown import shown


@dataclass(frozen=True)
class Box(Parameter):
    """`size` alike real numbers between low and high, as one array: f gets a Point, which is read, not made.

    >>> Box(10**9).size
    1000000000
    """

    size: int
    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check_whole(self.size, "Box size", 1, 2**63 - 1))
        take_plain_bounds(self)
        check_bounds(self)

    @property
    def middle(self) -> Array:
        """The middle of the range, `size` times."""
        if self.size > LARGEST_ARRAY:
            raise ValueError(f"{self} has more than {LARGEST_ARRAY} numbers, too many for a default: leave it out")
        return np.full(self.size, self.low / 2.0 + self.high / 2.0)

    def decode(self, x: Coordinates, written: Written | None = None) -> Any:
        """The point x in the box's own units; nothing is computed before it is read."""
        return x.scaled(self.low, self.high, x.given or written)

    def encode(self, value: Any) -> Array:
        """Where in [-1,1]^size an array of `size` numbers lies."""
        numbers = _numbers(value, self)
        outside = ~((self.low <= numbers) & (numbers <= self.high))
        if outside.any():
            first = int(np.argmax(outside))
            raise ValueError(f"coordinate {first} is {numbers[first]}, outside [{self.low}, {self.high}]")
        return np.asarray(unstretch(numbers, self.low, self.high))

    def reals(self, value: Any) -> Array:
        """The numbers themselves."""
        return _numbers(value, self).copy()


@dataclass(frozen=True)
class Bounds(Parameter):
    """A range for each of several real numbers; f gets a NumPy array of them.

    A list of bounds given as a space becomes one: `minimize(f, [(0, 1), (1e-5, 1e-1, "log")], 100)`.

    Parameters
    ----------
    bounds
        For each number a pair `(low, high)`, or `(low, high, "log")` where its logarithm is to be searched evenly.

    Raises
    ------
    TypeError, ValueError
        If an entry is no such range; the message says which.

    Examples
    --------
    >>> bounds = Bounds([(0, 1), (1e-5, 1e-1, "log")])
    >>> bounds.size
    2
    >>> bounds.encode([0.5, 1e-5]).tolist()
    [0.0, -1.0]
    """

    bounds: Sequence[Sequence[Any]]

    def __post_init__(self) -> None:
        ranges = [_checked(number, bound) for number, bound in enumerate(self.bounds)]
        if not ranges:
            raise ValueError("a list of bounds needs at least one pair (low, high), e.g. [(0, 1), (1e-5, 1e-1, 'log')]")
        plain = tuple((each.low, each.high, "log") if each.log else (each.low, each.high) for each in ranges)
        object.__setattr__(self, "bounds", plain)

    def __repr__(self) -> str:
        return f"Bounds({shown(list(self.bounds))})"

    @property
    def size(self) -> int:  # type: ignore[override]  # read-only: it follows from the bounds
        """The number of bounds."""
        return len(self.bounds)

    @cached_property
    def ranges(self) -> tuple[Float, ...]:
        """A parameter for each number."""
        return tuple(Float(low, high, bool(log)) for low, high, *log in self.bounds)

    @property
    def middle(self) -> Array:
        """The middle of each range."""
        return np.array([each.middle for each in self.ranges])

    def decode(self, x: Coordinates, written: Written | None = None) -> Array:
        """The numbers at x, (size,)."""
        index = np.arange(self.size, dtype=np.int64)
        u = x[index]
        numbers = np.array([each.value(position) for each, position in zip(self.ranges, u.tolist(), strict=True)])
        exact = x.given or written
        return numbers if exact is None else exact.restored(index, u, numbers)

    def encode(self, value: Any) -> Array:
        """Where in [-1,1]^size an array, or any sequence, of `size` numbers lies."""
        return np.array([self._position(each, number) for each, number in enumerate(_numbers(value, self).tolist())])

    def reals(self, value: Any) -> Array:
        """The numbers themselves."""
        return _numbers(value, self).copy()

    def _position(self, number: int, value: float) -> float:
        low, high = self.bounds[number][:2]
        if not low <= value <= high:
            raise ValueError(f"number {number} is {value}, outside its bounds [{low}, {high}]")
        return self.ranges[number].position(value)


def _numbers(value: Any, array: Parameter) -> Array:
    """The value as an array, (size,), or an error that says what it must be."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as unlike:
        wanted = f"a value of {array} must be an array of {array.size} numbers"
        raise type(unlike)(f"{wanted}, not {value!r}: {unlike}") from None
    if numbers.shape != (array.size,):
        raise ValueError(f"a value of {array} must have shape ({array.size},), not {numbers.shape}")
    return numbers


def _checked(number: int, bound: Any) -> Float:
    """The range that a bound stands for, or an error that names the bound."""
    wrong = f"bound {number} must be (low, high) or (low, high, 'log'), not {bound!r}"
    if isinstance(bound, str) or not isinstance(bound, (Sequence, np.ndarray)) or len(bound) not in (2, 3):
        raise TypeError(f"{wrong}: write e.g. [(0, 1), (1e-5, 1e-1, 'log')]")
    low, high, *scale = bound
    if scale and not (isinstance(scale[0], str) and scale[0] == "log"):
        raise ValueError(f"{wrong}: name whole numbers and choices, rembo.Space({{'n': rembo.Integer(1, 8)}})")
    try:
        range_ = Float(low, high, bool(scale))
    except ValueError as refused:
        reason = str(refused).partition(": ")[2]
        raise ValueError(f"bound {number}, {tuple(bound)}: {reason}") from None
    return Float(float(range_.low), float(range_.high), range_.log)
