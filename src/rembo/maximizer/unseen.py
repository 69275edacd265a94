"""A score for finite spaces, in which points come back: nothing is to be asked twice."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.maximizer.maximizer import Ascending, Score


@dataclass(frozen=True, eq=False)
class Unseen:
    """A score that is minus infinity where f was asked already."""

    score: Score
    seen: frozenset[bytes]

    @classmethod
    def beyond(cls, asked: Array, score: Score) -> "Unseen":
        """The score anywhere but at the points that were asked, (n, d)."""
        return cls(score, frozenset(row.tobytes() for row in asked))

    def __call__(self, Y: Array) -> Array:
        """The scores of Y, (n, d)."""
        return np.where([row.tobytes() in self.seen for row in Y], -np.inf, self.score(Y))

    def with_gradient(self, Y: Array) -> Ascending:
        """Scores and gradients, which lead nowhere in a finite space."""
        return self.score.with_gradient(Y)
