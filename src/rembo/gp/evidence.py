"""The log marginal likelihood: how well a choice of length scales and noise explains the values."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.gp.cholesky import NotPositiveDefiniteError, added, factorize, inverse, solve_lower, solve_upper
from rembo.kernel import BoundKernel


@dataclass(frozen=True)
class Noise:
    """The variance of the noise on standardised values: between two bounds, or known if they are equal."""

    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether there is nothing to learn."""
        return self.low == self.high


@dataclass(frozen=True, eq=False)
class Evidence:
    """log p(f_1:t | y_1:t, theta) of values seen at features Z, (n, m); theta is length scales and noise."""

    kernel: BoundKernel
    Z: Array
    values: Array
    noise: Noise

    def __call__(self, scales: Array, noise: float) -> float:
        """-f^T K^-1 f / 2 - log|K| / 2 - n log(2 pi) / 2; minus infinity where K is no covariance."""
        K = self.kernel.with_scales(scales).gram(self.Z).covariance
        try:
            L = factorize(added(K, noise)).L
        except NotPositiveDefiniteError:
            return -np.inf
        return log_density(L, solve_lower(L, self.values))

    def with_gradient(self, scales: Array, noise: float) -> tuple[float, Array]:
        """The evidence, and its gradient by the log scales and, last, the log noise, (p + 1,).

        It is tr((w w^T - K^-1) dK) / 2 with w = K^-1 f; zero where K is no covariance, as there is nowhere to climb.
        """
        gram = self.kernel.with_scales(scales).gram(self.Z)
        value, M = by_covariance(added(gram.covariance, noise), self.values)
        return value, np.append(gram.scale_gradient(M), noise * np.trace(M))


def by_covariance(K: Array, values: Array) -> tuple[float, Array]:
    """log N(values | 0, K), and M = (w w^T - K^-1) / 2, (n, n): its gradient by the entries of K."""
    try:
        L = factorize(K).L
    except NotPositiveDefiniteError:
        return -np.inf, np.zeros_like(K)
    explained = solve_lower(L, values)
    weights = solve_upper(L, explained)
    M = inverse(L)
    M *= -0.5
    M += np.multiply.outer(weights, 0.5 * weights)
    return log_density(L, explained), M


def log_density(L: Array, explained: Array) -> float:
    """log N(f | 0, L L^T), given L^-1 f, (n,)."""
    return float(-0.5 * explained @ explained - np.log(np.diag(L)).sum() - 0.5 * len(L) * np.log(2.0 * np.pi))
