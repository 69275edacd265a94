"""CMA-ES (Hansen and Ostermeier 2001), by the package cmaes: the other half of what the paper maximises with."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region
from rembo.maximizer.maximizer import Maximum, Score, best_of, best_of_batch, higher, scores_of


@dataclass(frozen=True)
class CMAES:
    """Evolves a normal distribution from the best of the starts; each generation is scored as one batch."""

    evaluations: int = 500
    sigma: float = 0.3

    def __call__(self, score: Score, region: Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best point that any generation held."""
        import cmaes  # here, because it imports half of SciPy and most users never call it

        best = best_of_batch(score, starts)
        # cmaes wants at least two dimensions: a line is searched with a second one that the score does not see
        dim = max(region.dim, 2)
        mean = np.zeros(dim)
        mean[: region.dim] = best.at / region.half_width
        bounds = np.tile([-1.0, 1.0], (dim, 1))
        evolution = cmaes.CMA(mean, self.sigma, bounds=bounds, seed=int(rng.integers(2**31)))
        for _ in range(self.evaluations // evolution.population_size):
            generation = np.array([evolution.ask() for _ in range(evolution.population_size)])
            Y = generation[:, : region.dim] * region.half_width
            values = scores_of(score, Y)
            evolution.tell(list(zip(generation, np.minimum(-values, 1e300), strict=True)))
            best = higher(best, best_of(Y, values))
            if evolution.should_stop():
                break
        return best
