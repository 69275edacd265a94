"""Sparse regression whose penalties are searched, one per feature: after LassoBench (Sehic et al. 2022).

The function is that of LassoBench's synthetic problems, whose sizes are `SparseRegression(100, 5)`,
`SparseRegression(300, 15)` and `SparseRegression(1000, 50)`; the data are drawn here, so that values divided by
`oracle` can be put beside those published, and are not the same numbers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rembo.arrays import Array, Indices
from rembo.border import check_whole
from rembo.extras import absent
from rembo.space import Box, stretch

FOLDS = 5
CORRELATION = 0.6  # of neighbouring features
SIGNAL_TO_NOISE = 10.0  # ||X w|| / ||noise||
PENALTIES = (0.01, 1.0)  # of the smallest penalty that alone makes all coefficients zero
TOLERANCE = 1e-4  # of the duality gap, relative to ||y||^2
MOST_SWEEPS = 10_000


@dataclass(frozen=True)
class Regression:
    """Targets y = X w + noise with X of shape (samples, features); w is zero at all but a few features."""

    X: Array
    y: Array
    w: Array


@dataclass(frozen=True)
class SparseRegression:
    """The cross-validated mean squared error of a Lasso as a function of the penalties of its features.

    x_j in [-1,1] stands for a penalty between lambda_max / 100 and lambda_max = max_j |X_j^T y| / n, on a log scale.
    Features are normal with correlation 0.6^|i - j|; `active` coefficients are +1 and -1 in turn, at even distances,
    the others 0; there are 0.425 samples per feature, in five folds, and no intercept. The lowest value is not known.
    """

    features: int = 100
    active: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(self.features, "features", 20)
        check_whole(self.active, "active", 1, self.features)

    @property
    def space(self) -> Box:
        """[-1,1]^features."""
        return Box(self.features)

    @property
    def support(self) -> list[int]:
        """The features whose true coefficient is not zero."""
        return [j * (self.features // self.active) for j in range(self.active)]

    @cached_property
    def data(self) -> Regression:
        """The samples, drawn by the seed."""
        rng = np.random.default_rng(self.seed)
        normal = rng.standard_normal((int(0.425 * self.features), self.features))
        w = np.zeros(self.features)
        w[self.support] = (-1.0) ** np.arange(self.active)
        X = _correlated(normal)
        noise = rng.standard_normal(len(X))
        return Regression(X, X @ w + noise * np.linalg.norm(X @ w) / (SIGNAL_TO_NOISE * np.linalg.norm(noise)), w)

    @cached_property
    def oracle(self) -> float:
        """The mean squared error of the true coefficients, which only the noise keeps from zero; it can be beaten."""
        return float(np.mean((self.data.X @ self.data.w - self.data.y) ** 2))

    def penalties(self, x: Any) -> Array:
        """The penalty of each feature, (features,)."""
        X, y = self.data.X, self.data.y
        lowest, highest = np.log(PENALTIES) + np.log(np.abs(X.T @ y).max() / len(y))
        return np.asarray(np.exp(stretch(np.asarray(x), lowest, highest)))

    def __call__(self, x: Any) -> float:
        """The error averaged over the folds, each predicted from the others."""
        penalties = self.penalties(x)
        folds = np.array_split(np.arange(len(self.data.y)), FOLDS)  # samples are independent: neighbours will do
        return float(np.mean([self._error(penalties, fold) for fold in folds]))

    def _error(self, penalties: Array, left_out: Indices) -> float:
        X, y = self.data.X, self.data.y
        w = weighted_lasso(np.delete(X, left_out, axis=0), np.delete(y, left_out), penalties)
        return float(np.mean((X[left_out] @ w - y[left_out]) ** 2))


def weighted_lasso(X: Array, y: Array, penalties: Array) -> Array:
    """The w that minimises ||y - X w||^2 / (2 n) + sum_j penalties_j |w_j|, (features,)."""
    try:
        from sklearn.linear_model import Lasso
    except ModuleNotFoundError as missing:
        raise absent("SparseRegression needs scikit-learn", "scikit-learn") from missing
    lasso = Lasso(alpha=1.0, fit_intercept=False, max_iter=MOST_SWEEPS, tol=TOLERANCE)
    lasso.fit(X / penalties, y)  # v_j = penalties_j w_j has the same penalty at every feature
    return np.asarray(lasso.coef_ / penalties)


def _correlated(normal: Array) -> Array:
    """Neighbouring columns correlated, all of variance 1: a chain of which each column follows the last."""
    X = normal.copy()
    for j in range(1, X.shape[1]):
        X[:, j] = CORRELATION * X[:, j - 1] + np.sqrt(1.0 - CORRELATION**2) * normal[:, j]
    return X
