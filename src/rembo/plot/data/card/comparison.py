"""The third part of a method card: the search beside random search at an equal number of evaluations.

What random search would have found nobody knows without evaluating f, and the points of a search are not a random
sample of the space: so it is compared with random searches that were run, or else not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.optimizer import RandomSearch
from rembo.plot.data.card.entry import Entry, number
from rembo.plot.data.history import course
from rembo.plot.data.search import Search


@dataclass(frozen=True, eq=False)
class Comparison:
    """Best values after as many evaluations each: of the search, and of some random searches, (k,)."""

    evaluations: int
    ours: float
    theirs: Array
    better: int  # random searches that the search beats
    matched: int | None  # evaluations after which it was as good as their median was in the end


def compare(search: Search, baselines: Sequence[Search]) -> Comparison:
    """The search beside random searches of the same space, each as long as the shortest of them all."""
    for baseline in baselines:
        _check(search, baseline)
    ours, theirs = course(search), [course(baseline) for baseline in baselines]
    n = min(len(one.best) for one in (ours, *theirs))
    final, sign = np.array([one.best[n - 1] for one in theirs]), search.sign
    reached = np.flatnonzero(sign * ours.best[:n] <= sign * np.median(final))
    better = int(np.count_nonzero(sign * ours.best[n - 1] < sign * final))
    return Comparison(n, float(ours.best[n - 1]), final, better, int(reached[0]) + 1 if len(reached) else None)


def entries(found: Comparison | None, evaluations: int) -> list[Entry]:
    """The comparison in words, or how to have one."""
    if found is None:
        cure = f"give random_baseline= a result of minimize with RandomSearch(space) and {evaluations:,} evaluations"
        return [Entry("Random search", "not compared: it needs evaluations of f", cure)]
    theirs = f"{number(float(np.median(found.theirs)))} (median of {len(found.theirs)})"
    best = f"{number(found.ours)} against {theirs}"
    matched = "never" if found.matched is None else f"after {found.matched:,} of {found.evaluations:,} evaluations"
    return [
        Entry("Random search", best, f"best values after {found.evaluations:,} evaluations each"),
        Entry("As good as random search", matched, f"better than {found.better} of {len(found.theirs)} in the end"),
    ]


def _check(search: Search, baseline: Search) -> None:
    if not isinstance(baseline.optimizer, RandomSearch):
        name = type(baseline.optimizer).__name__
        raise ValueError(f"random_baseline {baseline.name!r} was searched by {name}: give a study of RandomSearch")
    if baseline.optimizer.space != search.optimizer.space or baseline.direction != search.direction:
        raise ValueError(f"random_baseline {baseline.name!r} has another space or direction than {search.name!r}")
