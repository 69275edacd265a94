"""What a kernel is: a covariance with positive scales, and its derivatives."""

from typing import Protocol, Self

from rembo.arrays import Array
from rembo.embedding import Embedding
from rembo.space import Domain


class BoundKernel(Protocol):
    """A kernel that knows where distance is measured. p: number of scales, m: of features, d: of entries of y."""

    @property
    def scales(self) -> Array:
        """The length scales, and other positive numbers to learn if there are any, (p,)."""

    def diagonal(self, Z: Array) -> Array:
        """k(z, z) at Z, (n, m), as (n,)."""

    def with_scales(self, scales: Array) -> Self:
        """The same kernel with other scales, (p,)."""

    def features(self, Y: Array) -> Array:
        """What distance is measured on: Y, (n, d), to Z, (n, m)."""

    def covariance(self, Z: Array, W: Array) -> Array:
        """k(z_a, w_b), (len(Z), len(W))."""

    def gradient(self, Y: Array, Z: Array, weights: Array) -> Array:
        """The gradient of sum_b weights[a, b] k(z(y_a), z_b) with respect to each y_a, (len(Y), d)."""

    def scale_gradient(self, Z: Array, weights: Array) -> Array:
        """The gradient of sum_ab weights[a, b] k(z_a, z_b) with respect to the log scales, (p,); weights symmetric."""


class Kernel(Protocol):
    """The choice of a kernel, made before space and embedding are known."""

    def bind(self, space: Domain, embedding: Embedding, projected: bool = True) -> BoundKernel:
        """The kernel on the points of this embedding of this space."""
