"""The exact Gaussian process posterior (Section 2): mean and spread of f anywhere, given what was observed.

Notation and shapes, here and in `evidence`:

| code   | paper      | shape  | meaning                                                       |
|--------|------------|--------|---------------------------------------------------------------|
| Y      | y_1:t      | (n, d) | the embedded points that were evaluated                       |
| Z      |            | (n, m) | their features: what the kernel measures distance on          |
| values | f_1:t      | (n,)   | their values, standardised; the prior mean is 0, variance 1   |
| noise  |            | (n,)   | variances added to the diagonal                               |
| L      |            | (n, n) | Cholesky factor of K + noise I                                |
| weights| K^-1 f     | (n,)   |                                                               |
| V      | L^-1 k     | (n, B) | for B points at which the belief is asked                     |
"""

from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.gp.cholesky import NotPositiveDefiniteError, added, factorize, solve_lower, solve_upper
from rembo.kernel import Between, BoundKernel


@dataclass(frozen=True, eq=False)
class Posterior:
    """Belief about f after seeing its values at Y; made by `condition`, lengthened by `extend`."""

    kernel: BoundKernel
    Y: Array
    Z: Array
    values: Array
    noise: Array
    jitter: float
    L: Array
    weights: Array

    def __len__(self) -> int:
        return len(self.Y)

    def __call__(self, Y: Array) -> "Belief":
        """The belief at Y, (B, d)."""
        between = self.kernel.between(Y, self.Z)
        V = solve_lower(self.L, between.covariance.T)
        variance = between.diagonal - np.einsum("ab,ab->b", V, V)  # rounding can leave -1e-17 at a seen point
        return Belief(between.covariance @ self.weights, np.sqrt(np.maximum(variance, 0.0)), self, Y, V, between)

    @property
    def fitted(self) -> Array:
        """The mean at Y, (n,): values less what is taken for noise, since K w = values - noise w."""
        return np.asarray(self.values - (self.noise + self.jitter) * self.weights)

    def extend(self, Y: Array, values: Array, noise: float) -> "Posterior":
        """The belief after more observations, Y (k, d): k more rows of the Cholesky factor, O(k n^2)."""
        if len(Y) == 0:
            return self
        Z = self.kernel.features(Y)
        V = solve_lower(self.L, self.kernel.covariance(Z, self.Z).T)
        K = added(self.kernel.covariance(Z, Z), noise + self.jitter)
        together = np.vstack([self.Y, Y]), np.append(self.values, values), np.append(self.noise, np.full(len(Y), noise))
        try:
            corner = factorize(K - V.T @ V, most=0.0).L
        except NotPositiveDefiniteError:  # the whole matrix needs more jitter, not its corner alone
            return condition(self.kernel, *together, self.jitter)
        L = np.zeros((len(self) + len(Y),) * 2, order="F")
        L[: len(self), : len(self)] = self.L
        L[len(self) :, : len(self)] = V.T
        L[len(self) :, len(self) :] = corner
        longer = replace(self, Y=together[0], Z=np.vstack([self.Z, Z]), noise=together[2], L=L)
        return longer.with_values(together[1])

    def with_values(self, values: Array) -> "Posterior":
        """The same points with other values, (n,): O(n^2)."""
        return replace(self, values=values, weights=solve_upper(self.L, solve_lower(self.L, values)))

    def sample(self, Y: Array, rng: np.random.Generator) -> Array:
        """One draw of f at Y, (B,), from their joint distribution."""
        belief = self(Y)
        Z = self.kernel.features(Y)
        covariance = self.kernel.covariance(Z, Z) - belief.V.T @ belief.V
        return belief.mean + factorize(covariance, least=1e-10).L @ rng.standard_normal(len(Y))


@dataclass(frozen=True, eq=False)
class Belief:
    """Normal distributions of f at B points, mean and std (B,), and how they change with the points."""

    mean: Array
    std: Array
    posterior: Posterior
    Y: Array
    V: Array
    between: Between

    def gradient(self, by_mean: Array, by_std: Array) -> Array:
        """The gradient in each y, (B, d), of a score whose derivatives by mean and std are given, (B,)."""
        by_variance = by_std / (2.0 * np.maximum(self.std, 1e-12))
        pulled = solve_upper(self.posterior.L, self.V).T  # rows K^-1 k, since d var = -2 (K^-1 k) dk
        weights = by_mean[:, None] * self.posterior.weights - 2.0 * by_variance[:, None] * pulled
        return self.between.gradient(weights)


def condition(kernel: BoundKernel, Y: Array, values: Array, noise: float | Array, jitter: float = 0.0) -> Posterior:
    """Belief about f after seeing f(Y) = values.   Y: (n, d), values: (n,), n may be 0; noise: one for all, or (n,)"""
    Z = kernel.features(Y)
    noise = np.broadcast_to(np.asarray(noise, dtype=np.float64), len(Y))
    if len(Y) == 0:
        return Posterior(kernel, Y, Z, values, noise, jitter, np.zeros((0, 0), order="F"), np.zeros(0))
    factor = factorize(added(kernel.gram(Z).covariance, noise), jitter)
    weights = solve_upper(factor.L, solve_lower(factor.L, values))
    return Posterior(kernel, Y, Z, values, noise, factor.jitter, factor.L, weights)


def condition_shortening(kernel: BoundKernel, Y: Array, values: Array, noise: float | Array) -> Posterior:
    """The belief at the longest scales, not above the kernel's own, at which it is a covariance (see Hamming)."""
    while True:
        try:
            return condition(kernel, Y, values, noise)
        except NotPositiveDefiniteError:
            kernel = kernel.with_scales(0.9 * kernel.scales)
