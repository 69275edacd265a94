"""The product of kernels on different features: for spaces that mix numbers and categories."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.border import check_part
from rembo.embedding import Embedding
from rembo.kernel.kernel import Between, BoundKernel, Gram, Kernel
from rembo.space import Domain


@dataclass(frozen=True, init=False, repr=False)
class Product:
    """k(y, y') = k_1(y, y') k_2(y, y') ...: alike in one respect and alike in the other.

    Product(a, b) is Product(factors=(a, b)).
    """

    factors: tuple[Kernel, ...]

    def __init__(self, *kernels: Kernel, factors: Sequence[Kernel] = ()) -> None:
        object.__setattr__(self, "factors", (*kernels, *factors))
        if len(self.factors) < 2:
            raise ValueError(f"a Product needs at least 2 kernels, not {len(self.factors)}")
        for factor in self.factors:
            check_part(factor, "a factor", "bind", "rembo.Matern52()")

    def __repr__(self) -> str:
        return f"Product{self.factors}"

    def bind(self, space: Domain, embedding: Embedding, projected: bool = True) -> "BoundProduct":
        """The kernel on the points of this embedding of this space."""
        bound = tuple(factor.bind(space, embedding, projected) for factor in self.factors)
        origin = np.zeros((1, embedding.embedding_dim))
        return BoundProduct(bound, tuple(factor.features(origin).shape[1] for factor in bound))


@dataclass(frozen=True, eq=False)
class BoundProduct:
    """Bound kernels side by side: features and scales of the factors, one after the other."""

    factors: tuple[BoundKernel, ...]
    widths: tuple[int, ...]

    @property
    def scales(self) -> Array:
        """The factors' length scales, (p_1 + p_2 + ...,)."""
        return np.concatenate([factor.scales for factor in self.factors])

    def with_scales(self, scales: Array) -> "BoundProduct":
        """The same kernel with other length scales."""
        pieces = np.split(scales, np.cumsum([len(factor.scales) for factor in self.factors])[:-1])
        factors = (factor.with_scales(piece) for factor, piece in zip(self.factors, pieces, strict=True))
        return replace(self, factors=tuple(factors))

    def features(self, Y: Array) -> Array:
        """The factors' features side by side, (n, m_1 + m_2 + ...)."""
        return np.hstack([factor.features(Y) for factor in self.factors])

    def covariance(self, Z: Array, W: Array) -> Array:
        """The product of the factors' covariances."""
        pairs = zip(self.factors, self._split(Z), self._split(W), strict=True)
        return np.asarray(np.prod([factor.covariance(ours, theirs) for factor, ours, theirs in pairs], axis=0))

    def between(self, Y: Array, Z: Array) -> "ProductBetween":
        """The covariance of Y with Z, and its gradient."""
        pieces = zip(self.factors, self._split(Z), strict=True)
        return ProductBetween(tuple(factor.between(Y, part) for factor, part in pieces))

    def gram(self, Z: Array) -> "ProductGram":
        """The covariance of Z with itself, and its gradient."""
        pieces = zip(self.factors, self._split(Z), strict=True)
        return ProductGram(tuple(factor.gram(part) for factor, part in pieces))

    def _split(self, Z: Array) -> list[Array]:
        return np.split(Z, np.cumsum(self.widths)[:-1], axis=1)


@dataclass(frozen=True, eq=False)
class ProductBetween:
    """The product of kernels between points Y, (B, d), and others."""

    factors: tuple[Between, ...]

    @property
    def covariance(self) -> Array:
        """The product of the factors' covariances, (B, n)."""
        return np.asarray(np.prod([factor.covariance for factor in self.factors], axis=0))

    @property
    def diagonal(self) -> Array:
        """The product of the factors' diagonals, (B,)."""
        return np.asarray(np.prod([factor.diagonal for factor in self.factors], axis=0))

    def gradient(self, weights: Array) -> Array:
        """The product rule: each factor weighted with the others."""
        pieces = zip(self.factors, _others(self.factors), strict=True)
        return np.asarray(np.sum([factor.gradient(weights * rest) for factor, rest in pieces], axis=0))


@dataclass(frozen=True, eq=False)
class ProductGram:
    """The product of kernels among points."""

    factors: tuple[Gram, ...]

    @property
    def covariance(self) -> Array:
        """The product of the factors' covariances, (n, n)."""
        return np.asarray(np.prod([factor.covariance for factor in self.factors], axis=0))

    def scale_gradient(self, weights: Array) -> Array:
        """The product rule, with respect to the log scales."""
        pieces = zip(self.factors, _others(self.factors), strict=True)
        return np.concatenate([factor.scale_gradient(weights * rest) for factor, rest in pieces])


def _others(factors: Sequence[Between | Gram]) -> list[Array]:
    """For each factor the product of the covariances of all the others."""
    K = [factor.covariance for factor in factors]
    return [np.prod(K[:i] + K[i + 1 :], axis=0) for i in range(len(K))]
