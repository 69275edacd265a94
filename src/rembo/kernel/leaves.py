"""Where distance between points of a forest is measured: each leaf by what it stands for.

Numbers are measured as they are, a whole number alone in its leaf where it rounds to, and choices by being the same or
not: a leaf of L choices is L features of which one is 1/sqrt 2, so that any two choices have distance 1. A leaf of very
many, or each of many such leaves, is one feature, a code that kernels compare: memory and time do not grow with L.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rembo.arrays import Array, Indices, Mask
from rembo.embedding import Forest
from rembo.kernel.dormant import Dormant, has_conditions
from rembo.space import Domain, Integer, Ordinal, level_at, middle_of, parts_of

_MOST_ALIKE = 64  # of a leaf: the choices beyond which it is coded
_MOST_FEATURES = 1024  # of all leaves: the choices beyond which each leaf of more than two is coded
_MOST_MOVES = 1000  # of a leaf: the choices beyond which neighbours are some of the others
_MOST_NEIGHBOURS = 8192  # of a point: the choices of all leaves beyond which that holds for each leaf that is coded


@dataclass(frozen=True, eq=False)
class Leaves:
    """What the d leaves of a forest stand for: a number of choices each, 0 for numbers; and the lone whole numbers.

    Ordinals are whole numbers here.

    `dormant` says which of them rest where conditional parameters are inactive.
    """

    choices: Indices
    whole: dict[int, Integer | Ordinal]
    dormant: Dormant | None = None

    @classmethod
    def numbers(cls, dim: int) -> "Leaves":
        """Leaves that take any number."""
        return cls(np.zeros(dim, dtype=np.int64), {})

    @classmethod
    def of(cls, space: Domain, forest: Forest) -> "Leaves":
        """The leaves of a forest over this space."""
        parts = parts_of(space)
        starts = np.array([part.start for part in parts])
        told = (forest.choices == 0) | has_conditions(space)
        lone = np.flatnonzero((forest.sizes == 1) & told).tolist()
        alone = {leaf: int(forest.members(leaf)[0]) for leaf in lone}
        parameters = {
            leaf: parts[np.searchsorted(starts, coordinate, side="right") - 1].parameter
            for leaf, coordinate in alone.items()
        }
        whole = {
            leaf: each for leaf, each in parameters.items() if isinstance(each, (Integer, Ordinal)) and each.levels
        }
        return cls(forest.choices, whole, Dormant.of(space, alone, forest.embedding_dim))

    @cached_property
    def continuous(self) -> Mask:
        """Which leaves take any number, (d,)."""
        return np.array([n == 0 and leaf not in self.whole for leaf, n in enumerate(self.choices)], dtype=bool)

    @cached_property
    def relaxed(self) -> "Leaves":
        """The same leaves with whole numbers taken for any: what a gradient can climb."""
        return Leaves(self.choices, {}, self.dormant)

    @cached_property
    def groups(self) -> Indices:
        """The leaf of each feature, (m,)."""
        return np.repeat(np.arange(len(self.choices)), self._widths)

    @cached_property
    def coded(self) -> tuple[int, ...]:
        """The features that stand for a choice among very many."""
        return tuple(np.flatnonzero(self.choices[self.groups] > self._most_uncoded).tolist())

    def __call__(self, Y: Array) -> Array:
        """Z, (n, m): the features of points of the forest, (n, d); a code is the position that a choice snaps to."""
        if self.continuous.all() and self.dormant is None:
            return Y
        Z = self.snap(Y)[:, self.groups]
        choices = self.choices[self.groups]
        two, many = choices == 2, (choices > 2) & (choices <= self._most_uncoded)
        Z[:, two] = Z[:, two] > 0.0
        Z[:, many] = (level_at(Z[:, many], choices[many]) == self._places[many]) / math.sqrt(2.0)
        return Z

    def pull_back(self, Y: Array, G: Array) -> Array:
        """Gradients by Z as gradients by Y: zero but in leaves that take any number, and that are not at rest."""
        if self.continuous.all() and self.dormant is None:
            return G
        pulled = np.zeros_like(Y)
        pulled[:, self.continuous] = G[:, self.continuous[self.groups]]
        return pulled if self.dormant is None else np.where(self.dormant.mask(self.snap(Y)), 0.0, pulled)

    def snap(self, Y: Array) -> Array:
        """Points (n, d) with choices and lone whole numbers in the middle of their shares: one y per configuration."""
        snapped = np.array(Y)
        equal = np.flatnonzero(self._shares)
        snapped[:, equal] = middle_of(level_at(Y[:, equal], self._shares[equal]), self._shares[equal])
        for lone, parameter in self._on_log_scales:
            snapped[:, lone] = parameter.snap(Y[:, lone])
        return snapped if self.dormant is None else self.dormant.rested(snapped)

    def neighbours(self, y: Array) -> Array:
        """All points that differ from y, (d,), in one choice, or in one lone whole number by 1, 2, 4, ...: (k, d).

        Of a choice among very many, or where many leaves have many, only those 1, 2, 4, ... places on: they are as good
        as any others. y is a point that `snap` leaves as it is.
        """
        moves = [self._choice_moves, self._equal_moves(y), *(self._log_moves(y, *each) for each in self._on_log_scales)]
        moves += [self._vast_moves(y, int(leaf)) for leaf in self._vast]
        leaves, values = (np.concatenate(each) for each in zip(*moves, strict=True))
        elsewhere = y[leaves] != values
        leaves, values = leaves[elsewhere], values[elsewhere]
        Y = np.tile(y, (len(leaves), 1))
        Y[np.arange(len(leaves)), leaves] = values
        if self.dormant is None:
            return Y
        rested: Array = self.dormant.rested(Y)
        return np.asarray(rested[(rested != y).any(axis=1)])

    @cached_property
    def _shares(self) -> Indices:
        """How many equal shares of [-1,1] each leaf has, (d,): choices, or whole numbers that are on no log scale."""
        shares = self.choices.copy()
        for leaf, parameter in self.whole.items():
            shares[leaf] = 0 if _is_log(parameter) else parameter.levels
        return shares

    @cached_property
    def _on_log_scales(self) -> list[tuple[int, Integer]]:
        """The lone whole numbers on a log scale."""
        return [
            (leaf, parameter)
            for leaf, parameter in self.whole.items()
            if isinstance(parameter, Integer) and parameter.log
        ]

    @cached_property
    def _choice_moves(self) -> tuple[Indices, Array]:
        """Every choice of every leaf but the vast ones: the leaf, (k,), and its position there, (k,)."""
        counts = self.choices.copy()
        counts[self._vast] = 0
        leaves = np.repeat(np.arange(len(counts)), counts)
        levels = np.arange(len(leaves)) - np.repeat(np.cumsum(counts) - counts, counts)
        return leaves, middle_of(levels, self.choices[leaves])

    @cached_property
    def _vast(self) -> Indices:
        """The leaves of which not every choice is tried."""
        few = self.choices[self.choices <= _MOST_MOVES].sum() <= _MOST_NEIGHBOURS
        return np.flatnonzero(self.choices > (_MOST_MOVES if few else _MOST_ALIKE))

    def _vast_moves(self, y: Array, leaf: int) -> tuple[Indices, Array]:
        """The choices 1, 2, 4, ... places on from that of a vast leaf."""
        choices = int(self.choices[leaf])
        levels = (level_at(y[leaf], choices) + _powers(choices)) % choices
        return np.full(len(levels), leaf), middle_of(levels, choices)

    @cached_property
    def _equal_steps(self) -> tuple[Indices, Indices]:
        """Steps of 1, 2, 4, ... up and down for each whole number that is not on a log scale: leaf and step, (k,)."""
        leaves = [leaf for leaf, parameter in self.whole.items() if not _is_log(parameter)]
        steps = [np.append(powers, -powers) for powers in (_powers(int(self._shares[leaf])) for leaf in leaves)]
        counts = [len(each) for each in steps]
        return np.repeat(np.array(leaves, dtype=np.int64), counts), np.concatenate(
            [np.zeros(0, dtype=np.int64), *steps]
        )

    def _equal_moves(self, y: Array) -> tuple[Indices, Array]:
        leaves, steps = self._equal_steps
        shares = self._shares[leaves]
        levels = level_at(y[leaves], shares) + steps
        inside = (levels >= 0) & (levels < shares)
        return leaves[inside], middle_of(levels[inside], shares[inside])

    def _log_moves(self, y: Array, leaf: int, parameter: Integer) -> tuple[Indices, Array]:
        """Steps of 1, 2, 4, ... up and down for a whole number on a log scale."""
        powers = _powers(parameter.levels)
        levels = int(parameter.code(y[leaf])) + np.append(powers, -powers)
        levels = levels[(levels >= 0) & (levels < parameter.levels)]
        return np.full(len(levels), leaf), np.array([parameter.position(parameter.low + level) for level in levels])

    @cached_property
    def _widths(self) -> Indices:
        return np.where((self.choices > 2) & (self.choices <= self._most_uncoded), self.choices, 1)

    @cached_property
    def _most_uncoded(self) -> int:
        """The most choices of a leaf that has a feature for each of them, if it has more than two."""
        alike = self.choices[(self.choices > 2) & (self.choices <= _MOST_ALIKE)]
        return _MOST_ALIKE if alike.sum() <= _MOST_FEATURES else 2

    @cached_property
    def _places(self) -> Indices:
        """The number of each feature among those of its leaf, (m,)."""
        firsts = np.repeat(np.cumsum(self._widths) - self._widths, self._widths)
        return np.arange(len(self.groups)) - firsts


def _is_log(parameter: Integer | Ordinal) -> bool:
    """Whether the shares of its values differ."""
    return isinstance(parameter, Integer) and parameter.log


def _powers(levels: int) -> Indices:
    """1, 2, 4, ... below a number of levels."""
    return 2 ** np.arange((levels - 1).bit_length())
