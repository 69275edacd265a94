"""The step that Newton would take: to the lowest point of a smooth model of the observations nearest to the best one.

A Gaussian process over the whole region must bridge walls and valleys, and near a minimum it knows little more than
where the minimum is. The few nearest observations, seen alone, in units of their own spread, are a smooth bowl: its
bottom is predicted better with every step, on Branin's function by one or two orders of magnitude each.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array, Indices
from rembo.embedding import IdentityEmbedding
from rembo.gp import Evidence, Noise, Posterior, condition
from rembo.kernel import Leaves, SquaredExponential
from rembo.learning import MaximumAPosteriori
from rembo.maximizer import Ascent
from rembo.space import Box

_NOISE = 1e-10
_LEAST_UNIT = float(np.finfo(np.float64).tiny)  # differences below this have lost digits, and 1 / unit overflows
_LEARNING = MaximumAPosteriori(
    median=2.0, spread=1.0, lower=0.1, upper=20.0, search=Ascent(sobol=0, local=0, climbs=2, steps=30)
)


@dataclass(frozen=True, eq=False)
class Step:
    """Where to go, (d,), by how much f is expected to fall, and how far the observations behind it lie, (d,)."""

    at: Array
    gain: float
    reach: Array


@dataclass(frozen=True)
class Polish:
    """Moves at most `most` leaves, those with the shortest length scales below `relevant`; the others stay."""

    relevant: float = 20.0
    most: int = 12

    def __call__(self, Y: Array, values: Array, scales: Array, leaves: Leaves) -> Step | None:
        """The step from the best of Y, (n, d), with values, (n,), NaN where f failed; None if nothing moves there."""
        seen = np.flatnonzero(~np.isnan(values))
        if len(seen) == 0:
            return None
        at = Y[seen[np.argmin(values[seen])]]
        moved = self._moved(scales, leaves)
        near = seen[self._nearest(Y[seen], at, scales, leaves, len(moved))]
        reach = np.abs(Y[near] - at).max(axis=0)
        moved = moved[reach[moved] > 1e-12]
        above = values[near] / 4.0 - values[near].min() / 4.0  # a quarter, so that no difference overflows
        unit = float(above.max())
        if len(moved) == 0 or not unit >= _LEAST_UNIT:
            return None
        Z = (Y[near][:, moved] - at[moved]) / reach[moved]
        spread = float((above / unit).std())
        return self._descend(Z, above / unit / spread, at, moved, reach, 4.0 * (unit * spread))

    def along(self, U: Array, scales: Array, Y: Array, values: Array) -> Step | None:
        """The step along orthonormal directions U, (d, p), with a length scale for each, (p,)."""
        root = math.sqrt(len(U))  # so that y U / root lies in [-1,1]^p
        Z = Y @ U / root
        step = self(Z, values, scales / root, Leaves.numbers(U.shape[1]))
        if step is None:
            return None
        at = _in_the_box(Y[np.nanargmin(values)], U, root * step.at)
        return Step(at, step.gain, root * np.abs(U) @ step.reach)

    def _moved(self, scales: Array, leaves: Leaves) -> Indices:
        """The leaves that take any number and matter, the shortest scales first."""
        able = np.flatnonzero(leaves.continuous & (scales < self.relevant))
        return able[np.argsort(scales[able], kind="stable")][: self.most]

    def _nearest(self, Y: Array, at: Array, scales: Array, leaves: Leaves, p: int) -> Indices:
        """As many of the nearest as a parabola in p variables needs, or 3 p if that is fewer, and 4 more.

        Only those that make the same choices as the best, wherever a choice matters.
        """
        fixed = ~leaves.continuous & (scales < self.relevant)
        alike = np.flatnonzero((leaves.snap(Y)[:, fixed] == leaves.snap(at[None, :])[:, fixed]).all(axis=1))
        distances = (((Y[alike] - at) / scales) ** 2).sum(axis=1)
        count = 4 + ((p + 1) * (p + 2) // 2 if p <= 4 else 3 * p)
        return alike[np.argsort(distances, kind="stable")[:count]]

    def _descend(self, Z: Array, heights: Array, at: Array, moved: Indices, reach: Array, spread: float) -> Step:
        """Down the mean of a smooth process through heights at Z, within [-1,1]^p and within the region."""
        bowl = _bowl(Z, heights - heights.mean())

        def mean(z: Array) -> tuple[float, Array]:
            belief = bowl(z[None, :])
            return float(belief.mean[0]), belief.gradient(np.ones(1), np.zeros(1))[0]

        lower = np.maximum((-1.0 - at[moved]) / reach[moved], -1.0)
        upper = np.minimum((1.0 - at[moved]) / reach[moved], 1.0)
        bounds = scipy.optimize.Bounds(np.minimum(lower, 0.0), np.maximum(upper, 0.0))
        found = scipy.optimize.minimize(mean, np.zeros(len(moved)), jac=True, method="L-BFGS-B", bounds=bounds)
        y = at.copy()
        y[moved] = np.clip(at[moved] + reach[moved] * found.x, -1.0, 1.0)
        return Step(y, spread * (float(bowl.values.min()) - float(found.fun)), reach)


def _in_the_box(y: Array, U: Array, target: Array, rounds: int = 20) -> Array:
    """The point of [-1,1]^d near y whose coordinates along U are the target, by turns moved there and clipped."""
    for _ in range(rounds):
        y = np.clip(y + U @ (target - y @ U), -1.0, 1.0)
    return y


def _bowl(Z: Array, heights: Array) -> Posterior:
    """A squared exponential process through heights, (n,), at Z, (n, p), with its most probable length scales."""
    p, noise = Z.shape[1], Noise(_NOISE, _NOISE)
    kernel = SquaredExponential(2.0, ard=True).bind(Box(p), IdentityEmbedding(p))
    evidence = Evidence(kernel, Z, heights, noise)
    rng = np.random.default_rng(0)  # the search draws nothing: it climbs from where it is put
    learned = _LEARNING.advance(_LEARNING.begin(kernel, noise), 1, math.nan, evidence, rng)
    return condition(kernel.with_scales(learned.scales), Z, heights, _NOISE)
