"""The Gaussian from which one end of a feature is drawn: five of the searched parameters (Section 4.4).

The paper searches the entries of covariance matrices one by one, and more than half of the points of such a box are no
covariance matrix. There the entry off the diagonal is lowered as far as it must be: valid ones stay as they are, and
nothing jumps.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array

HIGHEST_CORRELATION = 0.99


@dataclass(frozen=True)
class OffsetDistribution:
    """Mean and covariance of an offset, the first coordinate horizontal, the second downward, in pixels at 2 m."""

    mean_1: float
    mean_2: float
    covariance_11: float
    covariance_12: float
    covariance_22: float

    @property
    def mean(self) -> Array:
        """(2,)."""
        return np.array([self.mean_1, self.mean_2])

    @property
    def covariance(self) -> Array:
        """The nearest along the off-diagonal entry that is positive definite, (2, 2)."""
        highest = HIGHEST_CORRELATION * np.sqrt(self.covariance_11 * self.covariance_22)
        across = float(np.clip(self.covariance_12, -highest, highest))
        return np.array([[self.covariance_11, across], [across, self.covariance_22]])

    @property
    def factor(self) -> Array:
        """The lower triangular L with L L^T = covariance, (2, 2)."""
        return np.asarray(np.linalg.cholesky(self.covariance), dtype=np.float64)
