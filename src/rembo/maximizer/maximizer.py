"""What a maximiser is, and what it maximises."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region


@dataclass(frozen=True, eq=False)
class Ascending:
    """Values of a score, (n,), and their gradients, (n, dim)."""

    values: Array
    gradients: Array


class Score(Protocol):
    """A cheap function to be maximised; it takes points in batches."""

    def __call__(self, Y: Array) -> Array:
        """The scores of Y, (n, dim), as (n,)."""

    def with_gradient(self, Y: Array) -> Ascending:
        """Scores and gradients at Y, (n, dim)."""


@dataclass(frozen=True, eq=False)
class Maximum:
    """The best point found, (dim,), and its score."""

    at: Array
    value: float


class Maximizer(Protocol):
    """Finds a point of the region with a high score, never lower than at any of the starts, (k, dim), k >= 1."""

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best point found."""


def best_of_batch(score: Score, Y: Array) -> Maximum:
    """The first of the highest among Y, (n, dim); a score that is not a number counts as the lowest."""
    values = np.nan_to_num(score(Y), nan=-np.inf)
    best = int(np.argmax(values))
    return Maximum(Y[best].copy(), float(values[best]))


def higher(first: Maximum, second: Maximum) -> Maximum:
    """The one with the higher score, the first if they tie."""
    return second if second.value > first.value else first
