"""Importance: which parameters, or groups of them that still move together, f varies with, and how sure that is.

The same shares as those of `Growing.importance`, but only as many parameters are named as can be looked up at once.
"""

from dataclasses import dataclass

import numpy as np

from rembo.optimizer import Growing, Interleaved, Optimizer
from rembo.optimizer.descent import Descent, Shares
from rembo.plot.data.axes import axis_of
from rembo.plot.data.search import Search


@dataclass(frozen=True)
class Group:
    """Parameters that move together, their number, their share of f's variation, and the range of nine estimates."""

    name: str
    size: int
    share: float
    low: float
    high: float


def importance(search: Search, most: int = 12) -> list[Group]:
    """The most important groups, at most so many, the most important first."""
    descent = _growing(search.optimizer).informed
    shares = descent.shares()
    order = np.argsort(-shares.share, kind="stable")[:most].tolist()
    return [_group(descent, shares, leaf) for leaf in order]


def _group(descent: Descent, shares: Shares, leaf: int) -> Group:
    forest = descent.state.forest
    share, low, high = (float(numbers[leaf]) for numbers in (shares.share, shares.low, shares.high))
    return Group(axis_of(descent.space, forest, leaf).name, int(forest.sizes[leaf]), share, low, high)


def _growing(optimizer: Optimizer) -> Growing:
    """The growing search that it is, or the first one that takes turns in it."""
    members = optimizer.runs if isinstance(optimizer, Interleaved) else [optimizer]
    for member in members:
        if isinstance(member, Growing):
            return member
    name = type(optimizer).__name__
    raise ValueError(f"{name} does not tell what matters: the default optimizer, Growing, does")
