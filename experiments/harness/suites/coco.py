"""Functions of COCO, the platform on which black-box optimizers are compared (Hansen et al. 2021).

COCO's objects cannot be pickled, so each process makes its own, once. A problem is freed with its suite, so the two are
kept together.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.space import Box, Float, Integer, Parameter, Space

FUNCTIONS = 24
BBOB_DIMENSIONS = (2, 3, 5, 10, 20, 40)
MIXINT_DIMENSIONS = (5, 10, 20, 40, 80, 160)
HALF_SIDE = 5.0  # bbob is searched on [-5, 5]^dim
WRITTEN = "._bbob_problem_best_parameter.txt"  # where COCO writes an optimizer, in the current folder


@dataclass(frozen=True)
class Bbob:
    """One of the 24 functions of suite bbob on [-1,1]^dim, which stands for [-5, 5]^dim.

    It is defined on all of R^dim and is nowhere below its optimum, so `Padded` and `Subspace` take it as it is.
    """

    function: int
    dim: int
    instance: int

    def __post_init__(self) -> None:
        _check(self.function, self.dim, self.instance, BBOB_DIMENSIONS)

    @property
    def space(self) -> Box:
        """[-1,1]^dim."""
        return Box(self.dim)

    @property
    def coordinates(self) -> range:
        """All of them matter."""
        return range(self.dim)

    @property
    def optimum(self) -> float:
        """The value at the optimizer."""
        return self._loaded.optimum

    @property
    def optimizer(self) -> tuple[float, ...]:
        """A place of the lowest value, in [-1,1]^dim."""
        return tuple((self._loaded.optimizer / HALF_SIDE).tolist())

    def __call__(self, x: Any) -> float:
        """The value at x, an array or a Point of dim numbers; defined outside the cube too."""
        return self._loaded(HALF_SIDE * np.asarray(x, dtype=float))

    @property
    def _loaded(self) -> "Loaded":
        return _load("bbob", self.function, self.dim, self.instance)


@dataclass(frozen=True)
class MixedInteger:
    """One of the 24 functions of suite bbob-mixint: of five parameters four are integers, of 2, 4, 8 and 16 values."""

    function: int
    dim: int
    instance: int

    def __post_init__(self) -> None:
        _check(self.function, self.dim, self.instance, MIXINT_DIMENSIONS)

    @property
    def space(self) -> Space:
        """x0, x1, ...: the integers first, then real numbers in [-5, 5]."""
        return Space({f"x{i}": parameter for i, parameter in enumerate(self._loaded.parameters)})

    @property
    def optimum(self) -> float:
        """The value at the optimizer."""
        return self._loaded.optimum

    @property
    def optimizer(self) -> dict[str, float]:
        """A place of the lowest value."""
        return {f"x{i}": value for i, value in enumerate(self._loaded.optimizer.tolist())}

    def __call__(self, x: Mapping[str, float]) -> float:
        """The value of a setting of all parameters."""
        return self._loaded(np.array([x[f"x{i}"] for i in range(self.dim)], dtype=float))

    @property
    def _loaded(self) -> "Loaded":
        return _load("bbob-mixint", self.function, self.dim, self.instance)


@dataclass(frozen=True, eq=False)
class Loaded:
    """COCO's own problem, the suite that it lives in, an optimizer, and the value there."""

    suite: Any
    problem: Any
    optimizer: Array
    optimum: float

    def __call__(self, x: Array) -> float:
        """The value at x, in COCO's units."""
        return float(self.problem(x))

    @property
    def parameters(self) -> list[Parameter]:
        """The variables in COCO's order."""
        bounds = zip(self.problem.lower_bounds.tolist(), self.problem.upper_bounds.tolist(), strict=True)
        whole = self.problem.number_of_integer_variables
        return [
            Integer(int(low), int(high)) if number < whole else Float(low, high)
            for number, (low, high) in enumerate(bounds)
        ]


@cache
def _load(suite: str, function: int, dim: int, instance: int) -> Loaded:
    """The problem, made once in each process; `instances` counts instances, COCO's `instance_indices` do not."""
    try:
        import cocoex
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("COCO needs coco-experiment: pip install 'coco-experiment>=2.8'") from missing
    found = cocoex.Suite(suite, f"instances: {instance}", f"dimensions: {dim} function_indices: {function}")
    problem = found.get_problem(0)
    optimizer = _optimizer(problem)
    return Loaded(found, problem, optimizer, float(problem(optimizer)))


def _optimizer(problem: Any) -> Array:
    """Where the problem is lowest, (dim,): COCO tells it only by a file in the current folder."""
    with tempfile.TemporaryDirectory() as folder, _inside(folder):
        problem._best_parameter("print")
        return np.array(Path(WRITTEN).read_text().split(), dtype=float)


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    """The block runs in another folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _check(function: int, dim: int, instance: int, dimensions: Sequence[int]) -> None:
    check_whole(function, "function", 1, FUNCTIONS)
    check_whole(instance, "instance", 1)
    if dim not in dimensions:
        raise ValueError(f"dim {dim} is not one that COCO has: choose from {', '.join(map(str, dimensions))}")
