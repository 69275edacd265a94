"""A function hidden among coordinates that do not matter."""

from dataclasses import dataclass

import numpy as np

from rembo.embedding import Point
from rembo.problems.hidden import Hidden


@dataclass(frozen=True)
class Padded(Hidden):
    """f(x_1:D) = g(x_i, x_j, ...) with i, j, ... drawn by the seed: D - d_e dimensions change nothing (Section 4.1)."""

    @property
    def coordinates(self) -> list[int]:
        """Which coordinates matter, in the order in which the hidden function takes them."""
        drawn: dict[int, None] = {}
        rng = np.random.default_rng(self.seed)
        while len(drawn) < self.problem.space.size:  # a permutation's first entries, without the other 10^9
            drawn[int(rng.integers(self.ambient_dim))] = None
        return list(drawn)

    def effective(self, x: Point) -> list[float]:
        """The coordinates that matter: d_e are read."""
        return list(x[self.coordinates].tolist())
