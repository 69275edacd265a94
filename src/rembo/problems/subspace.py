"""A function of a few random directions, none of them a coordinate axis."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Point
from rembo.problems.hidden import Hidden


@dataclass(frozen=True)
class Subspace(Hidden):
    """f(x_1:D) = g(B x) with d_e orthonormal rows drawn by the seed: Branin in D = 25 is the paper's rotated Branin.

    B is uniformly distributed, so it is the first d_e rows of a random rotation; the others are never made. With
    D = d_e it is a whole rotation. B x can leave the hidden function's box, and an optimizer of the hidden function
    far from its centre may be out of reach of x in [-1,1]^D when D is close to d_e.
    """

    @property
    def coordinates(self) -> range:
        """All of them matter a little."""
        return range(self.ambient_dim)

    @cached_property
    def directions(self) -> Array:
        """B, (d_e, D)."""
        normal = np.random.default_rng(self.seed).standard_normal((self.ambient_dim, self.problem.space.size))
        Q, R = np.linalg.qr(normal)
        return np.asarray((Q * np.sign(np.diag(R))).T)  # with these signs Q is uniformly distributed

    def effective(self, x: Point) -> list[float]:
        """B x: all D coordinates are read."""
        return list((self.directions @ np.asarray(x)).tolist())
