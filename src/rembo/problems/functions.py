"""Test functions that know their box and their optimum."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


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
