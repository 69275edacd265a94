"""How much the projection onto the box does: the share of coordinates of A y that lie outside [-1,1].

Rows of A are alike, so the first few hundred coordinates stand for all: it costs the same whatever D is.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding import Point
from rembo.plot.data.search import Search
from rembo.plot.data.thinning import MOST_STEPS, evenly

_SAMPLED = 256


@dataclass(frozen=True, eq=False)
class Clipping:
    """The share of clipped coordinates of some trials, (n,), evenly spread over a search, and which these are."""

    name: str
    evaluations: Indices
    runs: Indices
    share: Array


def clipping(search: Search) -> Clipping:
    """The share of clipped coordinates over the course of a search."""
    told = search.told
    at = evenly(len(told), MOST_STEPS)
    chosen = [told[number] for number in at.tolist()] if told else []
    return Clipping(
        search.name,
        at[: len(chosen)] + 1,
        np.array([trial.run for trial in chosen], dtype=np.int64),
        np.array([clipped_share(trial.point) for trial in chosen]),
    )


def clipped_share(point: Point) -> float:
    """The share of coordinates, of a sample at most, that the projection moves onto the box; 0 without projection."""
    if not point.projected:
        return 0.0
    index = np.arange(min(point.embedding.ambient_dim, _SAMPLED), dtype=np.int64)
    return float((np.abs(point.embedding.image(point.y, index)) > 1.0).mean())
