"""Which coordinates of a space are alike: numbers with numbers, choices with choices among as many.

A growing embedding ties coordinates together, and only alike ones can move together: half of a number's range means
something for every number, "the second of three choices" for every parameter of three choices.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from rembo.arrays import Indices
from rembo.space import Domain, parts_of


@dataclass(frozen=True)
class Block:
    """Coordinates start to stop - 1 of a space, each a choice among `choices`, or a number if that is 0."""

    start: int
    stop: int
    choices: int


@dataclass(frozen=True)
class Located:
    """For each coordinate the number of its kind, and its own number among the coordinates of that kind."""

    kinds: Indices
    within: Indices


@dataclass(frozen=True)
class Layout:
    """The coordinates of a space in blocks; a kind is a number of choices, 0 for numbers, and kinds stand in order.

    >>> Layout.numbers(10**9).kinds
    (0,)
    """

    blocks: tuple[Block, ...]

    def __reduce__(self) -> tuple[type["Layout"], tuple[tuple[Block, ...]]]:
        return Layout, (self.blocks,)  # without what is cached

    def __repr__(self) -> str:
        return f"Layout({self.ambient_dim} coordinates of {len(self.kinds)} kinds in {len(self.blocks)} blocks)"

    @classmethod
    def numbers(cls, ambient_dim: int) -> "Layout":
        """So many numbers."""
        return cls((Block(0, ambient_dim, 0),))

    @classmethod
    def of(cls, space: Domain) -> "Layout":
        """The blocks of a space; neighbours of one kind are one block."""
        parts = [(0 if part.parameter.ordered else part.parameter.levels, part) for part in parts_of(space)]
        runs = ((kind, list(run)) for kind, run in groupby(parts, key=lambda pair: pair[0]))
        return cls(tuple(Block(run[0][1].start, run[-1][1].stop, kind) for kind, run in runs))

    @property
    def ambient_dim(self) -> int:
        """The number of coordinates."""
        return self.blocks[-1].stop

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The numbers of choices that occur, in increasing order; numbers, if any, come first as 0."""
        return tuple(sorted({block.choices for block in self.blocks}))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many coordinates there are of each kind."""
        return tuple(
            sum(block.stop - block.start for block in self._of_kind(number)) for number in range(len(self.kinds))
        )

    def locate(self, index: Indices) -> Located:
        """Kind and number within the kind of each coordinate."""
        block = np.searchsorted(self._starts, index, side="right") - 1
        return Located(self._block_kinds[block], index - self._starts[block] + self._offsets[block])

    def index(self, number: int, within: Indices) -> Indices:
        """The coordinates with these numbers within a kind; the inverse of `locate`."""
        mine = np.flatnonzero(self._block_kinds == number)
        block = mine[np.searchsorted(self._offsets[mine], within, side="right") - 1]
        return np.asarray(within - self._offsets[block] + self._starts[block])

    def _of_kind(self, number: int) -> Iterable[Block]:
        return (block for block in self.blocks if block.choices == self.kinds[number])

    @cached_property
    def _starts(self) -> Indices:
        return np.array([block.start for block in self.blocks], dtype=np.int64)

    @cached_property
    def _block_kinds(self) -> Indices:
        return np.array([self.kinds.index(block.choices) for block in self.blocks], dtype=np.int64)

    @cached_property
    def _offsets(self) -> Indices:
        """The number within its kind of each block's first coordinate."""
        filled = dict.fromkeys(self.kinds, 0)
        offsets = []
        for block in self.blocks:
            offsets.append(filled[block.choices])
            filled[block.choices] += block.stop - block.start
        return np.array(offsets, dtype=np.int64)
