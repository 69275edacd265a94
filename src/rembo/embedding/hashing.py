"""The hash embedding (count-sketch): each coordinate copies one entry of y, with a sign.

Nayebi, Munteanu and Poloczek, "A framework for Bayesian optimization in embedded subspaces" (ICML 2019). Since
|x_i| = |y_j| for some j, the image of [-1,1]^d lies in [-1,1]^D and nothing is ever clipped.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding.checks import check_dims, check_seed
from rembo.embedding.counter import words
from rembo.embedding.region import Region


@dataclass(frozen=True)
class HashEmbedding:
    """x_i = s(i) y[b(i)] with bin b(i) in 0..d-1 and sign s(i) hashed from (seed, i)."""

    ambient_dim: int
    embedding_dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_dims(self.ambient_dim, self.embedding_dim)
        check_seed(self.seed)

    @property
    def region(self) -> Region:
        """[-1,1]^d, whose image needs no clipping."""
        return Region(self.embedding_dim, 1.0)

    def bins_and_signs(self, index: Indices) -> tuple[Indices, Array]:
        """b(i) and s(i) for each index."""
        drawn = words(self.seed, index, width=2)
        bins = (drawn[:, 0].astype(np.uint64) * np.uint64(self.embedding_dim)) >> np.uint64(32)
        return bins.astype(np.int64), np.where(drawn[:, 1] & 1, 1.0, -1.0)

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
        """The y whose bins all coordinates agree upon; a bin without a coordinate is 0."""
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
