"""The hash embedding (count-sketch): each coordinate copies one entry of y, with a sign.

Nayebi, Munteanu and Poloczek, "A framework for Bayesian optimization in embedded subspaces" (ICML 2019).
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding.binned import Binned
from rembo.embedding.checks import check_dims, check_seed
from rembo.embedding.counter import words


@dataclass(frozen=True)
class HashEmbedding(Binned):
    """x_i = s(i) y[b(i)] with bin b(i) in 0..d-1 and sign s(i) hashed from (seed, i)."""

    ambient_dim: int
    embedding_dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_dims(self.ambient_dim, self.embedding_dim)
        check_seed(self.seed)

    def bins_and_signs(self, index: Indices) -> tuple[Indices, Array]:
        """b(i) and s(i) for each index."""
        drawn = words(self.seed, index, width=2)
        bins = (drawn[:, 0].astype(np.uint64) * np.uint64(self.embedding_dim)) >> np.uint64(32)
        return bins.astype(np.int64), np.where(drawn[:, 1] & 1, 1.0, -1.0)
