"""What trials say of groups of parameters: where each group stood, and what f was.

Parameters that moved together in every trial cannot be told apart by any model: they are one group. Where a space is
small, groups are found among the parameters themselves, from all trials, whichever restart asked them; where it is
large, they are the bins of the restart that saw most values, since nothing may cost D.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding import MOST_MEMBERS, Forest
from rembo.gp import Data
from rembo.kernel import Dormant, Leaves
from rembo.optimizer.trial import Trial
from rembo.space import Domain, Integer, Ordinal, level_at, middle_of, parts_of

_MOST_CHOICES = 512  # parameters that are choices, above which bins are looked at; each is cheap to a kernel
_MOST_NUMBERS = 64  # the same for numbers, each of which costs as much as all choices
NAMED = 10  # parameters of a group, at most
_MOST_SEEN = 256  # observations: a fit costs their third power


@dataclass(frozen=True, eq=False)
class Observed:
    """Values of f, (n,), where g groups of parameters were at Y, (n, g); there are no failures among them.

    `leaves` says what the groups are, sizes, (g,), how many parameters each has, and `members` which: all of them, or
    of a large space the first ten, or none of too many.
    """

    leaves: Leaves
    data: Data
    sizes: Indices
    members: tuple[Indices, ...]

    @classmethod
    def of_parameters(cls, space: Domain, trials: Iterable[Trial]) -> "Observed":
        """All that was told of a space that is small enough."""
        told = [(trial.point[:], trial.value) for trial in trials if trial.value is not None]
        X = np.array([x for x, _ in told]).reshape(len(told), space.size)
        values = np.array([value for _, value in told])
        choices = _choices(space)
        chosen = choices > 0
        X[:, chosen] = middle_of(level_at(X[:, chosen], choices[chosen]), choices[chosen])
        dormant = Dormant.of(space, {index: index for index in range(space.size)}, space.size)
        X = X if dormant is None else dormant.rested(X)
        groups = moved_together(X, choices)
        first = np.array([group[0] for group in groups])
        whole = _whole_numbers(space, groups)
        alone = {number: int(group[0]) for number, group in enumerate(groups) if len(group) == 1}
        leaves = Leaves(choices[first], whole, Dormant.of(space, alone, len(groups)))
        sizes = np.array([len(group) for group in groups])
        return cls(leaves, Data(leaves.snap(X[:, first]), values), sizes, tuple(groups))

    @classmethod
    def of_bins(cls, forest: Forest, leaves: Leaves, data: Data) -> "Observed":
        """What was told of the bins of a forest."""
        small = (forest.sizes <= MOST_MEMBERS).tolist()
        nobody = np.zeros(0, dtype=np.int64)
        members = tuple(forest.members(leaf)[:NAMED] if few else nobody for leaf, few in enumerate(small))
        told = ~np.isnan(data.values)
        return cls(leaves, Data(data.Y[told], data.values[told]), forest.sizes, members)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def incumbent(self) -> int:
        """The number of the lowest value."""
        return int(np.argmin(self.data.values))

    def fewer(self, most: int = _MOST_SEEN) -> "Observed":
        """At most so many observations: the nearest to the incumbent, and a quarter from farther away."""
        if len(self) <= most:
            return self
        Z = self.leaves(self.data.Y)
        order = np.argsort(((Z - Z[self.incumbent]) ** 2).sum(axis=1).round(12), kind="stable")
        near, rest = order[: 3 * most // 4], order[3 * most // 4 :]
        kept = np.sort(np.append(near, rest[np.linspace(0, len(rest) - 1, most - len(near)).astype(int)]))
        data = Data(self.data.Y[kept], self.data.values[kept])
        return Observed(self.leaves, data, self.sizes, self.members)


def small_enough(space: Domain) -> bool:
    """Whether a space has so few parameters that each can have a length scale of its own."""
    parts = parts_of(space)
    numbers = sum(part.stop - part.start for part in parts if part.parameter.ordered)
    return numbers <= _MOST_NUMBERS and space.size - numbers <= _MOST_CHOICES


def moved_together(X: Array, choices: Indices) -> list[Indices]:
    """Groups of coordinates of X, (n, D), of one kind, that moved together: numbers in one order, up or down.

    Choices did if the value of one tells that of the other.

    >>> X = np.array([[0.0, 0.0, 1.0], [0.5, -0.4, 0.1], [0.7, -0.5, 0.6]])
    >>> [group.tolist() for group in moved_together(X, np.zeros(3, dtype=int))]
    [[0, 1], [2]]
    """
    groups: dict[tuple[int, bytes], list[int]] = {}
    for index, column in enumerate(X.T):
        pattern = _named_in_turn(column) if choices[index] else _order(column)
        groups.setdefault((int(choices[index]), pattern), []).append(index)
    return [np.array(group) for group in groups.values()]


def _named_in_turn(column: Array) -> bytes:
    """The number of each value among the values, in the order in which they came up."""
    _, first, codes = np.unique(column, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes].tobytes()


def _order(column: Array) -> bytes:
    """The rank of each value, or the rank from above, so that the first one that is not in the middle is low."""
    distinct, ranks = np.unique(column, return_inverse=True)
    centred = 2 * ranks - (len(distinct) - 1)
    leading = centred[np.flatnonzero(centred)[:1]]
    return bytes((-np.sign(leading.sum()) * centred).tobytes())


def _choices(space: Domain) -> Indices:
    """The number of choices of each coordinate, (D,), 0 for numbers."""
    parts = parts_of(space)
    counts = [0 if part.parameter.ordered else part.parameter.levels for part in parts]
    return np.repeat(np.array(counts, dtype=np.int64), [part.stop - part.start for part in parts])


def _whole_numbers(space: Domain, groups: Sequence[Indices]) -> dict[int, Integer | Ordinal]:
    """The groups that are a single whole number."""
    owners = {part.start: part.parameter for part in parts_of(space) if isinstance(part.parameter, (Integer, Ordinal))}
    lone = {number: int(group[0]) for number, group in enumerate(groups) if len(group) == 1}
    return {number: owners[index] for number, index in lone.items() if index in owners}
