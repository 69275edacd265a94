"""Wildlife corridors: which parcels of a grid to buy, so that reserves are connected within a budget (Section 4.3).

The connection subgraph problem behind the CORLAT instances of the paper, which are not public; here an instance is a
function of its size, its seed and its slack. What a solver says is checked here without any help of the solver.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra, minimum_spanning_tree

from rembo.arrays import Indices
from rembo.border import check_whole

RESERVES = 3
DEAREST, MOST_USEFUL = 10, 10


@dataclass(frozen=True)
class Parcels:
    """What is drawn: a cost and a utility for each parcel, both zero at the reserves; the first reserve is the root."""

    costs: Indices
    utilities: Indices
    reserves: tuple[int, ...]


@dataclass(frozen=True)
class Corridor:
    """`size` x `size` parcels, numbered row by row; the budget is 1 + slack times what connecting the reserves takes.

    That is the weight of the minimum spanning tree over the cheapest paths between reserves: it can always be paid.
    """

    size: int
    seed: int = 0
    slack: float = 1.0

    def __post_init__(self) -> None:
        check_whole(self.size, "size", 2)
        check_whole(self.seed, "seed", 0)
        if not 0.0 <= self.slack < math.inf:
            raise ValueError(f"slack {self.slack} must be a finite number, at least 0")

    @property
    def count(self) -> int:
        """The number of parcels."""
        return self.size**2

    @cached_property
    def parcels(self) -> Parcels:
        """Costs and utilities, uniform from 1 to 10, and three reserves."""
        rng = np.random.default_rng(self.seed)
        costs = rng.integers(1, DEAREST + 1, self.count)
        utilities = rng.integers(1, MOST_USEFUL + 1, self.count)
        reserves = rng.choice(self.count, RESERVES, replace=False)
        costs[reserves] = utilities[reserves] = 0
        return Parcels(costs, utilities, tuple(reserves.tolist()))

    @cached_property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """From each parcel to each of its at most four neighbours."""
        return tuple((parcel, other) for parcel in range(self.count) for other in self._neighbours(parcel))

    @cached_property
    def budget(self) -> int:
        """What the parcels of a corridor may cost together."""
        return math.ceil((1.0 + self.slack) * self._spanning_cost())

    def utility(self, chosen: Collection[int]) -> int:
        """What parcels are worth together."""
        return int(self.parcels.utilities[list(chosen)].sum())

    def fault(self, chosen: Collection[int]) -> str | None:
        """What keeps parcels from being a corridor, in words; None if they are one."""
        cost = int(self.parcels.costs[list(chosen)].sum())
        if cost > self.budget:
            return f"the parcels cost {cost}, more than the budget of {self.budget}"
        missing = [reserve for reserve in self.parcels.reserves if reserve not in chosen]
        if missing:
            return f"the reserve {missing[0]} is left out"
        apart = set(chosen) - self._reached(chosen)
        return f"the parcel {min(apart)} is not connected with the reserves" if apart else None

    def _neighbours(self, parcel: int) -> Iterator[int]:
        row, column = divmod(parcel, self.size)
        for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
            if 0 <= row + down < self.size and 0 <= column + right < self.size:
                yield (row + down) * self.size + column + right

    def _spanning_cost(self) -> int:
        """The cost of a tree of cheapest paths that connects the reserves."""
        tails, heads = np.array(self.arcs).T
        step = self.parcels.costs[heads] + 1e-6  # a reserve costs nothing, and what costs nothing is taken for no arc
        graph = coo_array((step, (tails, heads)), shape=(self.count, self.count)).tocsr()
        reserves = list(self.parcels.reserves)
        return round(float(minimum_spanning_tree(dijkstra(graph, indices=reserves)[:, reserves]).sum()))

    def _reached(self, chosen: Collection[int]) -> set[int]:
        """The chosen parcels that can be reached from the root through chosen parcels."""
        reached, edge = set[int](), {self.parcels.reserves[0]}
        while edge:
            reached |= edge
            edge = {other for parcel in edge for other in self._neighbours(parcel) if other in chosen} - reached
        return reached
