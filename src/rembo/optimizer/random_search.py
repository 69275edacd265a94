"""Random search: uniform over the space, at any D in O(1) memory; the baseline that everything must beat."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rembo.embedding import Point, Scatter
from rembo.optimizer.optimizer import Optimizer, Suggestion, as_point, derived_seed
from rembo.optimizer.trial import Trial
from rembo.space import DomainLike


class RandomSearch(Optimizer):
    """The n-th trial is the n-th point of a sample that depends on the seed alone."""

    def __init__(self, space: DomainLike, *, seed: int | None = None) -> None:
        super().__init__(space, seed)
        self._sample = Scatter(self.space.size, derived_seed(self.seed))

    @property
    def settings(self) -> dict[str, Any]:
        """None: a space and a seed say all."""
        return {}

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        return Suggestion(Point(self._sample, np.array([float(turn)])))

    def _observe(self, trial: Trial) -> None:
        """Random search learns nothing."""

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space))
