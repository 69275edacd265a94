"""A hash embedding that can grow: its bins are the leaves of a binary tree over shuffled coordinates.

The coordinates stand in a random order; a leaf is an interval of that order and splits in the middle. Every coordinate
of a leaf takes the leaf's entry of y, with its own random sign. When a leaf splits, both halves inherit its entry, so
each point of the coarser embedding is a point of the finer one: no observation is lost by growing.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rembo.arrays import Array, Indices
from rembo.border import check_whole
from rembo.embedding.binned import Binned
from rembo.embedding.checks import check_dims, check_seed
from rembo.embedding.counter import words
from rembo.embedding.permutation import Permutation

_SIGNS = 2  # the stream of the generator that signs come from
MOST_MEMBERS = 10**6


@dataclass(frozen=True)
class TreeEmbedding(Binned):
    """x_i = s(i) y[b(i)]: b(i) is the leaf that holds coordinate i; `depths` are the leaves' depths from left to right.

    >>> tree = TreeEmbedding(10**9, depths=(1, 2, 2), seed=0)
    >>> tree.sizes.tolist()
    [500000000, 250000000, 250000000]
    """

    ambient_dim: int
    depths: tuple[int, ...] = (0,)
    seed: int = 0

    def __post_init__(self) -> None:
        check_dims(self.ambient_dim, len(self.depths))
        check_seed(self.seed)
        if self.sizes.min() < 1:
            raise ValueError(f"depths {self.depths} leave leaves without any of the {self.ambient_dim} coordinates")

    def __reduce__(self) -> tuple[type["TreeEmbedding"], tuple[int, tuple[int, ...], int]]:
        return TreeEmbedding, (self.ambient_dim, self.depths, self.seed)  # without what is cached

    def __repr__(self) -> str:
        return f"TreeEmbedding({self.ambient_dim} coordinates in {self.embedding_dim} leaves, seed={self.seed})"

    @classmethod
    def grown(cls, ambient_dim: int, leaves: int, seed: int) -> "TreeEmbedding":
        """The most even tree with so many leaves, or with one per coordinate if these are fewer."""
        tree = cls(ambient_dim, (0,), seed)
        while len(tree.depths) < min(leaves, ambient_dim):
            largest = np.argsort(-tree.sizes, kind="stable")
            tree = tree.split(largest[:1].tolist())
        return tree

    @property
    def embedding_dim(self) -> int:  # type: ignore[override]  # read-only: it follows from the depths
        """The number of leaves."""
        return len(self.depths)

    @cached_property
    def starts(self) -> Indices:
        """The first rank of each leaf; a leaf ends where the next one begins."""
        starts, right = [], [(0, self.ambient_dim, 0)]
        for depth in self.depths:
            if not right or right[-1][2] > depth:
                raise ValueError(f"depths {self.depths} are not those of a binary tree, from left to right")
            first, last, level = right.pop()
            for deeper in range(level, depth):
                middle = (first + last) // 2
                right.append((middle, last, deeper + 1))
                last = middle
            starts.append(first)
        if right:
            raise ValueError(f"depths {self.depths} are not those of a binary tree: leaves are missing at the right")
        return np.array(starts, dtype=np.int64)

    @property
    def sizes(self) -> Indices:
        """How many coordinates each leaf holds."""
        return np.diff(np.append(self.starts, self.ambient_dim))

    def bins_and_signs(self, index: Indices) -> tuple[Indices, Array]:
        """The leaf b(i) and the sign s(i) for each index."""
        rank = Permutation(self.ambient_dim, self.seed).rank(index)
        return np.searchsorted(self.starts, rank, side="right") - 1, self.signs(index)

    def signs(self, index: Indices) -> Array:
        """The sign s(i) for each index; the same in every tree of the seed."""
        return np.where(words(self.seed, index, 1, stream=_SIGNS)[:, 0] & 1, 1.0, -1.0)

    def split(self, leaves: Collection[int]) -> "TreeEmbedding":
        """The tree in which each of these leaves is two."""
        chosen = {check_whole(leaf, "leaf", 0, self.embedding_dim - 1) for leaf in leaves}
        depths: list[int] = []
        for leaf, depth in enumerate(self.depths):
            depths += [depth + 1, depth + 1] if leaf in chosen else [depth]
        return replace(self, depths=tuple(depths))

    def refines(self, coarser: "TreeEmbedding") -> bool:
        """Whether this tree is the other, or grew from it."""
        alike = (self.ambient_dim, self.seed) == (coarser.ambient_dim, coarser.seed)
        return alike and bool(np.isin(coarser.starts, self.starts).all())

    def ancestors(self, coarser: "TreeEmbedding") -> Indices:
        """For each leaf the number of the leaf of a coarser tree that it grew from: y_fine = y_coarse[ancestors]."""
        return np.searchsorted(coarser.starts, self.starts, side="right") - 1

    def members(self, leaf: int) -> Indices:
        """The coordinates that a leaf holds, in increasing order."""
        size = check_whole(int(self.sizes[leaf]), f"the size of leaf {leaf}", 1, MOST_MEMBERS)
        ranks = np.arange(self.starts[leaf], self.starts[leaf] + size, dtype=np.int64)
        return np.sort(Permutation(self.ambient_dim, self.seed).index(ranks))
