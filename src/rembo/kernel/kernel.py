"""What a kernel is: a covariance with positive scales, and its derivatives.

Where a covariance is wanted, its derivatives often are, too, and share most of the work: both come from one object.
"""

from typing import Protocol, Self

from rembo.arrays import Array
from rembo.embedding import Embedding
from rembo.space import Domain


class BoundKernel(Protocol):
    """A kernel that knows where distance is measured. p: number of scales, m: of features, d: of entries of y."""

    @property
    def scales(self) -> Array:
        """The length scales, and other positive numbers to learn if there are any, (p,)."""

    def with_scales(self, scales: Array) -> Self:
        """The same kernel with other scales, (p,)."""

    def features(self, Y: Array) -> Array:
        """What distance is measured on: Y, (n, d), to Z, (n, m)."""

    def covariance(self, Z: Array, W: Array) -> Array:
        """k(z_a, w_b), (len(Z), len(W))."""

    def between(self, Y: Array, Z: Array) -> "Between":
        """The covariance of points Y, (B, d), with others whose features are Z, (n, m)."""

    def gram(self, Z: Array) -> "Gram":
        """The covariance of points whose features are Z, (n, m), with themselves."""


class Between(Protocol):
    """The covariance of points Y, (B, d), with others, and its derivatives by Y."""

    @property
    def covariance(self) -> Array:
        """k(z(y_a), z_b), (B, n)."""

    @property
    def diagonal(self) -> Array:
        """k(z(y_a), z(y_a)), (B,)."""

    def gradient(self, weights: Array) -> Array:
        """The gradient of sum_b weights[a, b] k(z(y_a), z_b) with respect to each y_a, (B, d)."""


class Gram(Protocol):
    """The covariance of points with themselves, and its derivatives by the scales."""

    @property
    def covariance(self) -> Array:
        """k(z_a, z_b), (n, n)."""

    def scale_gradient(self, weights: Array) -> Array:
        """The gradient of sum_ab weights[a, b] k(z_a, z_b) with respect to the log scales, (p,); weights symmetric."""


class Kernel(Protocol):
    """The choice of a kernel, made before space and embedding are known."""

    def bind(self, space: Domain, embedding: Embedding, projected: bool = True) -> BoundKernel:
        """The kernel on the points of this embedding of this space."""
