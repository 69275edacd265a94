"""Gaussian processes: exact, zero mean on standardised values, one more observation in O(n^2).

Fourth step of the path (kernel -> gp -> maximizer). Section 2 of the paper. There is no unfitted model: a posterior is
what conditioning on data returns.
"""

from rembo.gp.cholesky import NotPositiveDefiniteError, added
from rembo.gp.data import Data
from rembo.gp.evidence import Evidence, Noise, by_covariance
from rembo.gp.posterior import Belief, Posterior, condition, condition_shortening
from rembo.gp.values import LogTail, Raw, Standardized, Values, telling

__all__ = [
    "Belief",
    "Data",
    "Evidence",
    "LogTail",
    "Noise",
    "NotPositiveDefiniteError",
    "Posterior",
    "Raw",
    "Standardized",
    "Values",
    "added",
    "by_covariance",
    "condition",
    "condition_shortening",
    "telling",
]
