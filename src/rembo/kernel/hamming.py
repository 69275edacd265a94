"""The categorical kernel k_lambda = exp(-lambda/2 h^2) on the Hamming distance h of rounded images (Section 3.2).

Written with a length scale l = lambda^(-1/2) so that Algorithm 3 bounds it like any other. The paper's square makes it
a covariance only while l is short: on all four settings of two bits, 1 - 2 a + a^4 with a = exp(-1/(2 l^2)) is an
eigenvalue, and it is negative for l > 0.906. With power=1, exp(-h/(2 l^2)), it is one for every l. See
docs/adr/0004-the-categorical-kernel.md for what is done about it.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.border import check_part
from rembo.embedding import Embedding
from rembo.kernel.features import FeatureMap, Features, Rounded
from rembo.space import Domain


@dataclass(frozen=True)
class Hamming:
    """k_lambda = exp(-lambda/2 h^power), lambda = 1/scale^2; power 2 is the paper's."""

    scale: float = 1.0
    on: Features = field(default_factory=Rounded)
    power: int = 2

    def __post_init__(self) -> None:
        check_part(self.on, "on", "bind", "rembo.Rounded()")
        if not 0.0 < self.scale < math.inf:
            raise ValueError(f"length scale {self.scale} must be positive and finite")
        if self.power not in (1, 2):
            raise ValueError(f"power {self.power} must be 2, as in the paper, or 1")

    def bind(self, space: Domain, embedding: Embedding, projected: bool = True) -> "BoundHamming":
        """The kernel on the points of this embedding of this space."""
        return BoundHamming(self.on.bind(space, embedding, projected), np.array([self.scale]), self.power)


@dataclass(frozen=True, eq=False)
class BoundHamming:
    """The categorical kernel on known features, with its length scale."""

    feature_map: FeatureMap
    scales: Array
    power: int

    def with_scales(self, scales: Array) -> "BoundHamming":
        """The same kernel with another length scale, (1,)."""
        return replace(self, scales=np.asarray(scales, dtype=np.float64))

    def features(self, Y: Array) -> Array:
        """Level numbers, (n, m)."""
        return self.feature_map(Y)

    def covariance(self, Z: Array, W: Array) -> Array:
        """exp(-lambda/2 h^power), (len(Z), len(W))."""
        return np.asarray(np.exp(-0.5 * self._distance(Z, W)))

    def between(self, Y: Array, Z: Array) -> "HammingBetween":
        """The covariance of Y with Z, and its gradient."""
        return HammingBetween(Y, self.covariance(self.features(Y), Z))

    def gram(self, Z: Array) -> "HammingGram":
        """The covariance of Z with itself, and its gradient."""
        return HammingGram(self._distance(Z, Z))

    def _distance(self, Z: Array, W: Array) -> Array:
        """lambda h^power, (len(Z), len(W))."""
        h = scipy.spatial.distance.cdist(Z, W, "hamming") * Z.shape[1]
        return np.asarray(np.rint(h) ** self.power / self.scales[0] ** 2)


@dataclass(frozen=True, eq=False)
class HammingBetween:
    """The kernel between points Y, (B, d), and others."""

    Y: Array
    covariance: Array

    @property
    def diagonal(self) -> Array:
        """1 everywhere, (B,)."""
        return np.ones(len(self.Y))

    def gradient(self, weights: Array) -> Array:
        """Zero: the kernel is piecewise constant in y."""
        return np.zeros_like(self.Y)


@dataclass(frozen=True, eq=False)
class HammingGram:
    """The kernel among points at distances lambda h^power, (n, n)."""

    distance: Array

    @property
    def covariance(self) -> Array:
        """k, (n, n)."""
        return np.asarray(np.exp(-0.5 * self.distance))

    def scale_gradient(self, weights: Array) -> Array:
        """dk/dlog l = k h^power / l^2, summed over all pairs."""
        return np.array([np.sum(weights * self.covariance * self.distance)])
