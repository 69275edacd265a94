"""Test functions that know their box and their optimum."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Branin:
    """Branin's function of two variables on [-1,1]^2, which stands for x_1 in [-5, 10] and x_2 in [0, 15].

    It has three global minima, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475). Section 4.1 of the paper.
    """

    dim: int = 2
    optimum: float = 0.397887357729738

    def __call__(self, x: Sequence[float]) -> float:
        """The value at x in [-1,1]^2; defined outside the box too."""
        x1, x2 = 2.5 + 7.5 * x[0], 7.5 + 7.5 * x[1]
        bowl = x2 - 5.1 / (4.0 * math.pi**2) * x1**2 + 5.0 / math.pi * x1 - 6.0
        return bowl**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * math.cos(x1) + 10.0

    @property
    def optimizers(self) -> tuple[tuple[float, float], ...]:
        """The three minima, in [-1,1]^2."""
        minima = ((-math.pi, 12.275), (math.pi, 2.275), (3.0 * math.pi, 2.475))
        return tuple(((x1 - 2.5) / 7.5, (x2 - 7.5) / 7.5) for x1, x2 in minima)


@dataclass(frozen=True)
class Hartmann6:
    """Hartmann's function of six variables on [-1,1]^6, which stands for [0,1]^6: four wells, one of them deepest."""

    dim: int = 6
    optimum: float = -3.32236801141551

    def __call__(self, x: Sequence[float]) -> float:
        """The value at x in [-1,1]^6."""
        unit = (np.asarray(x) + 1.0) / 2.0
        return -float(_WEIGHTS @ np.exp(-np.sum(_STEEPNESS * (unit - _CENTERS) ** 2, axis=1)))

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """The deepest point, in [-1,1]^6."""
        unit = (0.20168950, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730053)
        return (tuple(2.0 * u - 1.0 for u in unit),)


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
