"""DIRECT (Jones, Perttunen and Stuckman 1993), by SciPy: half of what the paper maximises with."""

from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import Region
from rembo.maximizer.maximizer import Maximum, Score, best_of_batch, loss_of


@dataclass(frozen=True)
class Direct:
    """Divides the region into rectangles and looks into those that may hold the maximum; needs no gradient.

    Without a number of iterations, the evaluations alone end it.
    """

    evaluations: int = 500
    iterations: int | None = None

    def __post_init__(self) -> None:
        check_whole(self.evaluations, "evaluations", 1)
        if self.iterations is not None:
            check_whole(self.iterations, "iterations", 1)

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best of the starts and of what DIRECT finds; rng is not used, DIRECT throws no dice."""
        bounds = [(-region.half_width, region.half_width)] * region.dim
        limits = {"maxfun": self.evaluations, "maxiter": self.iterations or self.evaluations, "vol_tol": 0.0}
        found = scipy.optimize.direct(loss_of(score), bounds, **limits)
        return best_of_batch(score, np.vstack([starts, found.x]))  # SciPy's own value may be of a rounded x
