"""Parameters whose values are listed: `Categorical` and `Bool`, which have no order, and `Ordinal`, which has one."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rembo.space.parameter import Scalar, middle_of
from rembo.space.shown import shown

_OF_NUMPY = (np.bool_, np.integer, np.floating, np.str_)


@dataclass(frozen=True)
class Categorical(Scalar):
    """One of several choices without an order; each gets an equal share of [-1,1].

    >>> Categorical(["adam", "sgd", "lbfgs"]).value(-0.9)
    'adam'
    """

    choices: Sequence[Hashable]

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", _listed(self.choices, "Categorical", "choice"))

    def __reduce__(self) -> tuple[type["Categorical"], tuple[Sequence[Hashable]]]:
        return Categorical, (self.choices,)  # without what is cached

    def __repr__(self) -> str:
        return f"Categorical(choices={shown(self.choices)})"

    @property
    def levels(self) -> int:
        """The number of choices."""
        return len(self.choices)

    @property
    def ordered(self) -> bool:
        """Choices have no order."""
        return False

    @property
    def middle(self) -> Any:
        """The first choice: without an order none is in the middle."""
        return self.choices[0]

    def value(self, u: float) -> Any:
        """The choice whose share of [-1,1] holds u."""
        return self.choices[int(self.code(np.array(u)))]

    def position(self, value: Any) -> float:
        """The middle of the choice's share of [-1,1]."""
        try:
            number = self._numbers.get(value)
        except TypeError:  # what cannot be hashed is no choice
            number = None
        if number is None:
            raise ValueError(f"{value!r} is none of the choices {shown(list(self.choices))}")
        return (2.0 * number + 1.0) / self.levels - 1.0

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        """The number of each choice."""
        return {choice: number for number, choice in enumerate(self.choices)}


@dataclass(frozen=True)
class Ordinal(Scalar):
    """One of several values in an order, words or numbers: neighbours are alike; each gets an equal share of [-1,1].

    Parameters
    ----------
    values
        At least two, from one end to the other, e.g. `["low", "middle", "high"]` or `[1, 2, 5, 10]`.

    Examples
    --------
    >>> [Ordinal(["low", "middle", "high"]).value(u) for u in (-1.0, 0.0, 1.0)]
    ['low', 'middle', 'high']
    """

    values: Sequence[Hashable]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _listed(self.values, "Ordinal", "value"))

    def __repr__(self) -> str:
        return f"Ordinal(values={shown(self.values)})"

    @property
    def levels(self) -> int:
        """The number of values."""
        return len(self.values)

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values)

    def value(self, u: float) -> Any:
        """The value whose share of [-1,1] holds u."""
        return self.values[int(self.code(np.array(u)))]

    def position(self, value: Any) -> float:
        """The middle of the value's share of [-1,1]."""
        if not isinstance(value, Hashable) or value not in self.values:
            raise ValueError(f"{value!r} is none of the values {shown(list(self.values))}")
        return float(middle_of(np.array(self.values.index(value)), self.levels))

    def reals(self, value: Any) -> None:
        """Values are listed: positions give them back."""


@dataclass(frozen=True)
class Bool(Scalar):
    """False on the lower half of [-1,1], True on the upper."""

    @property
    def levels(self) -> int:
        """Two."""
        return 2

    @property
    def ordered(self) -> bool:
        """False and True are two choices."""
        return False

    @property
    def middle(self) -> bool:
        """False, as the first of two choices."""
        return False

    def value(self, u: float) -> bool:
        """Whether u lies in the upper half."""
        return bool(self.code(np.array(u)))

    def position(self, value: Any) -> float:
        """The middle of the half that stands for `value`."""
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"the value of a Bool must be True or False, not {value!r}")
        return 0.5 if value else -0.5


def _listed(given: Any, kind: str, word: str) -> tuple[Hashable, ...]:
    """The values of a parameter that lists them, as a file gives them back, or an error that calls each a `word`."""
    if isinstance(given, (str, set, frozenset)) or not isinstance(given, Iterable):
        raise TypeError(f"{kind} {word}s must be a list, not {given!r}: write {kind}(['a', 'b'])")
    values = tuple(map(_plain, given))
    if len(values) < 2:
        raise ValueError(
            f"{kind}({word}s={shown(values)}) needs at least 2 {word}s: leave a fixed parameter out of the space"
        )
    try:
        counts = Counter(values)
    except TypeError as unhashable:
        raise TypeError(f"{kind} {word}s must be hashable, e.g. strings or tuples: {unhashable}") from None
    value, count = counts.most_common(1)[0]
    if count > 1:
        raise ValueError(f"{kind} {word} {value!r} stands more than once: name each {word} once")
    return values


def _plain(choice: Any) -> Any:
    """A choice as a file gives it back: what NumPy makes of a number or a word is Python's own."""
    if type(choice) is tuple:
        return tuple(map(_plain, choice))
    plain = choice.item() if isinstance(choice, _OF_NUMPY) else choice
    if isinstance(plain, float) and math.isnan(plain):
        raise ValueError("NaN is not equal to itself, and no Categorical choice: use None or a word, e.g. 'nan'")
    return plain
