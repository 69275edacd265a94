"""The identity: y is x, which makes Algorithm 2 standard Bayesian optimization (Algorithm 1)."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding.checks import check_dims
from rembo.embedding.region import Region


@dataclass(frozen=True)
class IdentityEmbedding:
    """A = I: every coordinate is searched by itself."""

    ambient_dim: int

    def __post_init__(self) -> None:
        check_dims(self.ambient_dim, 1)

    @property
    def embedding_dim(self) -> int:
        """D."""
        return self.ambient_dim

    @property
    def region(self) -> Region:
        """[-1,1]^D."""
        return Region(self.ambient_dim, 1.0)

    def rows(self, index: Indices) -> Array:
        """Rows `index` of the identity matrix, (len(index), D)."""
        return np.asarray(index[:, None] == np.arange(self.ambient_dim), dtype=np.float64)

    def image(self, y: Array, index: Indices) -> Array:
        """Entries `index` of y."""
        return np.asarray(y[index])

    def preimage(self, x: Array) -> Array:
        """x itself."""
        return x
