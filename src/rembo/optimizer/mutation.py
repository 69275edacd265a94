"""Mutation: a few entries of the best point moved, some far and some near; what a search in a hurry asks.

No model is consulted, so that a step costs microseconds whatever was observed. It is the one of the (1+1) evolution
strategy, with lengths drawn anew each time instead of adapted, which needs no memory.
"""

from collections.abc import Iterator

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region

MOVED = 3.0  # entries, on average, and one at least
FAR = 1.0 / 3.0  # the share of steps that draw these entries anew
NEAREST = 1e-3  # the shortest of the others, in half widths of the region; the longest is one


def mutants(y: Array | None, region: Region, rng: np.random.Generator) -> Iterator[Array]:
    """Points of the region without end, (d,) each: steps away from y, (d,), or without a y points anywhere."""
    while True:
        yield rng.uniform(region.low, region.high) if y is None else _mutant(y, region, rng)


def _mutant(y: Array, region: Region, rng: np.random.Generator) -> Array:
    moved = rng.random(region.dim) < MOVED / region.dim
    moved[rng.integers(region.dim)] = True
    if rng.random() < FAR:
        return np.where(moved, rng.uniform(region.low, region.high), y)
    steps = NEAREST ** rng.random() * region.half_width * rng.standard_normal(region.dim)
    at_the_edge = np.abs(y) >= region.half_width  # where a step outwards would end where it began
    steps = np.where(at_the_edge, -np.sign(y) * np.abs(steps), steps)
    return region.clip(np.where(moved, y + steps, y))
