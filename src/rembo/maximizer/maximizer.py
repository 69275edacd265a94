"""What a maximiser is, and what it maximises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region

_LARGEST = 1e300  # foreign minimisers take no infinity
_BATCH = 2048  # points scored at once: their features and covariances are held in memory


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


def scores_of(score: Score, Y: Array) -> Array:
    """The scores of Y, (n,), in batches; what is not a number counts as the lowest."""
    batches = [score(Y[start : start + _BATCH]) for start in range(0, len(Y), _BATCH)]
    values = batches[0] if len(batches) == 1 else np.concatenate([np.zeros(0), *batches])
    return np.where(np.isnan(values), -np.inf, values)


def loss_of(score: Score) -> Callable[[Array], float]:
    """Minus the score of one point, (dim,), finite, for a foreign minimiser."""

    def loss(y: Array) -> float:
        value = float(score(y[None, :])[0])
        return -value if value > -_LARGEST else _LARGEST

    return loss


def best_of(Y: Array, values: Array) -> Maximum:
    """The first of the highest among Y, (n, dim)."""
    best = int(np.argmax(values))
    return Maximum(Y[best].copy(), float(values[best]))


def best_of_batch(score: Score, Y: Array) -> Maximum:
    """The first of the highest among Y, (n, dim), which are scored here."""
    return best_of(Y, scores_of(score, Y))


def higher(first: Maximum, second: Maximum) -> Maximum:
    """The one with the higher score, the first if they tie."""
    return second if second.value > first.value else first
