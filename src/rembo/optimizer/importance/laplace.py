"""Hyper-parameters that the values leave plausible: Laplace's approximation of their posterior.

The most probable hyper-parameters alone make a model too sure: values that say nothing of a length scale leave it where
the prior has it, and many other lengths are as plausible. Here the logarithms of all of them are normal around the
mode, with the curvature of the log posterior there for a precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.gp import Evidence
from rembo.learning import Hyperparameters, LengthScale, Prior

_STEPS = 40  # of L-BFGS to the mode
_APART = 1e-3  # prior standard deviations between two gradients whose difference is a curvature
_IMPOSSIBLE = -1e10  # a finite value where there is no covariance, from which L-BFGS turns back


@dataclass(frozen=True, eq=False)
class HyperPosterior:
    """log p(theta | values), up to a constant; theta are the kernel's scales and then the noise, (q,), a prior each.

    Its argument is t = (log theta - log median) / spread, whose prior is standard normal.
    """

    evidence: Evidence
    priors: Sequence[Prior]

    def __call__(self, t: Array) -> tuple[float, Array]:
        """The log posterior at t, (q,), and its gradient, (q,); flat beyond the priors' bounds but for the prior."""
        theta = self._median + self._spread * t
        inside = np.clip(theta, *self._bounds)
        value, slope = self.evidence.with_gradient(np.exp(inside[:-1]), float(np.exp(inside[-1])))
        slope = np.where(theta == inside, slope * self._spread, 0.0)
        return max(value, _IMPOSSIBLE) - 0.5 * float(t @ t), slope - t

    def hyperparameters(self, t: Array) -> Hyperparameters:
        """What t stands for."""
        theta = np.exp(np.clip(self._median + self._spread * t, *self._bounds))
        return Hyperparameters(LengthScale(theta[:-1]), float(theta[-1]))

    def mode(self) -> Array:
        """The most probable t, (q,), climbed to from the prior's median."""

        def loss(t: Array) -> tuple[float, Array]:
            value, slope = self(t)
            return -value, -slope

        start = np.zeros(len(self.priors))
        found = scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
        return np.asarray(found.x)

    def precision(self, t: Array) -> Array:
        """Minus the second derivatives at t, (q, q): one gradient for each hyper-parameter; nowhere below the prior's.

        Where the likelihood is not concave, it takes nothing away from what the prior knows.
        """
        slope = self(t)[1]
        H = np.array([slope - self(t + _APART * step)[1] for step in np.eye(len(t))]) / _APART
        sizes, V = np.linalg.eigh((H + H.T) / 2.0)
        return np.asarray((V * np.maximum(sizes, 1.0)) @ V.T)

    def draws(self, count: int, rng: np.random.Generator) -> list[Hyperparameters]:
        """So many hyper-parameters, all equally plausible."""
        t = self.mode()
        L = np.linalg.cholesky(self.precision(t))
        normal = rng.standard_normal((count, len(t)))
        return [self.hyperparameters(t + scipy.linalg.solve_triangular(L, z, lower=True, trans="T")) for z in normal]

    @cached_property
    def _median(self) -> Array:
        return np.log([prior.median for prior in self.priors])

    @cached_property
    def _spread(self) -> Array:
        return np.array([prior.spread for prior in self.priors])

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        return np.log([prior.lower for prior in self.priors]), np.log([prior.upper for prior in self.priors])
