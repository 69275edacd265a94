"""Ascent around a point in many dimensions, numbers and choices alike: candidates change only some entries of it."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region, Window
from rembo.kernel import Leaves
from rembo.maximizer.ascent import climb, top
from rembo.maximizer.maximizer import Maximum, Score, best_of, best_of_batch, higher, scores_of


@dataclass(frozen=True)
class SparseAscent:
    """Scores `sobol` points of the box and `local` steps from the point, then climbs from the best of both.

    About `changed` entries of a Sobol point differ from the given one; steps are in units of the length scales. Leaves
    that take any number are climbed by gradient; choices and lone whole numbers by the best single exchange, again and
    again, until none is better.
    """

    sobol: int = 512
    local: int = 256
    changed: int = 20
    climbs: int = 4
    steps: int = 25

    def __call__(
        self,
        score: Score,
        box: Region | Window,
        at: Array,
        scales: Array,
        leaves: Leaves,
        rng: np.random.Generator,
    ) -> Maximum:
        """The best point that was scored on the way; at: (dim,), scales: (dim,)."""
        wide = box.sobol(self.sobol, rng)
        wide = np.where(rng.random(wide.shape) < self.changed / box.dim, wide, at)
        Y = leaves.snap(np.vstack([wide, self._near(box, at, scales, leaves, rng), box.clip(at[None, :])]))
        values = scores_of(score, Y)
        half = self.climbs // 2
        chosen = np.concatenate([top(values[: self.sobol], half), self.sobol + top(values[self.sobol :], half)])
        best = best_of(Y, values)
        if leaves.continuous.any():
            best = higher(best, climb(score, box, Y[chosen], self.steps))
        if leaves.continuous.all():
            return best
        for start in (best, *(Maximum(Y[number], float(values[number])) for number in chosen)):
            best = higher(best, _exchange(score, start, leaves))
        return higher(best, climb(score, box, best.at[None, :], self.steps)) if leaves.continuous.any() else best

    def _near(self, box: Region | Window, at: Array, scales: Array, leaves: Leaves, rng: np.random.Generator) -> Array:
        """Gaussian steps of lengths between 1e-4 and 0.5 of half a length scale; every other one in about 3 places."""
        lengths = 10.0 ** rng.uniform(-4.0, -0.3, size=(self.local, 1)) * scales / 2.0
        steps = lengths * rng.standard_normal((self.local, box.dim))
        few = rng.random((self.local, box.dim)) < 3.0 / box.dim
        steps[::2] *= few[::2]
        near = box.clip(at + steps)
        if leaves.continuous.all():
            return near
        return np.where(few & ~leaves.continuous, rng.uniform(-1.0, 1.0, size=near.shape), near)


def _exchange(score: Score, start: Maximum, leaves: Leaves) -> Maximum:
    """The end of a climb by best single exchanges."""
    best = start
    while True:
        step = best_of_batch(score, leaves.neighbours(best.at))
        if not step.value > best.value:
            return best
        best = step
