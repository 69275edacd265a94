"""A function of real numbers restricted to a grid."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.problems.problem import BoxProblem
from rembo.space import Integer, Space

MOST_POINTS = 10**6  # of the grid on the coordinates that matter, each of which is tried for the optimum


@dataclass(frozen=True)
class Discretised:
    """f on a regular grid over [-1,1]^D: x0, x1, ... count the grid points of their coordinate from 0.

    `Discretised(Padded(Branin(), 25), levels=15)` is the paper's discrete Branin: 225 points that differ (Section 4.2).
    The paper does not say where they lie.

    Parameters
    ----------
    problem : problem on a Box
        The function f.
    levels : int
        How many grid points a coordinate has.
    edges : bool
        Whether the first and the last grid point lie on the edges of [-1,1], or all in the middle of equal cells.
    """

    problem: BoxProblem
    levels: int
    edges: bool = True

    def __post_init__(self) -> None:
        check_whole(self.levels, "levels", 2)
        points = self.levels ** len(self.problem.coordinates)
        if points > MOST_POINTS:
            raise ValueError(
                f"{self.levels} levels of {len(self.problem.coordinates)} coordinates that matter are {points} points, "
                f"more than the {MOST_POINTS} that can be tried for the optimum: take fewer levels"
            )

    @property
    def grid(self) -> Array:
        """The positions of the levels in [-1,1], (levels,)."""
        last = 1.0 if self.edges else 1.0 - 1.0 / self.levels
        return np.linspace(-last, last, self.levels)

    @cached_property
    def space(self) -> Space:
        """D whole numbers from 0 to levels - 1."""
        return Space({f"x{i}": Integer(0, self.levels - 1) for i in range(self.problem.space.size)})

    @cached_property
    def optimum(self) -> float:
        """The lowest value on the grid, by trying all points that differ in a coordinate that matters."""
        matter = list(self.problem.coordinates)
        points = product(self.grid, repeat=len(matter))
        return min(self.problem(_filled(self.problem.space.size, matter, point)) for point in points)

    def __call__(self, x: Mapping[str, int]) -> float:
        """The value at a grid point."""
        return self.problem(self.grid[[x[name] for name in self.space.parameters]])


def _filled(size: int, coordinates: list[int], values: tuple[float, ...]) -> Array:
    x = np.zeros(size)
    x[coordinates] = values
    return x
