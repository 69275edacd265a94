"""Gradient ascent around a point in many dimensions: candidates that change only some coordinates of it."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region, Window
from rembo.maximizer.ascent import climb, top
from rembo.maximizer.maximizer import Maximum, Score, best_of, higher, scores_of


@dataclass(frozen=True)
class SparseAscent:
    """Scores `sobol` points of the box and `local` steps from the point, then climbs from the best of both.

    About `changed` coordinates of a Sobol point differ from the given one; steps are in units of the length scales.
    """

    sobol: int = 512
    local: int = 256
    changed: int = 20
    climbs: int = 4
    steps: int = 25

    def __call__(
        self, score: Score, box: Region | Window, at: Array, scales: Array, rng: np.random.Generator
    ) -> Maximum:
        """The best point that was scored on the way; at: (dim,), scales: (dim,)."""
        wide = box.sobol(self.sobol, rng)
        wide = np.where(rng.random(wide.shape) < self.changed / box.dim, wide, at)
        Y = np.vstack([wide, self._near(box, at, scales, rng), box.clip(at[None, :])])
        values = scores_of(score, Y)
        half = self.climbs // 2
        chosen = np.concatenate([top(values[: self.sobol], half), self.sobol + top(values[self.sobol :], half)])
        return higher(best_of(Y, values), climb(score, box, Y[chosen], self.steps))

    def _near(self, box: Region | Window, at: Array, scales: Array, rng: np.random.Generator) -> Array:
        """Gaussian steps of lengths between 1e-4 and 0.5 of half a length scale; every other one in about 3 places."""
        lengths = 10.0 ** rng.uniform(-4.0, -0.3, size=(self.local, 1)) * scales / 2.0
        steps = lengths * rng.standard_normal((self.local, box.dim))
        few = rng.random((self.local, box.dim)) < 3.0 / box.dim
        steps[::2] *= few[::2]
        return box.clip(at + steps)
