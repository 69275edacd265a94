"""A function hidden among coordinates that do not matter."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rembo.border import check_whole
from rembo.embedding import Point
from rembo.space import Box


class Problem(Protocol):
    """A function of x in [-1,1]^dim that knows its lowest value there."""

    @property
    def dim(self) -> int:
        """The number of coordinates."""

    @property
    def optimum(self) -> float:
        """The lowest value in the box."""

    def __call__(self, x: list[float]) -> float:
        """The value at x."""


@dataclass(frozen=True)
class Padded:
    """f(x_1:D) = g(x_i, x_j, ...) with i, j, ... drawn by the seed: D - d_e dimensions change nothing (Section 4.1)."""

    problem: Problem
    ambient_dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(self.ambient_dim, "ambient_dim", self.problem.dim)

    @property
    def space(self) -> Box:
        """[-1,1]^D."""
        return Box(self.ambient_dim)

    @property
    def optimum(self) -> float:
        """That of the hidden function."""
        return self.problem.optimum

    @property
    def coordinates(self) -> list[int]:
        """Which coordinates matter, in the order in which the hidden function takes them."""
        drawn: dict[int, None] = {}
        rng = np.random.default_rng(self.seed)
        while len(drawn) < self.problem.dim:  # a permutation's first entries, without the other 10^9
            drawn[int(rng.integers(self.ambient_dim))] = None
        return list(drawn)

    def __call__(self, x: Point) -> float:
        """The value at x; reads d_e coordinates."""
        return self.problem(x[self.coordinates].tolist())
