"""Main effects and interactions: a function of many variables as a sum of functions of one, plus one of all together.

k(z, z') = a/g sum_i e_i(z_i, z'_i) + b kappa(sum_i s_i), where s_i is the squared scaled distance in group i of g,
kappa the Matern-5/2 profile, and a and b are the variances of the two parts. Most functions of many variables are
nearly sums, and a sum is learned from far fewer observations, because what is seen of one variable holds for every
value of the others (Duvenaud, Nickisch and Rasmussen 2011). What is not a sum is left to the second part; the evidence
says how much is which.

The main effect of a number is a polynomial: e_i(z, z') = t(z)^T V(l_i/c) t(z'), with Chebyshev's polynomials t and the
covariance V of their coefficients that interpolates a Matern-5/2 process of length scale l_i/c. A process of a long
length scale is nearly a line, one of a short length scale needs all degrees. All main effects together are one matrix
product (as in Solin and Sarkka 2020, with polynomials in place of sines, so that lines and parabolas are exact).
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from rembo.arrays import Array, Indices, Mask
from rembo.kernel.features import FeatureMap
from rembo.kernel.stationary import (
    BoundStationary,
    Matern52,
    Stationary,
    mismatches,
    squared_distance,
    weighted_squares,
)

BESIDES = 3  # c, a and b, after the length scales
_FEWEST, _MOST, _ALL = 11, 33, 256  # polynomials of a number, and of all numbers together
_SHORTEST, _LONGEST = 0.02, 500.0  # length scales between which the variances are tabulated


@dataclass(frozen=True, eq=False)
class BoundEffects:
    """The kernel on known features; `scales` holds a length scale for each of g groups, then c, a and b.

    A group is one number in [-1,1], or a choice, of which two are the same or at distance 1: choices, (g,), says which.
    A choice among many is one feature, its code, in place of one for each value: `coded` tells which features are.
    Features are those of the feature map, then the polynomials of each number.
    """

    feature_map: FeatureMap
    scales: Array
    groups: Indices
    choices: Mask
    coded: tuple[int, ...] = ()
    shape: Stationary = Matern52()

    def diagonal(self, Z: Array) -> Array:
        """k(z, z), (n,)."""
        P = self._polynomials(Z)
        effects = np.count_nonzero(self.choices) + np.einsum("nij,nij->n", P, self._weighted(P))
        return np.asarray(self._each * effects + self._together)

    def with_scales(self, scales: Array) -> "BoundEffects":
        """The same kernel with other scales, (g + 3,)."""
        return replace(self, scales=np.asarray(scales, dtype=np.float64))

    def features(self, Y: Array) -> Array:
        """Z, (n, m): what the feature map makes of Y, then the polynomials of each number."""
        Z = self.feature_map(Y)
        return np.hstack([Z, chebyshev(Z[:, self._numbers], self._polynomials_each).reshape(len(Z), self._width)])

    def covariance(self, Z: Array, W: Array) -> Array:
        """k(z_a, w_b), (len(Z), len(W))."""
        joint = self._joint.covariance(Z[:, : self._own], W[:, : self._own])
        return np.asarray(self._each * self._sum_of_effects(Z, W) + self._together * joint)

    def gradient(self, Y: Array, Z: Array, weights: Array) -> Array:
        """The gradients of the main effects, p'(z)^T V (weights p), and of the interaction."""
        ours = self.feature_map(Y)
        pulled = (weights @ Z[:, self._own :]).reshape(len(Y), len(self._numbers), self._polynomials_each)
        G = np.zeros_like(ours)
        G[:, self._numbers] = np.einsum(
            "nij,nij->ni", chebyshev_slopes(ours[:, self._numbers], self._polynomials_each), self._weighted(pulled)
        )
        effects = self.feature_map.pull_back(Y, self._each * G)
        return effects + self._together * self._joint.gradient(Y, Z[:, : self._own], weights)

    def scale_gradient(self, Z: Array, weights: Array) -> Array:
        """By log l the covariance of the coefficients changes by its slope, by log c as much the other way."""
        P = self._polynomials(Z)
        weighted = (weights @ Z[:, self._own :]).reshape(P.shape)
        forms = np.matmul(np.ascontiguousarray(P.transpose(1, 2, 0)), np.ascontiguousarray(weighted.transpose(1, 0, 2)))
        effects = np.zeros(len(self.choices))
        effects[~self.choices] = np.einsum("ijk,ijk->i", self._coefficients.slope, forms)
        of_choices = self._of_choices
        squares = weighted_squares(Z[:, of_choices], weights, self._coded_choices)
        s = self._units[of_choices] ** -2.0
        effects += np.bincount(self.groups[of_choices], -2.0 * s * self.shape.slope(s) * squares, len(effects))
        effects *= self._each
        explained = self._each * (float(np.vdot(self._coefficients.covariance, forms)) + self._of_same(Z, weights))
        own = Z[:, : self._own]
        joint = self._together * float(np.vdot(weights, self._joint.covariance(own, own)))
        lengths = effects + self._together * self._joint.scale_gradient(own, weights)
        return np.append(lengths, [-effects.sum(), explained, joint])

    def _sum_of_effects(self, Z: Array, W: Array) -> Array:
        """sum_i e_i, (len(Z), len(W))."""
        total = self._weighted(self._polynomials(Z)).reshape(len(Z), self._width) @ W[:, self._own :].T
        return np.asarray(total + self._sum_of_same(Z, W) if self.choices.any() else total)

    def _sum_of_same(self, Z: Array, W: Array) -> Array:
        """The part of choices: 1 for the same, and for another one less by the same amount."""
        chosen = np.delete(self._of_choices, self._coded_choices) if self.coded else self._of_choices
        less = np.sqrt(1.0 - self.shape.profile(self._units[chosen] ** -2.0))
        total = np.count_nonzero(self.choices) - squared_distance(less * Z[:, chosen], less * W[:, chosen])
        if self.coded:
            total -= mismatches(Z, W, self.coded, 1.0 - self.shape.profile(self._units**-2.0))
        return np.asarray(total)

    def _of_same(self, Z: Array, weights: Array) -> float:
        """The sum of the effects of choices over all pairs."""
        return float(np.vdot(weights, self._sum_of_same(Z, Z))) if self.choices.any() else 0.0

    def _polynomials(self, Z: Array) -> Array:
        """p of each number, (n, numbers, m)."""
        return Z[:, self._own :].reshape(len(Z), len(self._numbers), self._polynomials_each)

    def _weighted(self, P: Array) -> Array:
        """V p, (n, numbers, m)."""
        return np.asarray(np.matmul(P.transpose(1, 0, 2), self._coefficients.covariance).transpose(1, 0, 2))

    @property
    def _each(self) -> float:
        """The variance of one main effect, a/g."""
        return float(self.scales[-2]) / len(self.choices)

    @property
    def _together(self) -> float:
        """The variance of the interaction, b."""
        return float(self.scales[-1])

    @property
    def _own(self) -> int:
        """The number of features of the feature map, before the polynomials."""
        return len(self.groups)

    @cached_property
    def _joint(self) -> BoundStationary:
        return BoundStationary(self.shape, self.feature_map, self.scales[:-BESIDES], self.groups, self.coded)

    @cached_property
    def _units(self) -> Array:
        """The length scale of each feature in its main effect, (own features,)."""
        return np.asarray(self.scales[self.groups] / self.scales[-BESIDES])

    @cached_property
    def _coefficients(self) -> "_Coefficients":
        return _Coefficients.at(self._units[self._numbers], self._polynomials_each, self.shape)

    @property
    def _polynomials_each(self) -> int:
        """m: the fewer numbers there are, the finer the structure that can be told from their values."""
        return min(max(_ALL // max(len(self._numbers), 1), _FEWEST), _MOST)

    @property
    def _width(self) -> int:
        """The number of polynomials of all numbers."""
        return len(self._numbers) * self._polynomials_each

    @cached_property
    def _numbers(self) -> Indices:
        """The features that are numbers."""
        return np.flatnonzero(~self.choices[self.groups])

    @cached_property
    def _of_choices(self) -> Indices:
        """The features of choices."""
        return np.flatnonzero(self.choices[self.groups])

    @cached_property
    def _coded_choices(self) -> list[int]:
        """Which of the features of choices are coded."""
        return np.flatnonzero(np.isin(self._of_choices, self.coded)).tolist() if self.coded else []


def chebyshev(Z: Array, m: int) -> Array:
    """t_0, ..., t_m-1 at Z, (..., m): from t_0, ..., t_k the next k by t_{k+j} = 2 t_k t_j - t_{k-j}."""
    T = np.stack([np.ones_like(Z), Z], axis=-1)
    while T.shape[-1] < m:
        k = T.shape[-1] - 1
        T = np.concatenate([T, 2.0 * T[..., k:] * T[..., 1:] - T[..., k - 1 :: -1]], axis=-1)
    return np.asarray(T[..., :m])


def chebyshev_slopes(Z: Array, m: int) -> Array:
    """The derivatives of `chebyshev`, (..., m), by the derivative of its recursion."""
    T, S = chebyshev(Z, m), np.stack([np.zeros_like(Z), np.ones_like(Z)], axis=-1)
    while S.shape[-1] < m:
        k = S.shape[-1] - 1
        product = S[..., k:] * T[..., 1 : k + 1] + T[..., k : k + 1] * S[..., 1:]
        S = np.concatenate([S, 2.0 * product - S[..., k - 1 :: -1]], axis=-1)[..., :m]
    return np.asarray(S)


@dataclass(frozen=True, eq=False)
class _Coefficients:
    """V of k numbers and its slope by log l, (k, m, m) each.

    V is a quadratic spline through the tabulated length scales: a mean of three neighbours with weights that are never
    negative, so that it stays a covariance, and whose slope has no jumps.
    """

    covariance: Array
    slope: Array

    @classmethod
    def at(cls, scales: Array, m: int, shape: Stationary) -> "_Coefficients":
        """At length scales, (k,), of processes of this shape."""
        log_scales, table = _table(m, shape)
        step = log_scales[1] - log_scales[0]
        place = np.clip((np.log(scales) - log_scales[0]) / step, 1.0, len(log_scales) - 2.0)
        nearest = np.rint(place).astype(np.int64)
        t = (place - nearest)[:, None, None]
        low, middle, high = (table[np.clip(nearest + side, 0, len(table) - 1)] for side in (-1, 0, 1))
        covariance = (0.5 - t) ** 2 / 2.0 * low + (0.75 - t**2) * middle + (0.5 + t) ** 2 / 2.0 * high
        return cls(covariance, ((t - 0.5) * low - 2.0 * t * middle + (t + 0.5) * high) / step)


@cache
def _table(m: int, shape: Stationary) -> tuple[Array, Array]:
    """Log length scales, (k,), and V there, (k, m, m): the kernel at Chebyshev's nodes, interpolated in both."""
    log_scales = np.linspace(np.log(_SHORTEST), np.log(_LONGEST), 201)
    nodes = np.cos(np.pi * (np.arange(m) + 0.5) / m)
    transform = np.linalg.inv(chebyshev(nodes, m))
    squares = np.subtract.outer(nodes, nodes) ** 2
    return log_scales, np.array(
        [transform @ shape.profile(squares / np.exp(2.0 * log)) @ transform.T for log in log_scales]
    )
