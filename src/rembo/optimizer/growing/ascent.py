"""Where a score is highest around a point in many dimensions: numbers by gradient, categoricals by exchange."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region, Window
from rembo.kernel import Leaves
from rembo.maximizer import Maximum, Score, climb
from rembo.maximizer.ascent import top
from rembo.maximizer.maximizer import best_of, best_of_batch, higher, scores_of

_WIDE, _NEAR = 192, 128  # candidates all over the box, and around the point
_CHANGED = 20  # entries, on average, in which the former differ from the point
_FOURFOLD = 4.0  # of the reach, at most
_STEPS, _CALLS = 12, 16  # of L-BFGS, and of the score


@dataclass(frozen=True, eq=False)
class Ground:
    """Where to look: a box, a point of it, (d,), the length scales there, (d,), and what the bins stand for."""

    box: Region | Window
    at: Array
    lengths: Array
    leaves: Leaves


def reaches(reach: float, lengths: Array, leaves: Leaves) -> Array:
    """How far to look from the incumbent along each bin, (d,): farther where its length scale is long, up to fourfold.

    It is the trust region of TuRBO (Eriksson et al. 2019) as it is at first. Categoricals and lone integers are not
    confined: the steps that are tried change few of them.
    """
    relative = lengths / np.exp(np.log(lengths).mean())
    return np.where(leaves.continuous, reach * np.minimum(relative, _FOURFOLD), 2.0)


def highest(score: Score, smooth: Score, ground: Ground, rng: np.random.Generator) -> Maximum:
    """The best point that was scored on the way.

    The best candidates are climbed by gradient: by that of `smooth`, the score with whole numbers taken for any. Then
    categoricals and whole numbers are exchanged one at a time, as long as that is better.
    """
    Y = ground.leaves.snap(np.vstack([_wide(ground, rng), _near(ground, rng), ground.box.clip(ground.at[None, :])]))
    values = scores_of(score, Y)
    starts = np.concatenate([top(values[:_WIDE], 2), _WIDE + top(values[_WIDE:], 2)])
    best = best_of(Y, values)
    numeric = ground.leaves.choices == 0
    if numeric.any():
        climbed = climb(smooth, ground.box, Y[starts], _STEPS, _CALLS).at
        best = higher(best, best_of_batch(score, ground.leaves.snap(climbed[None, :])))
    if ground.leaves.continuous.all():
        return best
    others = [] if numeric.any() else [Maximum(Y[number], float(values[number])) for number in starts[::2]]
    for start in (best, *others):
        best = higher(best, _exchanged(score, start, ground.leaves))
    return best


def _wide(ground: Ground, rng: np.random.Generator) -> Array:
    """Points of the box that differ from the given one in some entries."""
    box = ground.box
    anywhere = rng.uniform(box.low, box.high, size=(_WIDE, box.dim))
    return np.where(rng.random(anywhere.shape) < _CHANGED / box.dim, anywhere, ground.at)


def _near(ground: Ground, rng: np.random.Generator) -> Array:
    """Gaussian steps of lengths between 1e-4 and 0.5 of half a length scale; every other one in about 3 places."""
    shape = _NEAR, ground.box.dim
    steps = 10.0 ** rng.uniform(-4.0, -0.3, size=(_NEAR, 1)) * ground.lengths / 2.0 * rng.standard_normal(shape)
    few = rng.random(shape) < 3.0 / ground.box.dim
    steps[::2] *= few[::2]
    near = ground.box.clip(ground.at + steps)
    return np.where(few & ~ground.leaves.continuous, rng.uniform(-1.0, 1.0, size=shape), near)


def _exchanged(score: Score, start: Maximum, leaves: Leaves) -> Maximum:
    """The end of a climb by exchanges: each time the best one, or the best 2, 4, ... together if that is better."""
    best = start
    while True:
        around = leaves.neighbours(best.at)
        values = scores_of(score, around)
        step = best_of(around, values)
        if not step.value > best.value:
            return best
        together = _together(
            best.at, around[np.argsort(-values, kind="stable")][: np.count_nonzero(values > best.value)]
        )
        best = higher(step, best_of_batch(score, together)) if len(together) else step


def _together(y: Array, around: Array) -> Array:
    """y, (d,), with the first two, four, ... of the changes that its neighbours, (k, d), make; one of each entry."""
    changed = (around != y).argmax(axis=1)
    first = np.sort(np.unique(changed, return_index=True)[1])
    leaps = []
    for count in 2 ** np.arange(1, len(first).bit_length()):
        some = first[:count]
        leap = y.copy()
        leap[changed[some]] = around[some, changed[some]]
        leaps.append(leap)
    return np.array(leaps)
