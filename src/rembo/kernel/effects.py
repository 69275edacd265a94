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
import scipy

from rembo.arrays import Array, Indices, Mask
from rembo.kernel.features import FeatureMap
from rembo.kernel.stationary import (
    BoundStationary,
    Matern52,
    Stationary,
    StationaryBetween,
    StationaryGram,
    mismatches,
    squared_distance,
    weighted_squares,
)

BESIDES = 3  # c, a and b, after the length scales
_FEWEST, _MOST, _ALL = 11, 33, 256  # polynomials of a number, and of all numbers together
_PANEL = 96  # rows of a symmetric matrix that are computed at once
_SHORTEST, _LONGEST = 0.02, 500.0  # length scales between which the variances are tabulated


@dataclass(frozen=True, eq=False)
class Layout:
    """Which features belong to which group; a group is a number or a choice: see `BoundEffects`."""

    groups: Indices
    choices: Mask
    coded: tuple[int, ...]

    @cached_property
    def own(self) -> int:
        """The number of features of the feature map, before the polynomials."""
        return len(self.groups)

    @cached_property
    def numbers(self) -> Indices:
        """The features that are numbers."""
        return np.flatnonzero(~self.choices[self.groups])

    @cached_property
    def of_choices(self) -> Indices:
        """The features of choices."""
        return np.flatnonzero(self.choices[self.groups])

    @cached_property
    def coded_choices(self) -> list[int]:
        """Which of the features of choices are coded."""
        return np.flatnonzero(np.isin(self.of_choices, self.coded)).tolist() if self.coded else []

    @cached_property
    def number_of_choices(self) -> int:
        """How many groups are choices."""
        return int(np.count_nonzero(self.choices))

    @cached_property
    def m(self) -> int:
        """Polynomials of a number: the fewer numbers there are, the finer the structure that can be told."""
        return min(max(_ALL // max(len(self.numbers), 1), _FEWEST), _MOST)

    @cached_property
    def width(self) -> int:
        """The number of polynomials of all numbers."""
        return len(self.numbers) * self.m

    def apart(self, polynomials: Array) -> Array:
        """The polynomials of all numbers, (n, width), as (n, numbers, m)."""
        return polynomials.reshape(len(polynomials), len(self.numbers), self.m)


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

    def with_scales(self, scales: Array) -> "BoundEffects":
        """The same kernel with other scales, (g + 3,)."""
        other = replace(self, scales=np.asarray(scales, dtype=np.float64))
        vars(other)["layout"] = self.layout  # a cached property that does not depend on scales
        return other

    def features(self, Y: Array) -> Array:
        """Z, (n, m): what the feature map makes of Y, then the polynomials of each number."""
        own, layout = self.feature_map(Y), self.layout
        Z = np.empty((len(own), layout.own + layout.width))
        Z[:, : layout.own] = own
        layout.apart(Z[:, layout.own :])[...] = chebyshev(own[:, layout.numbers], layout.m)
        return Z

    def covariance(self, Z: Array, W: Array) -> Array:
        """k(z_a, w_b), (len(Z), len(W))."""
        own = self.layout.own
        effects = self.with_choices(self.weighted(Z[:, own:]) @ W[:, own:].T, Z, W)
        return np.asarray(self.each * effects + self.together * self.joint.covariance(Z[:, :own], W[:, :own]))

    def between(self, Y: Array, Z: Array) -> "EffectsBetween":
        """The covariance of Y with Z, and its gradient."""
        return EffectsBetween(self, self.features(Y), Z, self.joint.between(Y, Z[:, : self.layout.own]))

    def gram(self, Z: Array) -> "EffectsGram":
        """The covariance of Z with itself, and its gradient."""
        return EffectsGram(self, Z, self.joint.gram(Z[:, : self.layout.own]))

    @cached_property
    def layout(self) -> Layout:
        """What does not depend on scales."""
        return Layout(self.groups, self.choices, self.coded)

    @cached_property
    def each(self) -> float:
        """The variance of one main effect, a/g."""
        return float(self.scales[-2]) / len(self.choices)

    @cached_property
    def together(self) -> float:
        """The variance of the interaction, b."""
        return float(self.scales[-1])

    @cached_property
    def joint(self) -> BoundStationary:
        """The interaction, of variance 1."""
        return BoundStationary(self.shape, self.feature_map, self.scales[:-BESIDES], self.groups, self.coded)

    @cached_property
    def units(self) -> Array:
        """The length scale of each feature in its main effect, (own features,)."""
        return np.asarray(self.scales[self.groups] / self.scales[-BESIDES])

    @cached_property
    def coefficients(self) -> "_Coefficients":
        """The covariance V of the coefficients of each number's polynomials."""
        return _Coefficients.at(self.units[self.layout.numbers], self.layout.m, self.shape)

    def weighted(self, polynomials: Array) -> Array:
        """V p of each number, (n, width), for all polynomials p, (n, width)."""
        product = np.empty((len(polynomials), self.layout.width))
        P, out = (self.layout.apart(each).transpose(1, 0, 2) for each in (polynomials, product))
        np.matmul(P, self.coefficients.covariance, out=out)
        return product

    def with_choices(self, effects: Array, Z: Array, W: Array) -> Array:
        """The sum of the effects of numbers, plus those of choices, if there are any."""
        return effects + self._of_choices(Z, W) if self.layout.number_of_choices else effects

    def _of_choices(self, Z: Array, W: Array) -> Array:
        """The sum of the effects of choices: 1 for the same, and for another one less by the same amount."""
        layout = self.layout
        chosen = np.delete(layout.of_choices, layout.coded_choices) if self.coded else layout.of_choices
        less = np.sqrt(1.0 - self.shape.profile(self.units[chosen] ** -2.0))
        ours = less * Z[:, chosen]
        total = layout.number_of_choices - squared_distance(ours, ours if W is Z else less * W[:, chosen])
        if self.coded:
            total -= mismatches(Z, W, self.coded, 1.0 - self.shape.profile(self.units**-2.0))
        return np.asarray(total)


@dataclass(frozen=True, eq=False)
class EffectsBetween:
    """The kernel between points with features `ours`, and others with features Z; `joint` is its interaction."""

    kernel: BoundEffects
    ours: Array
    Z: Array
    joint: StationaryBetween

    @cached_property
    def covariance(self) -> Array:
        """k, (B, n)."""
        kernel = self.kernel
        effects = kernel.with_choices(self._weighted @ self.Z[:, kernel.layout.own :].T, self.ours, self.Z)
        return np.asarray(kernel.each * effects + kernel.together * self.joint.covariance)

    @property
    def diagonal(self) -> Array:
        """k(z, z), (B,)."""
        layout = self.kernel.layout
        effects = layout.number_of_choices + np.einsum("ij,ij->i", self._polynomials, self._weighted)
        return np.asarray(self.kernel.each * effects + self.kernel.together)

    def gradient(self, weights: Array) -> Array:
        """The gradients of the main effects, p'(z)^T V (weights p), and of the interaction."""
        kernel, layout = self.kernel, self.kernel.layout
        pulled = layout.apart(kernel.weighted(weights @ self.Z[:, layout.own :]))
        slopes = layout.apart(self._polynomials) @ differentiation(layout.m)
        G = np.zeros((len(self.ours), layout.own))
        G[:, layout.numbers] = kernel.each * np.einsum("nij,nij->ni", slopes, pulled)
        return kernel.feature_map.pull_back(self.joint.Y, G) + kernel.together * self.joint.gradient(weights)

    @property
    def _polynomials(self) -> Array:
        """p, (B, width)."""
        return self.ours[:, self.kernel.layout.own :]

    @cached_property
    def _weighted(self) -> Array:
        """V p, (B, width)."""
        return self.kernel.weighted(self._polynomials)


@dataclass(frozen=True, eq=False)
class EffectsGram:
    """The kernel among points with features Z, (n, m); `joint` is its interaction."""

    kernel: BoundEffects
    Z: Array
    joint: StationaryGram

    @cached_property
    def covariance(self) -> Array:
        """k, (n, n)."""
        return np.asarray(self.kernel.each * self._effects + self.kernel.together * self.joint.covariance)

    def scale_gradient(self, weights: Array) -> Array:
        """By log l the covariance of the coefficients changes by its slope, by log c as much the other way."""
        kernel = self.kernel
        effects = kernel.each * (self._by_length(weights) + self._by_length_of_choices(weights))
        explained = kernel.each * float(np.vdot(weights, self._effects))
        joint = kernel.together * float(np.vdot(weights, self.joint.covariance))
        lengths = effects + kernel.together * self.joint.scale_gradient(weights)
        return np.append(lengths, [-effects.sum(), explained, joint])

    @cached_property
    def _effects(self) -> Array:
        """The sum of all main effects of variance 1, (n, n)."""
        P = self.Z[:, self.kernel.layout.own :]
        return self.kernel.with_choices(symmetric_product(self.kernel.weighted(P), P), self.Z, self.Z)

    def _by_length(self, weights: Array) -> Array:
        """The sum over all pairs of the derivatives of main effects by log l, (g,): of numbers."""
        layout = self.kernel.layout
        polynomials = self.Z[:, layout.own :]
        P, TP = layout.apart(polynomials), layout.apart(half_product(weights, polynomials))
        forms = np.matmul(P.transpose(1, 2, 0), TP.transpose(1, 0, 2))
        by_length = np.zeros(len(layout.choices))
        by_length[~layout.choices] = 2.0 * np.einsum("ijk,ijk->i", self.kernel.coefficients.slope, forms)
        return by_length

    def _by_length_of_choices(self, weights: Array) -> Array:
        """The same, of choices."""
        kernel, layout = self.kernel, self.kernel.layout
        if not layout.number_of_choices:
            return np.zeros(len(layout.choices))
        squares = weighted_squares(self.Z[:, layout.of_choices], weights, layout.coded_choices)
        s = kernel.units[layout.of_choices] ** -2.0
        by_feature = -2.0 * s * kernel.shape.slope(s) * squares
        return np.bincount(layout.groups[layout.of_choices], by_feature, len(layout.choices)).astype(np.float64)


def symmetric_product(A: Array, B: Array) -> Array:
    """A B^T, (n, n), where that is known to be symmetric: one triangle is computed, and copied to the other."""
    n = len(A)
    product = np.empty((n, n))
    for start in range(0, n, _PANEL):
        rows, up_to = slice(start, start + _PANEL), min(start + _PANEL, n)
        np.matmul(A[rows], B[:up_to].T, out=product[rows, :up_to])
        product[:start, rows] = product[rows, :start].T
    return product


def half_product(M: Array, B: Array) -> Array:
    """T B, (n, k), where the symmetric M, (n, n), is T + T^T with a triangular T: half the work of M B."""
    T = M.T.copy(order="F")
    np.fill_diagonal(T, 0.5 * np.diag(M))
    return np.asarray(scipy.linalg.blas.dtrmm(1.0, T, B.T, side=1, lower=1, trans_a=1).T)


def chebyshev(Z: Array, m: int) -> Array:
    """t_0, ..., t_m-1 at Z, (..., m): from t_0, ..., t_k the next k by t_{k+j} = 2 t_k t_j - t_{k-j}."""
    T = np.empty((m, *Z.shape))
    T[0] = 1.0
    T[1:2] = Z
    k = 1
    while k < m - 1:
        more = min(k, m - 1 - k)
        following = T[k + 1 : k + 1 + more]
        np.multiply(2.0 * T[k], T[1 : 1 + more], out=following)
        following -= T[k - more : k][::-1]
        k += more
    return np.moveaxis(T, 0, -1)


@cache
def differentiation(m: int) -> Array:
    """D, (m, m): t' = t D, by t'_k = 2 k (t_{k-1} + t_{k-3} + ...), of which t_0 counts half."""
    j, k = np.ogrid[:m, :m]
    D = np.where((j < k) & ((k - j) % 2 == 1), 2.0 * k, 0.0)
    D[0] /= 2.0
    return D


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
        t = place - nearest
        spline = np.array(
            [
                [(0.5 - t) ** 2 / 2.0, 0.75 - t**2, (0.5 + t) ** 2 / 2.0],
                [(t - 0.5) / step, -2.0 * t / step, (t + 0.5) / step],
            ]
        )
        neighbours = table[nearest[:, None] + np.arange(-1, 2)].reshape(len(t), 3, m * m)
        found = np.matmul(spline.transpose(2, 0, 1), neighbours).reshape(len(t), 2, m, m)
        return cls(found[:, 0], found[:, 1])


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
