"""DIRECT (Jones, Perttunen and Stuckman 1993), by SciPy: half of what the paper maximises with."""

from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.embedding import Region
from rembo.maximizer.maximizer import Maximum, Score, best_of_batch

_LEAST = 1e300  # SciPy's DIRECT takes no infinity


@dataclass(frozen=True)
class Direct:
    """Divides the region into rectangles and looks into those that may hold the maximum; needs no gradient."""

    evaluations: int = 500

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best of the starts and of what DIRECT finds; rng is not used, DIRECT throws no dice."""

        def loss(y: Array) -> float:
            value = float(score(y[None, :])[0])
            return -value if value > -_LEAST else _LEAST

        bounds = [(-region.half_width, region.half_width)] * region.dim
        limits = {"maxfun": self.evaluations, "maxiter": self.evaluations, "vol_tol": 0.0}
        found = scipy.optimize.direct(loss, bounds, **limits)
        return best_of_batch(score, np.vstack([starts, found.x]))  # SciPy's own value may be of a rounded x
