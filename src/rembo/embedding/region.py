"""The bounded region Y of R^d in which the embedded search takes place (Algorithm 2, line 2; Section 3).

How large it must be is the subject of the paper's Theorem 3 and of the simulation that follows it: too small and it
may not contain an optimum, too large and time is lost searching it.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.border import check_whole


@dataclass(frozen=True)
class Region:
    """The box [-half_width, half_width]^dim."""

    dim: int
    half_width: float

    def __post_init__(self) -> None:
        check_whole(self.dim, "Region dim", 1)
        if not 0.0 < self.half_width < math.inf:
            raise ValueError(f"half_width {self.half_width} must be positive and finite")

    @property
    def low(self) -> Array:
        """The lowest corner, (dim,)."""
        return np.full(self.dim, -self.half_width)

    @property
    def high(self) -> Array:
        """The highest corner, (dim,)."""
        return np.full(self.dim, self.half_width)

    @property
    def center(self) -> Array:
        """The origin, (dim,)."""
        return np.zeros(self.dim)

    def contains(self, y: Array) -> bool:
        """Whether y, (dim,), lies in the box."""
        return bool(np.all(np.abs(y) <= self.half_width))

    def clip(self, Y: Array) -> Array:
        """The nearest points of the box to Y, (n, dim)."""
        return np.clip(Y, -self.half_width, self.half_width)

    def window(self, at: Array, half_widths: Array) -> "Window":
        """What lies within half_widths, (dim,), of a point of the box, (dim,)."""
        return Window(np.maximum(self.low, at - half_widths), np.minimum(self.high, at + half_widths))

    def sobol(self, n: int, rng: np.random.Generator) -> Array:
        """The first n points of a scrambled Sobol sequence, (n, dim)."""
        whole = 2 ** max(n - 1, 0).bit_length()  # the sequence is balanced, and SciPy content, at powers of two
        unit = scipy.stats.qmc.Sobol(self.dim, rng=rng).random(whole)[:n]
        return np.asarray((2.0 * unit - 1.0) * self.half_width)


@dataclass(frozen=True, eq=False)
class Window:
    """A part of a region: the box from low to high, (dim,) each."""

    low: Array
    high: Array

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.low)

    def clip(self, Y: Array) -> Array:
        """The nearest points of the box to Y, (n, dim)."""
        return np.clip(Y, self.low, self.high)


def paper_region(embedding_dim: int) -> Region:
    """[-sqrt d, sqrt d]^d, as in all the paper's experiments: for d >= 3 the epsilon rule at eps = log d / sqrt d."""
    return Region(embedding_dim, math.sqrt(embedding_dim))


def epsilon_region(effective_dim: int, epsilon: float) -> Region:
    """[-b, b]^d_e with b = (1/eps) max(log d_e, 1): holds an optimum with empirical probability above 1 - eps."""
    _check_probability(epsilon)
    check_whole(effective_dim, "effective_dim", 1)
    return Region(effective_dim, max(math.log(effective_dim), 1.0) / epsilon)


def theorem_radius(effective_dim: int, epsilon: float, optimum_norm: float | None = None) -> float:
    """Theorem 3: with probability at least 1 - eps some optimum has ||y*|| <= (sqrt d_e / eps) ||x*||.

    Without a norm for x*, the largest one in [-1,1]^d_e is taken, sqrt d_e, which makes the radius d_e / eps.
    """
    _check_probability(epsilon)
    check_whole(effective_dim, "effective_dim", 1)
    norm = math.sqrt(effective_dim) if optimum_norm is None else optimum_norm
    return math.sqrt(effective_dim) / epsilon * norm


def _check_probability(epsilon: float) -> None:
    if not 0.0 < epsilon <= 1.0:
        raise ValueError(f"epsilon {epsilon} is a probability: it must lie above 0 and not above 1")
