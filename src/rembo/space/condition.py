"""Conditions on the values of parameters: when a parameter exists, and which combinations are forbidden.

Truth has three values, as in Kleene's logic, because a condition may name a parameter that does not exist itself: 1,
0, and 1/2 where that cannot be told. And is the least of several, or the greatest, not what is left to 1.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np

from rembo.arrays import Array

TRUE, UNKNOWN, FALSE = 1.0, 0.5, 0.0
Truth: TypeAlias = float | Array
"""Of one configuration, or of several, (n,)."""


class Counted(Protocol):
    """A parameter of one coordinate whose values conditions compare as numbers."""

    def number(self, value: Any) -> float:
        """A legal value as a number, or a ValueError: the number itself, or that of a categorical's value."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What a parameter says in one configuration, or in several, (n,): numbers, NaN where it is inactive."""

    parameter: Counted
    numbers: Truth


Readings: TypeAlias = Mapping[str, Reading]


class Condition(ABC):
    """Something that a configuration fulfils or not; `&`, `|` and `~` join conditions to others.

    Examples
    --------
    >>> Is("solver", "sgd") & ~Less("layers", 3)
    Is('solver', 'sgd') & ~Less('layers', 3)
    """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The parameters that it names."""

    @abstractmethod
    def truth(self, readings: Readings) -> Truth:
        """1 where it is fulfilled, 0 where it is not, 1/2 where a parameter that decides is inactive."""

    @property
    @abstractmethod
    def comparisons(self) -> "tuple[Comparison, ...]":
        """What it is made of."""

    def __and__(self, other: "Condition") -> "And":
        return And((self, _checked(other)))

    def __or__(self, other: "Condition") -> "Or":
        return Or((self, _checked(other)))

    def __invert__(self) -> "Not":
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} is neither true nor false by itself: join conditions with &, | and ~")


@dataclass(frozen=True, init=False)
class Is(Condition):
    """A categorical, bool or integer has one of these values.

    Parameters
    ----------
    name : str
        The parameter's name.
    *values
        One value or several.

    Examples
    --------
    >>> from rembo import Categorical, Float, Space
    >>> space = Space({
    ...     "solver": Categorical(["adam", "sgd"]),
    ...     "momentum": Float(0.0, 1.0).when(Is("solver", "sgd")),
    ... })
    >>> space.active({"solver": "adam", "momentum": 0.5})
    {'solver': 'adam'}
    """

    name: str
    values: tuple[Any, ...]

    def __init__(self, name: str, *values: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", values)
        if not values:
            raise ValueError(f"Is({name!r}) needs a value, e.g. Is({name!r}, 'adam')")

    @classmethod
    def from_stored(cls, name: str, values: Sequence[Any]) -> "Is":
        """From what a study's file holds."""
        return cls(name, *values)

    def __repr__(self) -> str:
        return f"Is({', '.join(map(repr, (self.name, *self.values)))})"

    @property
    def names(self) -> tuple[str, ...]:
        """The one parameter."""
        return (self.name,)

    @property
    def comparisons(self) -> "tuple[Comparison, ...]":
        """Itself."""
        return (self,)

    def truth(self, readings: Readings) -> Truth:
        """Whether the value is one of them."""
        reading = readings[self.name]
        wanted = [reading.parameter.number(value) for value in self.values]
        if isinstance(reading.numbers, float):
            return UNKNOWN if reading.numbers != reading.numbers else float(reading.numbers in wanted)
        found = np.logical_or.reduce([reading.numbers == number for number in wanted])
        return np.where(np.isnan(reading.numbers), UNKNOWN, found)


@dataclass(frozen=True, repr=False)
class _Comparison(Condition):
    """A number beside a bound, or beside the value of another parameter."""

    name: str
    than: float | str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.than!r})"

    @property
    def names(self) -> tuple[str, ...]:
        """The parameter, and the other one if there is one."""
        return (self.name, self.than) if isinstance(self.than, str) else (self.name,)

    @property
    def comparisons(self) -> "tuple[Comparison, ...]":
        """Itself."""
        return (self,)

    def _bound(self, readings: Readings) -> Truth:
        return readings[self.than].numbers if isinstance(self.than, str) else float(self.than)


class Less(_Comparison):
    """A number lies below another one: below a bound, or below the value of another parameter.

    Parameters
    ----------
    name : str
        The parameter's name.
    than : float or str
        The bound, or the name of the other parameter. `~Less("a", 3)` is "at least 3".
    """

    def truth(self, readings: Readings) -> Truth:
        """Whether the number is less."""
        return _below(readings[self.name].numbers, self._bound(readings))


class Greater(_Comparison):
    """A number lies above another one: above a bound, or above the value of another parameter.

    Parameters
    ----------
    name : str
        The parameter's name.
    than : float or str
        The bound, or the name of the other parameter. `~Greater("a", 3)` is "at most 3".
    """

    def truth(self, readings: Readings) -> Truth:
        """Whether the number is greater."""
        return _below(self._bound(readings), readings[self.name].numbers)


@dataclass(frozen=True, repr=False)
class _Joined(Condition):
    """Several conditions."""

    parts: tuple[Condition, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Those of all parts."""
        return tuple(dict.fromkeys(chain.from_iterable(part.names for part in self.parts)))

    @property
    def comparisons(self) -> "tuple[Comparison, ...]":
        """Those of all parts."""
        return tuple(chain.from_iterable(part.comparisons for part in self.parts))


class And(_Joined):
    """All of several conditions are fulfilled; made by `&`."""

    def __repr__(self) -> str:
        return " & ".join(_grouped(part) for part in self.parts)

    def truth(self, readings: Readings) -> Truth:
        """The least of the parts' truths."""
        return reduce(_least, (part.truth(readings) for part in self.parts))


class Or(_Joined):
    """One of several conditions is fulfilled, or more; made by `|`."""

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.parts))

    def truth(self, readings: Readings) -> Truth:
        """The greatest of the parts' truths."""
        return 1.0 - reduce(_least, (1.0 - part.truth(readings) for part in self.parts))


@dataclass(frozen=True, repr=False)
class Not(Condition):
    """A condition is not fulfilled; made by `~`."""

    part: Condition

    def __repr__(self) -> str:
        return f"~({self.part!r})" if isinstance(self.part, _Joined) else f"~{self.part!r}"

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the condition."""
        return self.part.names

    @property
    def comparisons(self) -> "tuple[Comparison, ...]":
        """Those of the condition."""
        return self.part.comparisons

    def truth(self, readings: Readings) -> Truth:
        """What the condition lacks to 1."""
        return 1.0 - self.part.truth(readings)


Comparison: TypeAlias = Is | _Comparison
"""A condition that is not made of others."""


def _grouped(part: Condition) -> str:
    return f"({part!r})" if isinstance(part, Or) else repr(part)


def _checked(other: object) -> Condition:
    if not isinstance(other, Condition):
        raise TypeError(f"a condition can only be joined to another one, e.g. Is('solver', 'adam'), not to {other!r}")
    return other


def _least(a: Truth, b: Truth) -> Truth:
    return min(a, b) if isinstance(a, float) and isinstance(b, float) else np.minimum(a, b)


def _below(a: Truth, b: Truth) -> Truth:
    """Whether a < b; unknown where one of them is NaN."""
    if isinstance(a, float) and isinstance(b, float):
        return UNKNOWN if a != a or b != b else float(a < b)
    return np.where(np.isnan(a) | np.isnan(b), UNKNOWN, np.less(a, b))


@dataclass(frozen=True)
class Conditional:
    """A parameter that exists where a condition is fulfilled, as a `Space` takes it; made by `Parameter.when`."""

    parameter: Any
    condition: Condition

    def __post_init__(self) -> None:
        if not isinstance(self.condition, Condition):
            raise TypeError(f"when() takes a condition, e.g. Is('solver', 'adam'), not {self.condition!r}")

    def __repr__(self) -> str:
        return f"{self.parameter!r}.when({self.condition!r})"
