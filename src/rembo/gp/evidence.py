"""The log marginal likelihood: how well a choice of length scales and noise explains the values."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.gp.cholesky import NotPositiveDefiniteError, factorize, inverse, solve_lower, solve_upper
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
        try:
            return self._value(self._factor(self.kernel.with_scales(scales), noise))
        except NotPositiveDefiniteError:
            return -np.inf

    def with_gradient(self, scales: Array, noise: float) -> tuple[float, Array]:
        """The evidence, and its gradient by the log scales and, last, the log noise, (p + 1,).

        It is tr((w w^T - K^-1) dK) / 2 with w = K^-1 f; zero where K is no covariance, as there is nowhere to climb.
        """
        kernel = self.kernel.with_scales(scales)
        value, M = self._with_covariance_gradient(kernel, noise)
        return value, np.append(kernel.scale_gradient(self.Z, M), noise * np.trace(M))

    def with_covariance_gradient(self, scales: Array, noise: float) -> tuple[float, Array]:
        """The evidence, and M = (w w^T - K^-1) / 2, (n, n): its gradient by the entries of K."""
        return self._with_covariance_gradient(self.kernel.with_scales(scales), noise)

    def _with_covariance_gradient(self, kernel: BoundKernel, noise: float) -> tuple[float, Array]:
        try:
            L = self._factor(kernel, noise)
        except NotPositiveDefiniteError:
            return -np.inf, np.zeros((len(self.Z), len(self.Z)))
        weights = solve_upper(L, solve_lower(L, self.values))
        return self._value(L), 0.5 * (np.outer(weights, weights) - inverse(L))

    def _factor(self, kernel: BoundKernel, noise: float) -> Array:
        K = kernel.covariance(self.Z, self.Z)
        return factorize(K + noise * np.eye(len(K))).L

    def _value(self, L: Array) -> float:
        explained = solve_lower(L, self.values)
        return float(-0.5 * explained @ explained - np.log(np.diag(L)).sum() - 0.5 * len(L) * np.log(2.0 * np.pi))
