"""Uniformly random points as an embedding of their number: what random search asks, at any D in O(1) memory."""

from dataclasses import dataclass

from rembo.arrays import Array, Indices
from rembo.embedding.checks import check_dims, check_seed
from rembo.embedding.counter import uniforms


@dataclass(frozen=True)
class Scatter:
    """Point number n of a random sample of [-1,1]^D: coordinate i is a function of (seed, n, i)."""

    ambient_dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_dims(self.ambient_dim, 1)
        check_seed(self.seed)

    @property
    def embedding_dim(self) -> int:
        """One: the number of the point."""
        return 1

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of the point whose number is y[0]."""
        return 2.0 * uniforms(self.seed, index, width=1, stream=int(y[0]))[:, 0] - 1.0
