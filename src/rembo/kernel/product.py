"""The product of kernels on different features: for spaces that mix numbers and categories."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.border import check_part
from rembo.embedding import Embedding
from rembo.kernel.kernel import BoundKernel, Kernel
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

    def diagonal(self, Z: Array) -> Array:
        """The product of the factors' diagonals, (n,)."""
        pieces = zip(self.factors, self._split(Z), strict=True)
        return np.asarray(np.prod([factor.diagonal(part) for factor, part in pieces], axis=0))

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
        return np.asarray(np.prod(self._covariances(Z, W), axis=0))

    def gradient(self, Y: Array, Z: Array, weights: Array) -> Array:
        """The product rule: each factor weighted with the others."""
        others = self._others(self.features(Y), Z)
        pieces = zip(self.factors, self._split(Z), others, strict=True)
        gradients = [factor.gradient(Y, part, weights * rest) for factor, part, rest in pieces]
        return np.asarray(np.sum(gradients, axis=0))

    def scale_gradient(self, Z: Array, weights: Array) -> Array:
        """The product rule, with respect to the log scales."""
        pieces = zip(self.factors, self._split(Z), self._others(Z, Z), strict=True)
        return np.concatenate([factor.scale_gradient(part, weights * rest) for factor, part, rest in pieces])

    def _split(self, Z: Array) -> list[Array]:
        return np.split(Z, np.cumsum(self.widths)[:-1], axis=1)

    def _covariances(self, Z: Array, W: Array) -> list[Array]:
        pairs = zip(self.factors, self._split(Z), self._split(W), strict=True)
        return [factor.covariance(ours, theirs) for factor, ours, theirs in pairs]

    def _others(self, Z: Array, W: Array) -> list[Array]:
        """For each factor the product of all the others."""
        K = self._covariances(Z, W)
        return [np.prod(K[:i] + K[i + 1 :], axis=0) for i in range(len(K))]
