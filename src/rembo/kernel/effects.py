"""Main effects and interactions: a function of many variables as a sum of functions of one, plus one of all together.

k(z, z') = a/g sum_i kappa(c^2 s_i) + b kappa(sum_i s_i), where s_i is the squared scaled distance in group i of g,
kappa the Matern-5/2 profile, a and b are the variances of the two parts, and c says how much shorter the length scale
of a main effect is. Most functions of many variables are nearly sums, and a sum is learned from far fewer observations,
because what is seen of one variable holds for every value of the others (Duvenaud, Nickisch and Rasmussen 2011). What
is not a sum is left to the second part; the evidence says how much is which.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rembo.arrays import Array, Indices, Mask
from rembo.kernel.features import FeatureMap
from rembo.kernel.stationary import BoundStationary, Matern52, mismatches, squared_distance, weighted_squares

BESIDES = 3  # c, a and b, after the length scales
_BLOCK = 16_384  # entries of a covariance worked on at a time: few enough to stay in the cache
_KAPPA = Matern52()
_ROOT5 = 5.0**0.5


@dataclass(frozen=True, eq=False)
class BoundEffects:
    """The kernel on known features; `scales` holds a length scale for each of g groups, then c, a and b.

    A group is one number, or a choice, of which two are the same or at distance 1: choices, (g,), tells which. A choice
    among many is one feature, its code, in place of one for each value: `coded` tells which features are.
    """

    feature_map: FeatureMap
    scales: Array
    groups: Indices
    choices: Mask
    coded: tuple[int, ...] = ()

    @property
    def variance(self) -> float:
        """k(z, z) = a + b."""
        return float(self.scales[-2] + self.scales[-1])

    def with_scales(self, scales: Array) -> "BoundEffects":
        """The same kernel with other scales, (g + 3,)."""
        return replace(self, scales=np.asarray(scales, dtype=np.float64))

    def features(self, Y: Array) -> Array:
        """Z, (n, m)."""
        return self.feature_map(Y)

    def covariance(self, Z: Array, W: Array) -> Array:
        """k(z_a, w_b), (len(Z), len(W))."""
        return np.asarray(self._each * self._sum_of_effects(Z, W) + self._together * self._joint.covariance(Z, W))

    def gradient(self, Y: Array, Z: Array, weights: Array) -> Array:
        """The gradients of the main effects, -(5/3) (1 + r) exp(-r) (z - z_b) / l^2 each, and of the interaction."""
        ours = self.features(Y)
        G = np.zeros_like(ours)
        for rows, column, r in self._distances(ours, Z):
            C = weights[rows] * (1.0 + r) * np.exp(-r)
            G[rows, column] = C @ Z[:, column] - C.sum(axis=1) * ours[rows, column]
        effects = self.feature_map.pull_back(Y, 5.0 / 3.0 * self._each * G / self._units**2)
        return effects + self._together * self._joint.gradient(Y, Z, weights)

    def scale_gradient(self, Z: Array, weights: Array) -> Array:
        """By log l an effect changes by (1 + r) r^2/3 exp(-r), by log c as much the other way."""
        slopes = np.zeros(len(self.groups))
        for rows, column, r in self._distances(Z, Z):
            e = np.exp(-r)
            e *= weights[rows]
            e *= r
            e *= r
            slopes[column] += (float(e.sum()) + float(np.vdot(e, r))) / 3.0
        choices = self._of_choices
        squares = weighted_squares(Z[:, choices], weights, self._coded_choices)
        s = self._units[choices] ** -2.0
        slopes[choices] = -2.0 * s * _KAPPA.slope(s) * squares
        effects = self._each * np.bincount(self.groups, slopes)
        explained = self._each * float(np.vdot(weights, self._sum_of_effects(Z, Z)))
        joint = self._together * float(np.vdot(weights, self._joint.covariance(Z, Z)))
        lengths = effects + self._together * self._joint.scale_gradient(Z, weights)
        return np.append(lengths, [-effects.sum(), explained, joint])

    def _sum_of_effects(self, Z: Array, W: Array) -> Array:
        """sum_i kappa(c^2 s_i); that of a choice is 1 for the same, and for another one less by the same amount."""
        chosen = np.delete(self._of_choices, self._coded_choices) if self.coded else self._of_choices
        less = np.sqrt(1.0 - _KAPPA.profile(self._units[chosen] ** -2.0))
        total = np.count_nonzero(self.choices) - squared_distance(less * Z[:, chosen], less * W[:, chosen])
        if self.coded:
            total -= mismatches(Z, W, self.coded, 1.0 - _KAPPA.profile(self._units**-2.0))
        for rows, _, r in self._distances(Z, W):
            block, e = total[rows], np.exp(-r)
            block += e  # (1 + r + r^2/3) exp(-r), term by term
            e *= r
            block += e
            e *= r
            e /= 3.0
            block += e
        return np.asarray(total)

    @property
    def _each(self) -> float:
        """The variance of one main effect, a/g."""
        return float(self.scales[-2]) / len(self.choices)

    @property
    def _together(self) -> float:
        """The variance of the interaction, b."""
        return float(self.scales[-1])

    @cached_property
    def _joint(self) -> BoundStationary:
        return BoundStationary(_KAPPA, self.feature_map, self.scales[:-BESIDES], self.groups, self.coded)

    @cached_property
    def _units(self) -> Array:
        """The length scale of each feature in its main effect, (m,)."""
        return np.asarray(self.scales[self.groups] / self.scales[-BESIDES])

    @cached_property
    def _of_choices(self) -> Indices:
        """The features of choices."""
        return np.flatnonzero(self.choices[self.groups])

    @cached_property
    def _coded_choices(self) -> list[int]:
        """Which of the features of choices are coded."""
        return np.flatnonzero(np.isin(self._of_choices, self.coded)).tolist() if self.coded else []

    def _distances(self, Z: Array, W: Array) -> Iterator[tuple[slice, int, Array]]:
        """For some rows of Z at a time, and each number among the features: sqrt 5 times the scaled distances to W."""
        numbers = np.flatnonzero(~self.choices[self.groups]).tolist()
        Z, W = _ROOT5 * Z / self._units, _ROOT5 * W / self._units
        step = max(1, _BLOCK // max(1, len(W)))
        for start in range(0, len(Z), step):
            rows = slice(start, start + step)
            for column in numbers:
                r = np.subtract.outer(Z[rows, column], W[:, column])
                yield rows, column, np.abs(r, out=r)
