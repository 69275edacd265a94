"""Several maximisers on the same score: the best of their answers, or each on from where the one before ended."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.border import check_part
from rembo.embedding import Region
from rembo.maximizer.maximizer import Maximizer, Maximum, Score, higher


@dataclass(frozen=True, init=False, repr=False)
class Several(ABC):
    """Maximisers in their order; Several(a, b) is Several(maximizers=(a, b))."""

    maximizers: tuple[Maximizer, ...]

    def __init__(self, *chosen: Maximizer, maximizers: Sequence[Maximizer] = ()) -> None:
        object.__setattr__(self, "maximizers", (*chosen, *maximizers))
        if not self.maximizers:
            name = type(self).__name__
            raise ValueError(f"{name} needs at least one maximizer, e.g. {name}(Direct(), CMAES())")
        for maximizer in self.maximizers:
            check_part(maximizer, "a maximizer", "__call__", "rembo.Direct()")

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.maximizers}"

    @abstractmethod
    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best point found."""


class BestOf(Several):
    """The paper's way (Section 3.3): run both DIRECT and CMA-ES, use the better result.

    BestOf(a, b) is BestOf(maximizers=(a, b)).
    """

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The highest of their answers; the first of them if they tie."""
        best, *others = (maximizer(score, region, starts, rng) for maximizer in self.maximizers)
        for other in others:
            best = higher(best, other)
        return best


class InTurn(Several):
    """One after the other, each from what the one before found: a search of the whole region, then a local one.

    InTurn(Direct(500, 200), NelderMead(800)) is the way of the authors' released code. InTurn(a, b) is
    InTurn(maximizers=(a, b)).
    """

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The answer of the last."""
        first, *others = self.maximizers
        best = first(score, region, starts, rng)
        for other in others:
            best = other(score, region, best.at[None, :], rng)
        return best
