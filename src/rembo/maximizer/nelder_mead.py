"""The simplex of Nelder and Mead (1965), by SciPy: what the authors' released code refines a maximum with."""

from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import Region
from rembo.maximizer.maximizer import Maximum, Score, best_of_batch, higher, loss_of


@dataclass(frozen=True)
class NelderMead:
    """Moves a simplex of d + 1 points uphill from the best of the starts, to one local maximum; needs no gradient."""

    evaluations: int = 800

    def __post_init__(self) -> None:
        check_whole(self.evaluations, "evaluations", 1)

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best of the starts, or where the simplex ends if that is higher; rng is not used."""
        best = best_of_batch(score, starts)
        box = scipy.optimize.Bounds(-region.half_width, region.half_width)
        found = scipy.optimize.minimize(
            loss_of(score), best.at, method="Nelder-Mead", bounds=box, options={"maxfev": self.evaluations}
        )
        return higher(best, best_of_batch(score, found.x[None, :]))
