"""Distributions of scipy.stats as parameters, the way scikit-learn's users write them.

`uniform`, `loguniform` and `randint` are ranges and become numbers of a range. Any other continuous distribution is
searched evenly in its quantiles, so that the search looks where it has its mass. They are known by their methods:
scipy.stats, which takes a second to import, is left to those who use it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rembo.integrations.searched import Fixed, Searched, choice_of
from rembo.space import Float, Integer, Parameter, Scalar, Space, stretch, unstretch

TAIL = 1e-3  # of the probability, on each side, that is not searched: at its end a quantile may be infinite


@dataclass(frozen=True)
class Quantile(Scalar):
    """A real number, searched evenly in the quantiles of a frozen distribution, 0.1 % to 99.9 %."""

    distribution: Any

    def value(self, u: float) -> float:
        """The quantile at position u in [-1,1]."""
        return float(self.distribution.ppf(stretch(u, TAIL, 1.0 - TAIL)))

    def position(self, value: Any) -> float:
        """Where in [-1,1] the number lies."""
        low, high = self.value(-1.0), self.value(1.0)
        if not low <= value <= high:
            raise ValueError(f"{value!r} lies outside the quantiles that are searched, {low} to {high}")
        return float(unstretch(self.distribution.cdf(value), TAIL, 1.0 - TAIL))


def searched_in(space: Space | Mapping[str, Any]) -> Searched:
    """What a Space says, or a dict of parameters, distributions and lists of choices."""
    if isinstance(space, Space):
        return Searched(space, {})
    if not isinstance(space, Mapping):
        raise TypeError(f"space must be a rembo.Space or a dict of parameters and distributions, not {space!r}")
    return Searched.of({name: _entry(name, given) for name, given in space.items()})


def _entry(name: str, given: Any) -> Parameter | Fixed:
    if isinstance(given, Parameter):
        return given
    if isinstance(given, (list, tuple)) and given:
        return choice_of(given)
    if hasattr(given, "ppf") and hasattr(given, "dist"):
        return _ranged(name, given)
    kinds = "a parameter of rembo's, a frozen distribution of scipy.stats or a list of choices"
    raise TypeError(f"parameter {name!r} must be {kinds}, not {given!r}")


def _ranged(name: str, distribution: Any) -> Parameter:
    low, high = distribution.support()
    match distribution.dist.name:
        case "uniform":
            return Float(float(low), float(high))
        case "loguniform" | "reciprocal":
            return Float(float(low), float(high), log=True)
        case "randint":
            return Integer(int(low), int(high))
    if hasattr(distribution.dist, "pmf"):
        raise TypeError(
            f"parameter {name!r} has the distribution {distribution.dist.name!r}, and of the discrete ones only "
            "randint is known: use rembo.Integer(low, high)"
        )
    return Quantile(distribution)
