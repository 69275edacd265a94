"""The Gaussian embedding of Algorithm 2: entries of A independent and standard normal."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.embedding.checks import check_dims, check_seed
from rembo.embedding.counter import normals
from rembo.embedding.region import Region, paper_region


@dataclass(frozen=True)
class GaussianEmbedding:
    """A in R^{D x d} with entries from N(0,1) (Algorithm 2, line 1).

    >>> GaussianEmbedding(10**9, 2, seed=0).rows(np.array([17, 999_999_998])).shape
    (2, 2)
    """

    ambient_dim: int
    embedding_dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_dims(self.ambient_dim, self.embedding_dim)
        check_seed(self.seed)

    @property
    def region(self) -> Region:
        """[-sqrt d, sqrt d]^d, the paper's choice."""
        return paper_region(self.embedding_dim)

    def rows(self, index: Indices) -> Array:
        """Rows `index` of A, (len(index), d)."""
        return normals(self.seed, index, self.embedding_dim)

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of A y, summed from left to right: a matrix product may round by its own shape."""
        A = self.rows(index)
        total = np.zeros(len(index))
        for j in range(self.embedding_dim):
            total += A[:, j] * y[j]
        return total

    def preimage(self, x: Array) -> Array:
        """The least-squares y, if A y is x to within 1e-9."""
        A = self.rows(np.arange(self.ambient_dim, dtype=np.int64))
        y: Array = np.linalg.lstsq(A, x, rcond=None)[0].astype(np.float64)
        miss = float(np.abs(A @ y - x).max())
        if not miss <= 1e-9:
            raise ValueError(
                f"x lies {miss:.2g} away from this random {self.embedding_dim}-dimensional subspace of "
                f"{self.ambient_dim} dimensions: only its own points can be told; BayesOpt takes any point"
            )
        return y
