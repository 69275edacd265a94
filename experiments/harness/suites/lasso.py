"""LassoBench's synthetic functions (Sehic et al. 2022): the penalty of each coefficient of a sparse regression."""

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from rembo.space import Box

DIMENSIONS = MappingProxyType({"synt_simple": 60, "synt_medium": 100, "synt_high": 300, "synt_hard": 1000})


@dataclass(frozen=True)
class Lasso:
    """The cross-validation loss over that of the true coefficients, on [-1,1]^D, without noise.

    There is one instance of each, the published one. Its lowest value is not known: `optimum` is 0, below which no
    loss can be, so a gap is the value itself.
    """

    name: str
    optimum: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in DIMENSIONS:
            raise ValueError(f"{self.name!r} is not a function of LassoBench: choose from {', '.join(DIMENSIONS)}")

    @property
    def space(self) -> Box:
        """[-1,1]^D, the logarithms of the penalties."""
        return Box(DIMENSIONS[self.name])

    def __call__(self, x: Any) -> float:
        """The loss at x, an array or a Point of D numbers."""
        return float(_load(self.name).evaluate(np.asarray(x, dtype=float)))


@cache
def _load(name: str) -> Any:
    """LassoBench's object, made once in each process."""
    try:
        from LassoBench.LassoBench import SyntheticBenchmark
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("LassoBench is missing: pip install --pre lasso-bench-fork-leoiv") from missing
    return SyntheticBenchmark(pick_bench=name)
