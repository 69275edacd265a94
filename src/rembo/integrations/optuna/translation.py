"""Optuna's distributions as a space of ours, and their values as what we call x.

Steps and choices are counted, 0, 1, ..., so that any choice will do, and a value is one of Optuna's to the last bit.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial

from rembo.space import (
    MOST_LEVELS,
    Categorical,
    Conditional,
    Float,
    Greater,
    Integer,
    Is,
    Less,
    Parameter,
    Scalar,
    Space,
)

_ROUNDING = 1e-9  # some databases keep fifteen digits


def is_modelled(distribution: BaseDistribution) -> bool:
    """Whether a parameter has more than one value, and not more than can be told apart."""
    return not distribution.single() and _column(distribution).levels <= MOST_LEVELS


def middle(distribution: BaseDistribution) -> Any:
    """The value in the middle of a range; of choices the middle one."""
    column = _column(distribution)
    return column.value(column.parameter.value(0.0))


@dataclass(frozen=True)
class Branch:
    """Where a parameter exists: another one has one of some values, is at least so large, or at most so large."""

    parent: str
    values: tuple[Any, ...] = ()
    at_least: int | None = None
    at_most: int | None = None


@dataclass(frozen=True)
class Translation:
    """Parameters of Optuna's by name, each with its distribution, and the space that stands for them.

    `branches` are the conditions of those that only some trials have.
    """

    distributions: Mapping[str, BaseDistribution]
    branches: Mapping[str, Branch] = field(default_factory=dict)

    @cached_property
    def space(self) -> Space:
        """The same parameters in the same order."""
        return Space({name: self._declared(name, column.parameter) for name, column in self._columns.items()})

    def params(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """What Optuna's users get at x."""
        return {name: column.value(x[name]) for name, column in self._columns.items() if name in x}

    def x(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The x of such values; the inverse of `params`."""
        return self.space.active({name: self._columns[name].ours(each) for name, each in self._ours(params).items()})

    def covers(self, trial: FrozenTrial) -> bool:
        """Whether a trial has a value for each of the parameters that exist at its values, and in the same range."""
        if any(trial.distributions[name] != self.distributions[name] for name in self._ours(trial.params)):
            return False
        inactive = self.space.rules.inactive(self.x(trial.params))
        return all(name in trial.params for name in self.distributions if name not in inactive)

    def agrees(self, x: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
        """Whether values, of which some may be missing, are those at x."""
        known = ((x[name], self._columns[name].ours(each)) for name, each in self._ours(params).items() if name in x)
        return all(math.isclose(*pair, rel_tol=_ROUNDING) for pair in known)

    def _ours(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the parameters that are searched here."""
        return {name: params[name] for name in self.distributions if name in params}

    def _declared(self, name: str, parameter: Scalar) -> Parameter | Conditional:
        if name not in self.branches:
            return parameter
        branch = self.branches[name]
        ours = self._columns[branch.parent].ours
        if branch.at_least is not None:
            return parameter.when(~Less(branch.parent, ours(branch.at_least)))
        if branch.at_most is not None:
            return parameter.when(~Greater(branch.parent, ours(branch.at_most)))
        return parameter.when(Is(branch.parent, *map(ours, branch.values)))

    @cached_property
    def _columns(self) -> dict[str, "_Column"]:
        return {name: _column(each) for name, each in self.distributions.items()}


@dataclass(frozen=True)
class _Column(ABC):
    """One of Optuna's distributions; this one parameter stands for it."""

    distribution: Any

    @property
    def levels(self) -> int:
        """How many values must be told apart; 0 for a continuum."""
        return 0

    @cached_property
    @abstractmethod
    def parameter(self) -> Scalar:
        """What stands for it in our space."""

    def value(self, ours: Any) -> Any:
        """What Optuna's users get for a value of ours."""
        return ours

    @abstractmethod
    def ours(self, value: Any) -> Any:
        """Our value for one of Optuna's; the nearest if rounding moved it."""


class _Real(_Column):
    """Real numbers."""

    @cached_property
    def parameter(self) -> Scalar:
        return Float(self.distribution.low, self.distribution.high, self.distribution.log)

    def ours(self, value: Any) -> float:
        return float(min(max(value, self.distribution.low), self.distribution.high))


class _LogInteger(_Column):
    """Whole numbers whose logarithm is searched, as if they began at 1."""

    @property
    def levels(self) -> int:
        return int(self.distribution.high)

    @cached_property
    def parameter(self) -> Scalar:
        return Integer(self.distribution.low, self.distribution.high, log=True)

    def ours(self, value: Any) -> int:
        return int(value)


class _Grid(_Column):
    """Whole or real numbers a step apart, counted."""

    @property
    def levels(self) -> int:
        return int((self.distribution.high - self.distribution.low) / self.distribution.step + 0.5) + 1

    @cached_property
    def parameter(self) -> Scalar:
        return Integer(0, self.levels - 1)

    def value(self, ours: Any) -> Any:
        return min(self.distribution.low + ours * self.distribution.step, self.distribution.high)

    def ours(self, value: Any) -> int:
        return int((value - self.distribution.low) / self.distribution.step + 0.5)


class _Choice(_Column):
    """Choices, counted."""

    @property
    def levels(self) -> int:
        return len(self.distribution.choices)

    @cached_property
    def parameter(self) -> Scalar:
        return Categorical(range(self.levels))

    def value(self, ours: Any) -> Any:
        return self.distribution.choices[ours]

    def ours(self, value: Any) -> int:
        return int(self.distribution.to_internal_repr(value))


def _column(distribution: Any) -> _Column:
    if isinstance(distribution, CategoricalDistribution):
        return _Choice(distribution)
    if distribution.log and not isinstance(distribution, FloatDistribution):
        return _LogInteger(distribution)
    return _Real(distribution) if distribution.step is None else _Grid(distribution)
