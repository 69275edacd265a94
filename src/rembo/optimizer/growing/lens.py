"""The polishing step: to the lowest point of a smooth model of the observations nearest to the incumbent.

A Gaussian process over the whole region must bridge walls and valleys, and near a minimum it knows little more than
where the minimum is. The nearest observations, seen alone, in units of their own spread and distance, are a smooth
bowl: its bottom is predicted better with every step, on Branin's function by one or two orders of magnitude each.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array, Indices
from rembo.gp import Evidence, Noise, Posterior, condition
from rembo.kernel import BoundEffects, Leaves, SquaredExponential
from rembo.learning import Prior
from rembo.optimizer.additive import most_probable

_NOISE = Noise(1e-10, 1e-10)
_LENGTH = Prior(2.0, 1.0, 0.1, 20.0)  # in units of the distance of the farthest observation
_EFFECTS = (Prior(1.0, 0.5, 0.3, 3.0), Prior(1.0, 2.0, 1e-4, 1e4), Prior(1.0, 2.0, 1e-4, 1e4))
_STEPS = 20  # of L-BFGS
_MOST = 32  # bins that are moved
_LEAST_UNIT = float(np.finfo(np.float64).tiny)  # differences below this have lost digits, and 1 / unit overflows


@dataclass(frozen=True, eq=False)
class Step:
    """Where to go, (d,), by how much f is expected to fall, and how far the observations behind it lie, (d,)."""

    at: Array
    gain: float
    reach: Array


@dataclass(frozen=True)
class Lens:
    """Moves the bins of numbers with length scales below `relevant`; with `whole`, the others too."""

    relevant: float
    whole: bool = False

    def __call__(self, Y: Array, values: Array, lengths: Array, leaves: Leaves) -> Step | None:
        """The step from the best of Y, (n, d), with values, (n,), NaN where f failed; None if nothing moves there."""
        if np.isnan(values).all():
            return None
        at = Y[np.nanargmin(values)]
        near = self._nearest(Y, at, lengths, leaves)
        values = np.where(np.isnan(values[near]), np.nanmax(values[near]), values[near])  # a failure is as bad as any
        reach = np.abs(Y[near] - at).max(axis=0)
        moved = self._moved(lengths, leaves)
        moved = moved[reach[moved] > 1e-12]
        above = values / 4.0 - values.min() / 4.0  # a quarter, so that no difference overflows
        unit = float(above.max())
        if len(moved) == 0 or not unit >= _LEAST_UNIT:
            return None
        heights = above / unit
        bowl = _bowl((Y[near][:, moved] - at[moved]) / reach[moved], (heights - heights.mean()) / heights.std())
        lower, upper = (np.clip((end - at[moved]) / reach[moved], -1.0, 1.0) for end in (-1.0, 1.0))
        bottom = _bottom(bowl, scipy.optimize.Bounds(np.minimum(lower, 0.0), np.maximum(upper, 0.0)))
        y = at.copy()
        y[moved] = np.clip(at[moved] + reach[moved] * bottom.x, -1.0, 1.0)
        return Step(y, 4.0 * unit * float(heights.std()) * (float(bowl.values.min()) - float(bottom.fun)), reach)

    def along(self, U: Array, lengths: Array, Y: Array, values: Array) -> Step | None:
        """The step along orthonormal directions U, (d, p), with a length scale for each, (p,)."""
        root = math.sqrt(len(U))  # so that y U / root lies in [-1,1]^p
        step = self(Y @ U / root, values, lengths / root, Leaves.numbers(U.shape[1]))
        if step is None:
            return None
        at = _in_the_box(Y[np.nanargmin(values)], U, root * step.at)
        return Step(at, step.gain, root * np.abs(U) @ step.reach)

    def _moved(self, lengths: Array, leaves: Leaves) -> Indices:
        """The bins that are moved, the shortest length scales first."""
        able = np.flatnonzero(leaves.continuous & (self.whole | (lengths < self.relevant)))
        return able[np.argsort(lengths[able], kind="stable")][:_MOST]

    def _nearest(self, Y: Array, at: Array, lengths: Array, leaves: Leaves) -> Indices:
        """As many of the nearest as a parabola in the p numbers that matter needs, or 5 p if that is fewer, and 4 more.

        Only those with the incumbent's categories and whole numbers, wherever these matter.
        """
        relevant = lengths < self.relevant
        fixed = ~leaves.continuous & relevant
        alike = np.flatnonzero((leaves.snap(Y)[:, fixed] == leaves.snap(at[None, :])[:, fixed]).all(axis=1))
        p = int(np.clip(np.count_nonzero(relevant & leaves.continuous), 1, _MOST))
        count = 4 + min((p + 1) * (p + 2) // 2, 5 * p)
        distances = (((Y[alike] - at) / lengths) ** 2).sum(axis=1)
        return alike[np.argsort(distances, kind="stable")[:count]]


def _bottom(bowl: Posterior, bounds: "scipy.optimize.Bounds") -> "scipy.optimize.OptimizeResult":
    """Down the mean from the incumbent, which is the origin: the lowest point x, (p,), and its height fun."""

    def mean(z: Array) -> tuple[float, Array]:
        between = bowl.kernel.between(z[None, :], bowl.Z)
        return float(between.covariance[0] @ bowl.weights), between.gradient(bowl.weights[None, :])[0]

    return scipy.optimize.minimize(mean, np.zeros(len(bounds.lb)), jac=True, method="L-BFGS-B", bounds=bounds)


def _bowl(Z: Array, heights: Array) -> Posterior:
    """A smooth process through heights, (n,), at Z in [-1,1]^p, (n, p), with its most probable length scales."""
    leaves, priors = Leaves.numbers(Z.shape[1]), [*(_LENGTH for _ in Z.T), *_EFFECTS]
    scales = np.array([prior.median for prior in priors])
    kernel = BoundEffects(leaves, scales, leaves.groups, leaves.choices > 0, shape=SquaredExponential())
    evidence = Evidence(kernel, kernel.features(Z), heights, _NOISE)
    learned = most_probable(evidence, priors, None, _STEPS)
    return condition(kernel.with_scales(learned[:-1]), Z, heights, _NOISE.low)


def _in_the_box(y: Array, U: Array, target: Array, rounds: int = 20) -> Array:
    """The point of [-1,1]^d near y whose coordinates along U are the target, by turns moved there and clipped."""
    for _ in range(rounds):
        y = np.clip(y + U @ (target - y @ U), -1.0, 1.0)
    return y
