"""The embedding that grows, for parameters of all kinds: a tree for the numbers, one for the bits, one for each L.

A leaf with several coordinates moves them together, away from a centre: the numbers of a leaf all go the same part of
the way to one or the other end of their ranges, its choices all go the same number of places on from where they stand
at the centre. A leaf with a single coordinate is that parameter itself. The centre is the user's own starting point, or
else the middle of the ranges and random choices.

Near a user's starting point few coordinates change: in a forest that is `near` its centre, coordinate i of a shared
leaf leaves it only where |u| > t(i), with random thresholds t of which a part |u|^4 lies below |u|. Choices leave it
for positive u or for negative ones, by their signs, and then go round.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rembo.arrays import Array, Indices, Mask
from rembo.border import check_whole
from rembo.embedding.counter import uniforms, words
from rembo.embedding.layout import Layout
from rembo.embedding.point import Point
from rembo.embedding.region import Region
from rembo.embedding.tree import TreeEmbedding
from rembo.space import level_at, middle_of

_ROUNDING = 1e-9  # in [-1,1]
_PLACES, _THRESHOLDS = 4, 5  # the streams of the generator that random choices and thresholds come from


@dataclass(frozen=True, eq=False)
class _Spot:
    """Some coordinates of one kind: their numbers in the space and within the kind, and whether they share a leaf."""

    kind: int
    index: Indices
    within: Indices
    shared: Mask


@dataclass(frozen=True)
class Forest:
    """Trees over the kinds of a layout, one after the other; y has an entry in [-1,1] for each leaf of each tree.

    >>> Forest.planted(Layout.numbers(10**9), leaves=4, seed=0).sizes.tolist()
    [250000000, 250000000, 250000000, 250000000]
    """

    layout: Layout
    trees: tuple[TreeEmbedding, ...]
    center: Point | None = None
    near: bool | None = field(default=None, metadata={"later": True})  # files of forests are older

    def __reduce__(self) -> tuple[type["Forest"], tuple[Any, ...]]:
        return Forest, (self.layout, self.trees, self.center, self.near)  # without what is cached

    def __repr__(self) -> str:
        return f"Forest({self.ambient_dim} coordinates in {self.embedding_dim} bins, seed={self.seed})"

    def __post_init__(self) -> None:
        sizes = tuple(tree.ambient_dim for tree in self.trees)
        if sizes != self.layout.sizes:
            raise ValueError(f"trees over {sizes} coordinates do not fit a layout of {self.layout.sizes}")
        if self.center is not None and len(self.center) != self.ambient_dim:
            raise ValueError(f"the centre has {len(self.center)} coordinates, the layout {self.ambient_dim}")

    @classmethod
    def planted(
        cls,
        layout: Layout,
        leaves: int,
        seed: int,
        *,
        choices: int | None = None,
        center: Point | None = None,
        near: bool | None = None,
    ) -> "Forest":
        """The most even trees with so many leaves: the tree of numbers `leaves`, those of choices as many as `choices`.

        The latter are divided among kinds by size, but each gets at least one; without a number it is `leaves`, too.
        """
        total = sum(size for kind, size in zip(layout.kinds, layout.sizes, strict=True) if kind)
        given = leaves if choices is None else choices
        counts = [leaves if kind == 0 else max(1, given * size // total) for kind, size in _pairs(layout)]
        trees = (
            TreeEmbedding.grown(size, count, seed) for (_, size), count in zip(_pairs(layout), counts, strict=True)
        )
        return cls(layout, tuple(trees), center, near)

    @property
    def ambient_dim(self) -> int:
        """D."""
        return self.layout.ambient_dim

    @cached_property
    def embedding_dim(self) -> int:
        """The number of leaves of all trees."""
        return sum(tree.embedding_dim for tree in self.trees)

    @property
    def seed(self) -> int:
        """What the shuffles, signs and random choices are drawn from."""
        return self.trees[0].seed

    @property
    def region(self) -> Region:
        """[-1,1]^d."""
        return Region(self.embedding_dim, 1.0)

    @cached_property
    def sizes(self) -> Indices:
        """How many coordinates each leaf holds."""
        return np.concatenate([tree.sizes for tree in self.trees])

    @cached_property
    def choices(self) -> Indices:
        """The number of choices that each leaf has, 0 if it takes any number: near a centre, where it is shared."""
        counts = [tree.embedding_dim for tree in self.trees]
        choices = np.repeat(np.array(self.layout.kinds, dtype=np.int64), counts)
        return np.where(self.sizes > 1, 0, choices) if self.near else choices

    @cached_property
    def origin(self) -> Array:
        """The y of the centre, (d,): what is evaluated first."""
        first_places = middle_of(np.zeros(self.embedding_dim), np.maximum(self.choices, 1))
        y = np.where((self.choices == 0) | bool(self.near), 0.0, first_places)
        for leaf in np.flatnonzero(self.sizes == 1):
            y[leaf] = self._read(self._alone(int(leaf), 1), y[leaf : leaf + 1])[0]
        return np.asarray(y)

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of the point of [-1,1]^D that y stands for, (len(index),)."""
        located = self.layout.locate(index)
        x = np.empty(len(index))
        for kind, tree in enumerate(self.trees):
            here = located.kinds == kind
            if here.any():
                within = located.within[here]
                leaves, _ = tree.bins_and_signs(within)
                spot = _Spot(kind, index[here], within, tree.sizes[leaves] > 1)
                x[here] = self._read(spot, y[self._first[kind] + leaves])
        return x

    def preimage(self, x: Array) -> Array:
        """The y of a whole x, (D,), or a ValueError: coordinates that share a leaf may not contradict each other."""
        y, miss, _ = self._solved(x, np.arange(self.ambient_dim, dtype=np.int64))
        if not miss.max() <= _ROUNDING:
            raise ValueError(
                f"coordinates that share one of the {self.embedding_dim} bins differ by {miss.max():.2g} in x: "
                "only its own points can be told; Growing(space, x0=x) starts from x, BayesOpt takes any point"
            )
        return y

    def separating(self, x: Array, most: int) -> "Forest":
        """This forest with the leaves split whose coordinates contradict each other at a whole x, (D,).

        It has a preimage of x then. If that takes more than `most` leaves, the forest is as it is.
        """
        finer, inside = self, np.arange(self.ambient_dim, dtype=np.int64)  # the coordinates of leaves that were split
        while finer.embedding_dim <= most:
            _, miss, leaves = finer._solved(x, inside)
            torn = np.unique(leaves[miss > _ROUNDING])
            if not len(torn):
                return finer
            inside = inside[np.isin(leaves, torn)]
            finer = finer.split(torn.tolist())
        return self

    def _solved(self, x: Array, index: Indices) -> tuple[Array, Array, Indices]:
        """The y that fits a whole x, (D,), best in the leaves that the coordinates `index`, (k,), fill; 0 in others.

        By how much it misses each of these coordinates, and its leaf, both (k,).
        """
        located, x = self.layout.locate(index), x[index]
        y, all_leaves = np.zeros(self.embedding_dim), np.empty(len(index), dtype=np.int64)
        for kind, tree in enumerate(self.trees):
            here = located.kinds == kind
            if not here.any():
                continue
            leaves, _ = tree.bins_and_signs(located.within[here])
            spot = _Spot(kind, index[here], located.within[here], tree.sizes[leaves] > 1)
            u = self._written(spot, x[here], leaves)
            moved = np.abs(x[here] - self._middles(spot))  # a number with no room to move says little about y
            farthest = np.argsort(moved, kind="stable")
            all_leaves[here] = self._first[kind] + leaves
            y[self._first[kind] + leaves[farthest]] = u[farthest]
        return y, np.abs(self.image(y, index) - x), all_leaves

    def split(self, leaves: Collection[int]) -> "Forest":
        """The forest in which each of these leaves is two."""
        leaves = [check_whole(leaf, "leaf", 0, self.embedding_dim - 1) for leaf in leaves]
        trees = []
        for first, tree in zip(self._first, self.trees, strict=True):
            trees.append(tree.split([leaf - first for leaf in leaves if first <= leaf < first + tree.embedding_dim]))
        return replace(self, trees=tuple(trees))

    @property
    def resolved(self) -> "Forest":
        """The forest in which every coordinate is alone in its leaf."""
        forest = self
        while (forest.sizes > 1).any():
            forest = forest.split(np.flatnonzero(forest.sizes > 1).tolist())
        return forest

    def refines(self, coarser: "Forest") -> bool:
        """Whether this forest is the other, or grew from it."""
        alike = (self.layout, self.center, self.near) == (coarser.layout, coarser.center, coarser.near)
        return alike and all(fine.refines(coarse) for fine, coarse in zip(self.trees, coarser.trees, strict=True))

    def ancestors(self, coarser: "Forest") -> Indices:
        """For each leaf the number of the leaf of a coarser forest that it grew from."""
        pairs = zip(self.trees, coarser.trees, coarser._first, strict=True)
        return np.concatenate([first + fine.ancestors(coarse) for fine, coarse, first in pairs])

    def lift(self, Y: Array, coarser: "Forest") -> Array:
        """The points that Y, (n, d'), are in a coarser forest, in this one, (n, d): the same x."""
        ancestors = self.ancestors(coarser)
        lifted = Y[:, ancestors].astype(np.float64)
        for leaf in np.flatnonzero((self.sizes == 1) & (coarser.sizes[ancestors] > 1)):
            lifted[:, leaf] = self._read(self._alone(int(leaf), len(Y)), lifted[:, leaf])
        return lifted

    def turns(self, coarser: "Forest") -> Array:
        """The sign with which each leaf takes over a coarser forest's value, (d,): -1 for some that are alone now.

        With a centre, numbers are also stretched, by one factor below it and another above.
        """
        ancestors = self.ancestors(coarser)
        turned = np.ones(self.embedding_dim)
        for leaf in np.flatnonzero((self.sizes == 1) & (coarser.sizes[ancestors] > 1) & (self.choices == 0)):
            spot = self._alone(int(leaf), 1)
            turned[leaf] = self.trees[spot.kind].signs(spot.within)[0]
        return turned

    def members(self, leaf: int) -> Indices:
        """The coordinates that a leaf holds, in increasing order."""
        kind = int(np.searchsorted(self._first, leaf, side="right")) - 1
        return np.sort(self.layout.index(kind, self.trees[kind].members(leaf - self._first[kind])))

    @cached_property
    def _first(self) -> tuple[int, ...]:
        """The number of the first leaf of each tree."""
        counts = np.cumsum([0, *(tree.embedding_dim for tree in self.trees)])
        return tuple(int(count) for count in counts[:-1])

    def _alone(self, leaf: int, times: int) -> _Spot:
        """The only coordinate of a leaf, `times` over, as it was read while it shared one."""
        member = self.members(leaf)
        located = self.layout.locate(member)
        index, within = np.repeat(member, times), np.repeat(located.within, times)
        return _Spot(int(located.kinds[0]), index, within, np.ones(times, dtype=bool))

    def _read(self, spot: _Spot, u: Array) -> Array:
        """The positions x of coordinates whose leaves say u; a coordinate alone in its leaf is what the leaf says."""
        choices = self.layout.kinds[spot.kind]
        signs = self.trees[spot.kind].signs(spot.within)
        if choices == 0:
            return np.where(spot.shared, self._away(spot, self._beyond(spot, signs * u)), u)
        if self.near:
            steps = np.ceil(np.maximum(self._beyond(spot, signs * u), 0.0) * (choices - 1))
        else:
            steps = signs * level_at(u, choices)
        return np.where(spot.shared, middle_of((self._places(spot) + steps) % choices, choices), u)

    def _beyond(self, spot: _Spot, u: Array) -> Array:
        """Which part of the way beyond their thresholds coordinates go: 0 up to the threshold, 1 for u = 1."""
        if not self.near:
            return u
        thresholds = self._thresholds(spot)
        return np.sign(u) * np.maximum(np.abs(u) - thresholds, 0.0) / (1.0 - thresholds)

    def _thresholds(self, spot: _Spot) -> Array:
        """The |u| up to which each coordinate stays at the centre; square roots are the same on every machine."""
        return np.sqrt(np.sqrt(uniforms(self.seed, spot.index, 1, stream=_THRESHOLDS)[:, 0]))

    def _written(self, spot: _Spot, x: Array, leaves: Indices) -> Array:
        """The u that coordinates at x would have their leaves say; the inverse of `_read`."""
        choices = self.layout.kinds[spot.kind]
        signs = self.trees[spot.kind].signs(spot.within)
        if choices == 0:
            middle = self._middles(spot)
            room = np.where(x >= middle, 1.0 - middle, 1.0 + middle)
            part = signs * (x - middle) / np.where(room > 0.0, room, 1.0)
            return np.where(spot.shared, self._up_to(spot, part), x)
        if self.near:
            return np.where(spot.shared, self._agreed(spot, x, leaves), x)
        steps = signs * (level_at(x, choices) - self._places(spot))
        return np.where(spot.shared, middle_of(steps % choices, choices), x)

    def _up_to(self, spot: _Spot, part: Array) -> Array:
        """The u at which coordinates go a part of the way; the inverse of `_beyond`."""
        if not self.near:
            return part
        thresholds = self._thresholds(spot)
        return np.sign(part) * (thresholds + np.abs(part) * (1.0 - thresholds))

    def _agreed(self, spot: _Spot, x: Array, leaves: Indices) -> Array:
        """The u of near choices at x, each of which allows an interval: 0 or the middle of what all of them allow."""
        choices, thresholds = self.layout.kinds[spot.kind], self._thresholds(spot)
        forth = self.trees[spot.kind].signs(spot.within) > 0.0
        steps = (level_at(x, choices) - self._places(spot)) % choices
        before, high = (thresholds + (1.0 - thresholds) * k / (choices - 1) for k in (steps - 1.0, steps))
        low = np.where(steps > 0.0, before, -1.0)
        least, most = np.full(leaves.max() + 1, -1.0), np.full(leaves.max() + 1, 1.0)
        np.maximum.at(least, leaves, np.where(forth, low, -high))
        np.minimum.at(most, leaves, np.where(forth, high, -low))
        return np.where(least * most <= 0.0, 0.0, (least + most) / 2.0)[leaves]

    def _away(self, spot: _Spot, u: Array) -> Array:
        """From the centre (u = 0) to one end of the range (u = 1) or the other (u = -1)."""
        if self.center is None:
            return u
        middle = self._middles(spot)
        inside = middle + u * np.where(u >= 0.0, 1.0 - middle, 1.0 + middle)
        return np.where(np.abs(u) >= 1.0, np.sign(u), np.clip(inside, -1.0, 1.0))

    def _middles(self, spot: _Spot) -> Array:
        return np.zeros(len(spot.index)) if self.center is None else self.center[spot.index]

    def _places(self, spot: _Spot) -> Array:
        """Which choice each coordinate makes at the centre."""
        choices = self.layout.kinds[spot.kind]
        if self.center is not None:
            return level_at(self.center[spot.index], choices)
        return words(self.seed, spot.index, 1, stream=_PLACES)[:, 0].astype(np.float64) % choices


def _pairs(layout: Layout) -> list[tuple[int, int]]:
    return list(zip(layout.kinds, layout.sizes, strict=True))
