"""Several maximisers on the same score, and the best of their answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.border import check_part
from rembo.embedding import Region
from rembo.maximizer.maximizer import Maximizer, Maximum, Score, higher


@dataclass(frozen=True, init=False, repr=False)
class BestOf:
    """The paper's way (Section 3.3): run both DIRECT and CMA-ES, use the better result.

    BestOf(a, b) is BestOf(maximizers=(a, b)).
    """

    maximizers: tuple[Maximizer, ...]

    def __init__(self, *chosen: Maximizer, maximizers: Sequence[Maximizer] = ()) -> None:
        object.__setattr__(self, "maximizers", (*chosen, *maximizers))
        if not self.maximizers:
            raise ValueError("BestOf needs at least one maximizer, e.g. BestOf(Direct(), CMAES())")
        for maximizer in self.maximizers:
            check_part(maximizer, "a maximizer", "__call__", "rembo.Direct()")

    def __repr__(self) -> str:
        return f"BestOf{self.maximizers}"

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The highest of their answers; the first of them if they tie."""
        best, *others = (maximizer(score, region, starts, rng) for maximizer in self.maximizers)
        for other in others:
            best = higher(best, other)
        return best
