"""Test functions that know their box, their optimum and their optimizers.

Each is defined on all of R^dim and is nowhere lower outside its box than inside, which `Shifted` relies on.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.space import Box, stretch


@dataclass(frozen=True)
class Function(ABC):
    """A function on the cube [-1,1]^dim, which stands for the box that is usual for it."""

    dim: int
    optimum: float = field(default=0.0, init=False)

    @property
    def space(self) -> Box:
        """[-1,1]^dim."""
        return Box(self.dim)

    @property
    def coordinates(self) -> range:
        """All of them matter."""
        return range(self.dim)

    @property
    @abstractmethod
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """The places of the lowest value, in [-1,1]^dim."""

    @abstractmethod
    def __call__(self, x: Sequence[float] | Array) -> float:
        """The value at x in [-1,1]^dim; defined outside the box too."""


@dataclass(frozen=True)
class Branin(Function):
    """Branin's function of two variables on [-1,1]^2, which stands for x_1 in [-5, 10] and x_2 in [0, 15].

    It has three global minima, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475). Section 4.1 of the paper.
    """

    dim: int = field(default=2, init=False)
    optimum: float = field(default=0.397887357729738, init=False)

    def __call__(self, x: Sequence[float] | Array) -> float:
        """The value at x in [-1,1]^2; defined outside the box too."""
        x1, x2 = 2.5 + 7.5 * x[0], 7.5 + 7.5 * x[1]
        bowl = x2 - 5.1 / (4.0 * math.pi**2) * x1**2 + 5.0 / math.pi * x1 - 6.0
        return float(bowl**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * math.cos(x1) + 10.0)

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """The three minima, in [-1,1]^2."""
        minima = ((-math.pi, 12.275), (math.pi, 2.275), (3.0 * math.pi, 2.475))
        return tuple(((x1 - 2.5) / 7.5, (x2 - 7.5) / 7.5) for x1, x2 in minima)


@dataclass(frozen=True)
class Hartmann6(Function):
    """Hartmann's function of six variables on [-1,1]^6, which stands for [0,1]^6: four wells, one of them deepest."""

    dim: int = field(default=6, init=False)
    optimum: float = field(default=-3.32236801141551, init=False)

    def __call__(self, x: Sequence[float] | Array) -> float:
        """The value at x in [-1,1]^6."""
        unit = (np.asarray(x) + 1.0) / 2.0
        return -float(_WEIGHTS @ np.exp(-np.sum(_STEEPNESS * (unit - _CENTERS) ** 2, axis=1)))

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """The deepest point, in [-1,1]^6."""
        unit = (0.20168950, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730053)
        return (tuple(2.0 * u - 1.0 for u in unit),)


@dataclass(frozen=True)
class Levy(Function):
    """Levy's function on [-1,1]^dim, which stands for [-10, 10]^dim: 0 at (1, ..., 1), with waves all around."""

    def __post_init__(self) -> None:
        check_whole(self.dim, "Levy dim", 1)

    def __call__(self, x: Sequence[float] | Array) -> float:
        """sin^2(pi w_1) + sum_i (w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1)) + (w_d - 1)^2 (1 + sin^2(2 pi w_d))."""
        w = 1.0 + (10.0 * np.asarray(x) - 1.0) / 4.0
        inner = (w[:-1] - 1.0) ** 2 * (1.0 + 10.0 * np.sin(math.pi * w[:-1] + 1.0) ** 2)
        last = (w[-1] - 1.0) ** 2 * (1.0 + np.sin(2.0 * math.pi * w[-1]) ** 2)
        return float(np.sin(math.pi * w[0]) ** 2 + inner.sum() + last)

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """(1, ..., 1), in [-1,1]^dim."""
        return ((0.1,) * self.dim,)


@dataclass(frozen=True)
class Ackley(Function):
    """Ackley's function on [-1,1]^dim, which stands for [-32.768, 32.768]^dim: a narrow funnel in a rugged plain.

    Its optimum, 0, is the centre of the box, where many searches begin: wrap it in `Shifted`.
    """

    def __post_init__(self) -> None:
        check_whole(self.dim, "Ackley dim", 1)

    def __call__(self, x: Sequence[float] | Array) -> float:
        """20 (1 - exp(-0.2 rms(z))) + e - exp(mean cos(2 pi z))."""
        z = 32.768 * np.asarray(x)
        funnel = -math.expm1(-0.2 * math.sqrt(float(np.mean(z**2))))
        return 20.0 * funnel + math.e - math.exp(float(np.mean(np.cos(2.0 * math.pi * z))))

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """The centre of the box."""
        return ((0.0,) * self.dim,)


@dataclass(frozen=True)
class Rosenbrock(Function):
    """Rosenbrock's valley on [-1,1]^dim, which stands for [-5, 10]^dim: 0 at (1, ..., 1), at the end of a bend."""

    def __post_init__(self) -> None:
        check_whole(self.dim, "Rosenbrock dim", 2)

    def __call__(self, x: Sequence[float] | Array) -> float:
        """sum_i 100 (z_i+1 - z_i^2)^2 + (1 - z_i)^2."""
        z = stretch(np.asarray(x), -5.0, 10.0)
        return float(np.sum(100.0 * (z[1:] - z[:-1] ** 2) ** 2 + (1.0 - z[:-1]) ** 2))

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """(1, ..., 1), in [-1,1]^dim."""
        return ((-0.2,) * self.dim,)


@dataclass(frozen=True)
class Rastrigin(Function):
    """Rastrigin's function on [-1,1]^dim, which stands for [-5.12, 5.12]^dim: a bowl with a dent at each whole number.

    Its optimum, 0, is the centre of the box, where many searches begin: wrap it in `Shifted`.
    """

    def __post_init__(self) -> None:
        check_whole(self.dim, "Rastrigin dim", 1)

    def __call__(self, x: Sequence[float] | Array) -> float:
        """sum_i z_i^2 + 10 (1 - cos(2 pi z_i))."""
        z = 5.12 * np.asarray(x)
        return float(np.sum(z**2 + 10.0 * (1.0 - np.cos(2.0 * math.pi * z))))

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """The centre of the box."""
        return ((0.0,) * self.dim,)


_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_STEEPNESS = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
_CENTERS = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)
