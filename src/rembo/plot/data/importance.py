"""Importance: which parameters, or groups of them that still move together, f varies with, and how sure that is."""

from rembo.optimizer import Growing, Importance, Interleaved, Optimizer
from rembo.plot.data.search import Search


def importance(search: Search, most: int = 12) -> list[Importance]:
    """The most important groups, at most so many, the most important first."""
    return list(_growing(search.optimizer).importance()[:most])


def _growing(optimizer: Optimizer) -> Growing:
    """The growing search that it is, or the first one that takes turns in it."""
    members = optimizer.runs if isinstance(optimizer, Interleaved) else [optimizer]
    for member in members:
        if isinstance(member, Growing):
            return member
    name = type(optimizer).__name__
    raise ValueError(f"{name} does not tell what matters: the default optimizer, Growing, does")
