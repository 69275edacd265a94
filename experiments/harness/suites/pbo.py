"""IOHprofiler's pseudo-Boolean problems (Doerr et al. 2020), from the package ioh, negated: it maximises them.

An instance above 1 flips bits that it draws, up to 50, or shuffles them, and stretches and shifts all values, by the
same numbers for every problem.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from rembo.border import check_whole
from rembo.space import Bool, Space

INSTANCES = 100
MANY = 1000  # bits: far from 1, so that a line through both ends is exact to 1e-12 or so
# What ioh leaves open and others proved: the merit factor of the best sequences of 64 (Packebusch and Mertens 2016).
PROVEN: Mapping[tuple[str, int], float] = MappingProxyType({("LABS", 64): 64**2 / (2 * 208)})


@dataclass(frozen=True)
class PseudoBoolean:
    """f(x) = -g(x), where g is the problem that ioh calls by this name.

    The optimum is the one that ioh states for instance 1, or one that was proven elsewhere, stretched and shifted as
    the instance's values are; what ioh states for other instances is wrong for MIS.
    """

    name: str
    dim: int
    instance: int

    def __post_init__(self) -> None:
        check_whole(self.dim, "dim", 1)
        check_whole(self.instance, "instance", 1, INSTANCES)

    @property
    def space(self) -> Space:
        """Bits x0, x1, ..."""
        return Space({f"x{i}": Bool() for i in range(self.dim)})

    @property
    def optimum(self) -> float:
        """The lowest value, or a ValueError where nobody knows it."""
        stated = PROVEN.get((self.name, self.dim), _load(self.name, self.dim, 1).optimum.y)
        if stated == float("inf"):
            raise ValueError(f"the optimum of {self.name} with {self.dim} bits is not known: take another problem")
        return -_transformed(stated, self.instance)

    def __call__(self, x: Mapping[str, bool]) -> float:
        """The value of a setting of all bits."""
        return -float(_load(self.name, self.dim, self.instance)([int(x[f"x{i}"]) for i in range(self.dim)]))


def _transformed(value: float, instance: int) -> float:
    """The value that an instance gives to what has `value` in instance 1: read off OneMax, whose optimum is dim."""
    low, high = (_load("OneMax", dim, instance).optimum.y for dim in (1, MANY))
    return float(low + (value - 1.0) * (high - low) / (MANY - 1.0))


@cache
def _load(name: str, dim: int, instance: int) -> Any:
    """ioh's problem, made once in each process."""
    try:
        import ioh
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("PBO needs ioh: pip install 'ioh>=0.3.22'") from missing
    known = ioh.ProblemClass.PBO.problems
    if name not in known.values():
        raise ValueError(f"{name!r} is not a problem of PBO: choose from {', '.join(known.values())}")
    return ioh.get_problem(name, instance, dim, ioh.ProblemClass.PBO)
