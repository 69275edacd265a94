"""Embeddings in which each coordinate copies one entry of y, with a sign: what hash and tree have in common."""

from abc import ABC, abstractmethod

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding.region import Region


class Binned(ABC):
    """x_i = s(i) y[b(i)] with a bin b(i) and a sign s(i) for each coordinate.

    Since |x_i| = |y_j| for some j, the image of [-1,1]^d lies in [-1,1]^D and nothing is ever clipped.
    """

    ambient_dim: int
    embedding_dim: int

    @abstractmethod
    def bins_and_signs(self, index: Indices) -> tuple[Indices, Array]:
        """b(i) and s(i) for each index."""

    @property
    def region(self) -> Region:
        """[-1,1]^d, whose image needs no clipping."""
        return Region(self.embedding_dim, 1.0)

    def rows(self, index: Indices) -> Array:
        """Rows `index` of A, (len(index), d): one entry +1 or -1, the others 0."""
        bins, signs = self.bins_and_signs(index)
        A = np.zeros((len(index), self.embedding_dim))
        A[np.arange(len(index)), bins] = signs
        return A

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of A y."""
        bins, signs = self.bins_and_signs(index)
        return signs * y[bins]

    def preimage(self, x: Array) -> Array:
        """The y that all coordinates agree upon; a bin without a coordinate is 0."""
        bins, signs = self.bins_and_signs(np.arange(self.ambient_dim, dtype=np.int64))
        y = np.zeros(self.embedding_dim)
        y[bins] = signs * x
        miss = float(np.abs(signs * y[bins] - x).max())
        if not miss <= 1e-9:
            raise ValueError(
                f"coordinates that share one of the {self.embedding_dim} bins differ by {miss:.2g} in x: "
                "only points of this embedding can be told; BayesOpt takes any point"
            )
        return y
