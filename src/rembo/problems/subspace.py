"""A function of a few random directions, none of them a coordinate axis."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import Point
from rembo.problems.padded import Problem
from rembo.space import Box


@dataclass(frozen=True)
class Subspace:
    """f(x_1:D) = g(B x) with d_e orthonormal rows drawn by the seed: Branin in D = 25 is the paper's rotated Branin.

    B is uniformly distributed, so it is the first d_e rows of a random rotation; the others are never made.
    """

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

    @cached_property
    def directions(self) -> Array:
        """B, (d_e, D)."""
        normal = np.random.default_rng(self.seed).standard_normal((self.ambient_dim, self.problem.dim))
        Q, R = np.linalg.qr(normal)
        return np.asarray((Q * np.sign(np.diag(R))).T)  # with these signs Q is uniformly distributed

    def __call__(self, x: Point) -> float:
        """The value at x; reads all D coordinates."""
        return self.problem((self.directions @ np.asarray(x)).tolist())
