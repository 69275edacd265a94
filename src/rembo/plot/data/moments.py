"""How far f stays alike along each axis, as it was learned over time: a search gone through again.

Length scales and the forest of bins are not stored: they follow from what was told. At most fifty moments are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding import Forest, Source
from rembo.learning import Schedule
from rembo.optimizer.growing import Restart
from rembo.plot.data.axes import axis_of
from rembo.plot.data.model import Modeller, modeller_of, modellers
from rembo.plot.data.search import Search
from rembo.plot.data.thinning import MOST_MOMENTS, evenly
from rembo.space import Domain


@dataclass(frozen=True, eq=False)
class Moment:
    """What a run had learned when its search had been told `told` values: length scales, (p,), and what they are of.

    `upper`, (p,), is Algorithm 3's bound U, where that is how they were learned.
    """

    told: int
    embedding: Source
    lengths: Array
    upper: Array | None = None


@dataclass(frozen=True, eq=False)
class ScaleCurve:
    """One length scale after so many values, (m,); that of a bin before it was split off is its parent's."""

    name: str
    told: Indices
    lengths: Array
    upper: Array | None


@dataclass(frozen=True, eq=False)
class Tree:
    """A growing embedding over time: for each bin of the last forest, (d,), and moment, (m,), the bin that it was in.

    share, (d, m), is the share of f's variation along that bin; bins stand in the order of the tree.
    """

    run: int
    names: tuple[str, ...]
    told: Indices
    bins: Indices
    share: Array


@lru_cache(maxsize=8)
def moments(search: Search, run: int | None = None) -> tuple[Moment, ...]:
    """At most fifty moments of a run, by default the one that found the best value, evenly spread over the search.

    It costs what learning cost the search itself; pictures that are given the same `Search` share it.
    """
    number, _ = modeller_of(search, run)
    wanted = set((evenly(len(search.told), MOST_MOMENTS) + 1).tolist())
    kept = []
    for told, optimizer in enumerate(search.replay(), start=1):
        if told in wanted and number in (known := modellers(optimizer)):
            kept.append(_moment(told, known[number]))
    return tuple(kept)


def scale_curves(space: Domain, kept: Sequence[Moment]) -> list[ScaleCurve]:
    """A curve for each length scale at the last moment, the shortest first."""
    last = kept[-1]
    told = np.array([moment.told for moment in kept], dtype=np.int64)
    lengths = np.array([moment.lengths[_bins_in(last, moment)] for moment in kept])
    uppers = None if last.upper is None else np.array([moment.upper for moment in kept])
    return [
        ScaleCurve(
            _scale_name(space, last, entry), told, lengths[:, entry], None if uppers is None else uppers[:, entry]
        )
        for entry in np.argsort(last.lengths, kind="stable").tolist()
    ]


def tree(run: int, space: Domain, kept: Sequence[Moment]) -> Tree:
    """The bins of a growing embedding at the kept moments."""
    last = kept[-1]
    if not isinstance(last.embedding, Forest):
        raise ValueError(f"run {run} searches {type(last.embedding).__name__}, which does not grow: Growing's does")
    bins = np.array([_bins_in(last, moment) for moment in kept]).T
    shares = [_variation(moment.lengths)[_bins_in(last, moment)] for moment in kept]
    names = tuple(axis_of(space, last.embedding, leaf).name for leaf in range(len(last.lengths)))
    return Tree(run, names, np.array([moment.told for moment in kept], dtype=np.int64), bins, np.array(shares).T)


def _moment(told: int, modeller: Modeller) -> Moment:
    if isinstance(modeller, Restart):
        return Moment(told, modeller.catch_up().forest, modeller.model().in_force.lengths)
    learned = modeller.state.learned
    bounded = isinstance(modeller.parts.learning, Schedule)
    upper = np.broadcast_to(learned.scale.upper, learned.scales.shape) if bounded else None
    return Moment(told, modeller.embedding, learned.scales, upper)


def _bins_in(last: Moment, moment: Moment) -> Indices:
    """For each length scale of the last moment, the number that it, or the one it came from, had at another."""
    if isinstance(last.embedding, Forest) and isinstance(moment.embedding, Forest):
        return last.embedding.ancestors(moment.embedding)
    return np.arange(len(last.lengths), dtype=np.int64)


def _variation(lengths: Array) -> Array:
    """Shares of the variation over the whole region, as the search takes them: by squared inverse length scales."""
    squares = lengths**-2.0
    return np.asarray(squares / squares.sum())


def _scale_name(space: Domain, moment: Moment, entry: int) -> str:
    if len(moment.lengths) == 1:
        return "l"
    if len(moment.lengths) == moment.embedding.embedding_dim:
        return axis_of(space, moment.embedding, entry).name
    return f"l[{entry}]"
