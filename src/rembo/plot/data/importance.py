"""Importance: which parameters, or groups of them that were never moved apart, f depends on, and how sure that is.

The same groups as those of `Growing.importance`, with names short enough for an axis.
"""

from dataclasses import dataclass
from functools import lru_cache

from rembo.optimizer import Growing, Importance, Interleaved, Optimizer
from rembo.plot.data.search import Search

_NAMED = 3
_MOST_NAMED = 1_000  # parameters of a group that is called by the first of them


@dataclass(frozen=True)
class Group:
    """A group of parameters as `Importance` has it, under a short name; `matters` says whether it surely does."""

    name: str
    size: int
    share: float
    low: float
    high: float
    effect: float
    effect_low: float
    effect_high: float
    matters: bool


def importance(search: Search, most: int = 12) -> list[Group]:
    """The first groups, at most so many: those that surely matter, then the others, by falling shares."""
    return [_group(found) for found in importances(search)[:most]]


@lru_cache(maxsize=8)
def importances(search: Search) -> tuple[Importance, ...]:
    """What the growing search of a study says of all groups; pictures that are given the same `Search` share it."""
    return growing_of(search.optimizer).importance()


def growing_of(optimizer: Optimizer) -> Growing:
    """The growing search that it is, or the first one that takes turns in it."""
    members = optimizer.runs if isinstance(optimizer, Interleaved) else [optimizer]
    for member in members:
        if isinstance(member, Growing):
            return member
    name = type(optimizer).__name__
    raise ValueError(f"{name} does not tell what matters: the default optimizer, Growing, does")


def _group(found: Importance) -> Group:
    numbers = (found.share, found.low, found.high, found.effect, found.effect_low, found.effect_high)
    return Group(_name(found), found.size, *numbers, found.matters)


def _name(found: Importance) -> str:
    """The names of the first few parameters of a group, and how many there are beside them."""
    if not found.parameters or found.size > _MOST_NAMED:
        return f"{found.size:,} parameters"
    more = f" and {found.size - _NAMED:,} more" if found.size > _NAMED else ""
    return ", ".join(found.parameters[:_NAMED]) + more
