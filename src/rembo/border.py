"""Checks at the border, where the user's numbers come in: each error names the value, the limit and the cure."""

import math
import numbers
from operator import index
from typing import Any


def check_whole(value: Any, name: str, at_least: int | None = None, at_most: int | None = None) -> int:
    """The value as an int, or a TypeError or ValueError that says what it must be."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    below, above = at_least is not None and number < at_least, at_most is not None and number > at_most
    if below or above:
        limits = f"be at least {at_least}" if at_most is None else f"lie between {at_least} and {_power(at_most)}"
        raise ValueError(f"{name} {number} must {limits}")
    return number


def _power(number: int) -> str:
    """A number as people know it: 2**63 - 1 rather than its nineteen digits."""
    power = (number + 1).bit_length() - 1
    return f"2**{power} - 1" if power > 30 and number + 1 == 2**power else str(number)


def is_finite(value: Any) -> bool:
    """Whether the value is a real number that a float can hold."""
    try:
        return isinstance(value, numbers.Real) and math.isfinite(value)
    except OverflowError:
        return False


def is_duration(value: Any) -> bool:
    """Whether the value is a positive real number that a float can hold, or infinity."""
    return (is_finite(value) or (isinstance(value, numbers.Real) and value == math.inf)) and value > 0


def check_part(given: Any, name: str, method: str, example: str) -> Any:
    """The object, or a TypeError with one to write where a name, a class or something else without the method is given.

    Parameters
    ----------
    given
        What the user chose.
    name
        The argument's name.
    method
        What such an object must have.
    example
        One, as the user would write it.
    """
    if isinstance(given, type):
        raise TypeError(f"{name} must be an object, {given.__name__}(), not the class itself")
    if not hasattr(given, method):
        raise TypeError(f"{name} must be an object such as {example}, not {given!r}")
    return given
