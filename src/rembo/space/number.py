"""Numbers: `Float` and `Integer`, on a linear or on a log scale."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.space.parameter import MOST_LEVELS, Scalar, check_bounds, check_inside, stretch, take_plain_bounds, unstretch

LARGEST = 10**300  # on a log scale: the exponential of a rounded logarithm must stay finite
DIGITS = 12  # that a whole number beyond MOST_LEVELS has on a log scale; a position in [-1,1] tells about 14 apart


@dataclass(frozen=True)
class Float(Scalar):
    """A real number between low and high; with log=True its logarithm is searched evenly.

    >>> round(Float(1e-5, 1e-1, log=True).value(0.0), 9)
    0.001
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        take_plain_bounds(self)
        object.__setattr__(self, "log", bool(self.log))
        check_bounds(self, self.log)

    def value(self, u: float) -> float:
        """The number at position u in [-1,1]."""
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        if abs(u) >= 1.0:
            return float(self.high if u > 0.0 else self.low)
        stretched = stretch(u, low, high)
        return float(min(max(math.exp(stretched) if self.log else stretched, self.low), self.high))

    def position(self, value: Any) -> float:
        """Where in [-1,1] the number lies."""
        number = float(check_inside(value, self))
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        return float(unstretch(math.log(number) if self.log else number, low, high))


@dataclass(frozen=True)
class Integer(Scalar):
    """A whole number from low to high, both included; with log=True small numbers get larger shares.

    On a log scale that goes beyond 2**40 the numbers are searched as a continuum and rounded, those above 10**12 to 12
    significant digits: a position in [-1,1] cannot tell more of them apart.

    Parameters
    ----------
    low, high
        The bounds; a linear scale has at most 2**40 values.
    log
        Whether the logarithm is searched evenly.

    Examples
    --------
    >>> [Integer(1, 3).value(u) for u in (-1.0, 0.0, 1.0)]
    [1, 2, 3]
    >>> [Integer(1, 10**18, log=True).value(u) for u in (-1.0, 0.0, 0.5, 1.0)]
    [1, 707106781, 26591479484700, 1000000000000000000]
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, check_whole(getattr(self, name), f"{self}: {name}"))
        object.__setattr__(self, "log", bool(self.log))
        check_bounds(self, self.log)
        if self.log and self.high > LARGEST:
            raise ValueError(f"{self}: on a log scale high must be at most 10**300: use Float")
        if self._is_wide and self.high < 2 * self.low:
            cure = "drop log=True, which changes little over a factor below 2, or use Float"
            raise ValueError(f"{self}: on a log scale beyond {MOST_LEVELS} high must be at least 2 low: {cure}")
        if self.levels > MOST_LEVELS:
            cure = "use log=True, or Float"
            raise ValueError(f"{self} has {self.levels} values, at most {MOST_LEVELS} can be told apart: {cure}")

    @property
    def levels(self) -> int:
        """How many whole numbers lie between the bounds; 0 where they are searched as a continuum."""
        return 0 if self._is_wide else self.high - self.low + 1

    def code(self, u: Array) -> Array:
        """How many values lie below the one at u."""
        if not self.log:
            return super().code(u)
        low, high = self._log_bounds
        return np.asarray(np.clip(np.rint(np.exp(stretch(u, low, high))), self.low, self.high) - self.low)

    def snap(self, u: Array) -> Array:
        """Each position moved to that of its value; a continuum is left as it is."""
        if not self.log or self._is_wide:
            return super().snap(u)
        return np.asarray(unstretch(np.log(self.code(u) + self.low), *self._log_bounds))

    @property
    def middles(self) -> Array:
        """The position of each whole number, (levels,)."""
        return np.array([self.position(number) for number in range(self.low, self.low + self.levels)])

    def value(self, u: float) -> int:
        """The whole number at position u in [-1,1]."""
        if self._is_wide:
            return self._rounded(u)
        return self.low + int(self.code(np.array(u)))

    def position(self, value: Any) -> float:
        """The middle of the value's share of [-1,1]."""
        number: int = check_inside(check_whole(value, f"the value of {self}"), self)
        if not self.log:
            return float((2.0 * (number - self.low) + 1.0) / self.levels - 1.0)
        position = float(unstretch(np.log(float(number)), *self._log_bounds))
        return self._position_of_digits(number, position) if self._is_wide else position

    @property
    def _is_wide(self) -> bool:
        """Whether a log scale has more values than positions tell apart."""
        return self.log and self.high > MOST_LEVELS

    @property
    def _log_bounds(self) -> tuple[float, float]:
        return math.log(self.low - 0.5), math.log(self.high + 0.5)  # so that the first and last get whole shares

    def _rounded(self, u: float) -> int:
        """The number at u to 12 significant digits; the bounds are themselves, whatever digits they have."""
        if abs(u) >= 1.0:
            return self.high if u > 0.0 else self.low
        number = math.exp(stretch(u, *self._log_bounds))
        return min(max(round(number) if number < 10.0**DIGITS else _to_digits(number), self.low), self.high)

    def _position_of_digits(self, number: int, position: float) -> float:
        """The position of a number of 12 significant digits, or of a bound, or a ValueError."""
        if number in (self.low, self.high):
            return 1.0 if number == self.high else -1.0
        nearest = self._rounded(position)
        if nearest != number:
            wanted = f"{DIGITS} significant digits are told apart: the nearest value is {nearest}"
            raise ValueError(f"{number} has no position in {self}, of which {wanted}")
        return position


def _to_digits(number: float) -> int:
    """The whole number of 12 significant digits that is nearest to a large one."""
    digits, power = f"{number:.{DIGITS - 1}e}".split("e")
    return int(digits.replace(".", "")) * int(10 ** (int(power) - DIGITS + 1))
