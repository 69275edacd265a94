"""Leave-one-out calibration: what the Gaussian process predicts of each value from all the others.

With K the covariance of the values, noise included, and K^-1 in hand, all n predictions follow at once (Rasmussen and
Williams 2006, equations 5.10 to 5.12): mean f_i - [K^-1 f]_i / [K^-1]_ii, variance 1 / [K^-1]_ii. The hyper-parameters
are those learned from all the values.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.gp import Posterior
from rembo.gp.cholesky import inverse

_WIDE = 1.96  # standard deviations on either side that hold 95 % of a normal distribution


@dataclass(frozen=True, eq=False)
class Calibration:
    """Values that the model saw and what it predicts of each without it, (n,), in standard deviations of the values."""

    observed: Array
    mean: Array
    std: Array

    @property
    def explained(self) -> float:
        """The share of the variance of the values that the predictions explain; negative if the mean does better."""
        return 1.0 - float(((self.observed - self.mean) ** 2).mean()) / (float(self.observed.var()) or 1.0)

    @property
    def covered(self) -> float:
        """The share of values within the intervals that should hold 95 % of them."""
        return float((np.abs(self.observed - self.mean) <= _WIDE * self.std).mean())


def calibration(posterior: Posterior) -> Calibration:
    """Each value of a posterior beside what the others say of it."""
    precision = np.diag(inverse(posterior.L))
    mean = posterior.values - posterior.weights / precision
    return Calibration(posterior.values, mean, np.sqrt(1.0 / precision))
