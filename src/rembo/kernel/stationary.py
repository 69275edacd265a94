"""Stationary kernels: squared exponential (Definition 7) and Matern, isotropic or with a length scale per feature.

Each is a profile of the squared scaled distance s = sum_j (z_j - z'_j)^2 / l_j^2 and its slope dk/ds; everything else,
gradients included, follows from these two.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy

from rembo.arrays import Array, Indices
from rembo.border import check_part
from rembo.embedding import Embedding
from rembo.kernel.features import Embedded, FeatureMap, Features
from rembo.space import Domain

_FEW = 16  # features; up to here differences are formed one by one, beyond it by a matrix product


@dataclass(frozen=True)
class Stationary(ABC):
    """A kernel that depends on the distance alone. `scale` is where learning starts; None: the features' own size."""

    scale: float | None = None
    on: Features = field(default_factory=Embedded)
    ard: bool = False

    def __post_init__(self) -> None:
        check_part(self.on, "on", "bind", "rembo.Image()")
        if self.scale is not None and not 0.0 < self.scale < math.inf:
            raise ValueError(f"length scale {self.scale} must be positive and finite")

    @abstractmethod
    def profile(self, s: Array) -> Array:
        """k as a function of the squared scaled distance."""

    @abstractmethod
    def slope(self, s: Array) -> Array:
        """dk/ds, finite at s = 0."""

    def bind(self, space: Domain, embedding: Embedding, projected: bool = True) -> "BoundStationary":
        """The kernel on the points of this embedding of this space."""
        feature_map = self.on.bind(space, embedding, projected)
        m = feature_map(np.zeros((1, embedding.embedding_dim))).shape[1]
        scale = math.sqrt(m) / 2.0 if self.scale is None else self.scale
        groups = np.arange(m) if self.ard else np.zeros(m, dtype=np.int64)
        return BoundStationary(self, feature_map, np.full(m if self.ard else 1, scale), groups)


@dataclass(frozen=True)
class SquaredExponential(Stationary):
    """k = exp(-s/2): Definition 7."""

    def profile(self, s: Array) -> Array:
        """exp(-s/2)."""
        return np.exp(-0.5 * s)

    def slope(self, s: Array) -> Array:
        """-k/2."""
        return -0.5 * np.exp(-0.5 * s)


@dataclass(frozen=True)
class Matern32(Stationary):
    """k = (1 + r) exp(-r), r = sqrt(3 s): sample paths once differentiable."""

    def profile(self, s: Array) -> Array:
        """(1 + r) exp(-r)."""
        r = np.sqrt(3.0 * s)
        return (1.0 + r) * np.exp(-r)

    def slope(self, s: Array) -> Array:
        """-(3/2) exp(-r)."""
        return -1.5 * np.exp(-np.sqrt(3.0 * s))


@dataclass(frozen=True)
class Matern52(Stationary):
    """k = (1 + r + r^2/3) exp(-r), r = sqrt(5 s): sample paths twice differentiable."""

    def profile(self, s: Array) -> Array:
        """(1 + r + r^2/3) exp(-r)."""
        r = np.sqrt(5.0 * s)
        return (1.0 + r + r * r / 3.0) * np.exp(-r)

    def slope(self, s: Array) -> Array:
        """-(5/6) (1 + r) exp(-r)."""
        r = np.sqrt(5.0 * s)
        return -5.0 / 6.0 * (1.0 + r) * np.exp(-r)


@dataclass(frozen=True, eq=False)
class BoundStationary:
    """A stationary kernel on known features; feature j is measured in units of scales[groups[j]].

    `coded` are the features that stand for a choice each: two of them are the same or at distance 1.
    """

    shape: Stationary
    feature_map: FeatureMap
    scales: Array
    groups: Indices
    coded: tuple[int, ...] = ()

    def with_scales(self, scales: Array) -> "BoundStationary":
        """The same kernel with other length scales, (p,)."""
        return replace(self, scales=np.asarray(scales, dtype=np.float64))

    def features(self, Y: Array) -> Array:
        """Z, (n, m)."""
        return self.feature_map(Y)

    def covariance(self, Z: Array, W: Array) -> Array:
        """k(z_a, w_b), (len(Z), len(W))."""
        return self.shape.profile(self.squared_distance(Z, W))

    def between(self, Y: Array, Z: Array) -> "StationaryBetween":
        """The covariance of Y with Z, and its gradient."""
        ours = self.features(Y)
        return StationaryBetween(self, Y, ours, Z, self.squared_distance(ours, Z))

    def gram(self, Z: Array) -> "StationaryGram":
        """The covariance of Z with itself, and its gradient."""
        return StationaryGram(self, Z, self.squared_distance(Z, Z))

    @property
    def units(self) -> Array:
        """The length scale of each feature, (m,)."""
        return self.scales[self.groups]

    def squared_distance(self, Z: Array, W: Array) -> Array:
        """s, (len(Z), len(W))."""
        units = self.units
        if not self.coded:
            ours = Z / units
            return squared_distance(ours, ours if W is Z else W / units)
        numbers = np.delete(np.arange(len(units)), self.coded)
        others = squared_distance(Z[:, numbers] / units[numbers], W[:, numbers] / units[numbers])
        return others + mismatches(Z, W, self.coded, units**-2.0)


@dataclass(frozen=True, eq=False)
class StationaryBetween:
    """The kernel between points Y, (B, d), with features `ours`, and others with features Z, at squared distances s."""

    kernel: BoundStationary
    Y: Array
    ours: Array
    Z: Array
    s: Array

    @cached_property
    def covariance(self) -> Array:
        """k, (B, n)."""
        return self.kernel.shape.profile(self.s)

    @property
    def diagonal(self) -> Array:
        """1 everywhere, (B,)."""
        return np.ones(len(self.Y))

    def gradient(self, weights: Array) -> Array:
        """dk/dz = slope(s) 2 (z - z_b) / l^2, summed over b, then pulled back to y."""
        C = weights * self.kernel.shape.slope(self.s)
        G: Array = 2.0 * (C.sum(axis=1, keepdims=True) * self.ours - C @ self.Z) / self.kernel.units**2
        return self.kernel.feature_map.pull_back(self.Y, G)


@dataclass(frozen=True, eq=False)
class StationaryGram:
    """The kernel among points with features Z, (n, m), at squared distances s, (n, n)."""

    kernel: BoundStationary
    Z: Array
    s: Array

    @cached_property
    def covariance(self) -> Array:
        """k, (n, n)."""
        return self.kernel.shape.profile(self.s)

    def scale_gradient(self, weights: Array) -> Array:
        """dk/dlog l_j = -2 slope(s) (z_j - z'_j)^2 / l_j^2, summed over all pairs."""
        kernel = self.kernel
        C = weights * kernel.shape.slope(self.s)
        per_feature = -2.0 * weighted_squares(self.Z, C, kernel.coded) / kernel.units**2
        return np.bincount(kernel.groups, per_feature, minlength=len(kernel.scales)).astype(np.float64)


def squared_distance(Z: Array, W: Array) -> Array:
    """|z_a - w_b|^2, (len(Z), len(W)), never negative."""
    if Z.shape[1] <= _FEW:
        return np.asarray(scipy.spatial.distance.cdist(Z, W, "sqeuclidean"))
    squared = Z @ W.T
    squared *= -2.0
    squared += np.einsum("aj,aj->a", Z, Z)[:, None]
    squared += np.einsum("bj,bj->b", W, W)
    return np.maximum(squared, 0.0, out=squared)  # rounding can leave -1e-16 where two points meet


def mismatches(Z: Array, W: Array, coded: Iterable[int], weights: Array) -> Array:
    """The sum of the weights, (m,), of the coded features in which z_a and w_b differ, (len(Z), len(W))."""
    total = np.zeros((len(Z), len(W)))
    for feature in coded:
        total += weights[feature] * np.not_equal.outer(Z[:, feature], W[:, feature])
    return total


def weighted_squares(Z: Array, weights: Array, coded: Iterable[int] = ()) -> Array:
    """sum_ab weights[a, b] |z_a - z_b|^2 for each feature, (m,); weights symmetric."""
    squares = 2.0 * (weights.sum(axis=1) @ Z**2 - np.einsum("aj,aj->j", Z, weights @ Z))
    for feature in coded:
        squares[feature] = weights[np.not_equal.outer(Z[:, feature], Z[:, feature])].sum()
    return np.asarray(squares)
