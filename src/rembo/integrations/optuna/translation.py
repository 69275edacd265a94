"""Optuna's distributions as a space of ours, and their values as what we call x.

Steps and choices are counted, 0, 1, ..., so that any choice will do, and a value is one of Optuna's to the last bit.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution

from rembo.space import MOST_LEVELS, Categorical, Float, Integer, Scalar, Space

_ROUNDING = 1e-9  # some databases keep fifteen digits


def is_modelled(distribution: BaseDistribution) -> bool:
    """Whether a parameter has more than one value, and not more than can be told apart."""
    return not distribution.single() and (_is_real(distribution) or _levels(distribution) <= MOST_LEVELS)


def middle(distribution: BaseDistribution) -> Any:
    """The value in the middle of a range; of choices the middle one."""
    return _value(distribution, _parameter(distribution).value(0.0))


@dataclass(frozen=True)
class Translation:
    """Parameters of Optuna's by name, each with its distribution, and the space that stands for them."""

    distributions: Mapping[str, BaseDistribution]

    @cached_property
    def space(self) -> Space:
        """The same parameters in the same order."""
        return Space({name: _parameter(each) for name, each in self.distributions.items()})

    def params(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """What Optuna's users get at x."""
        return {name: _value(each, x[name]) for name, each in self.distributions.items()}

    def x(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The x of such values; the inverse of `params`."""
        return {name: _ours(each, params[name]) for name, each in self.distributions.items()}

    def covers(self, distributions: Mapping[str, BaseDistribution]) -> bool:
        """Whether a trial with these distributions has a value for each of the parameters."""
        return all(distributions.get(name) == each for name, each in self.distributions.items())

    def agrees(self, x: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
        """Whether values, of which some may be missing, are those at x."""
        known = ((x[name], _ours(each, params[name])) for name, each in self.distributions.items() if name in params)
        return all(math.isclose(*pair, rel_tol=_ROUNDING) for pair in known)


def _is_real(distribution: Any) -> bool:
    return isinstance(distribution, FloatDistribution) and distribution.step is None


def _levels(distribution: Any) -> int:
    if isinstance(distribution, CategoricalDistribution):
        return len(distribution.choices)
    return round((distribution.high - distribution.low) / distribution.step) + 1


def _parameter(distribution: Any) -> Scalar:
    if isinstance(distribution, CategoricalDistribution):
        return Categorical(range(len(distribution.choices)))
    if _is_real(distribution):
        return Float(distribution.low, distribution.high, distribution.log)
    if distribution.log:
        return Integer(distribution.low, distribution.high, log=True)
    return Integer(0, _levels(distribution) - 1)


def _value(distribution: Any, ours: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[ours]
    if _is_real(distribution) or distribution.log:
        return ours
    return min(distribution.low + ours * distribution.step, distribution.high)


def _ours(distribution: Any, value: Any) -> Any:
    number = distribution.to_internal_repr(value)
    if _is_real(distribution):
        return min(max(number, distribution.low), distribution.high)
    if distribution.log or isinstance(distribution, CategoricalDistribution):
        return round(number)
    return round((number - distribution.low) / distribution.step)
