"""Cholesky factors by LAPACK, with a jitter that grows only when it must."""

from dataclasses import dataclass

import numpy as np
import scipy

from rembo.arrays import Array

JITTERS = (0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)


class NotPositiveDefiniteError(ValueError):
    """The kernel is no covariance at these points: no jitter up to the largest allowed one mends it."""


@dataclass(frozen=True)
class Factor:
    """L with L L^T = K + jitter I; lower triangular, columns first in memory."""

    L: Array
    jitter: float


def factorize(K: Array, least: float = 0.0, most: float = JITTERS[-1]) -> Factor:
    """The Cholesky factor of a symmetric K, (n, n), with the smallest jitter between bounds that makes it definite."""
    for extra in (step for step in JITTERS if least <= step <= most):
        L, failed = scipy.linalg.lapack.dpotrf(added(K, extra).T, lower=1, clean=1, overwrite_a=1)
        if not failed and np.isfinite(L[-1:, -1:]).all():
            return Factor(L, extra)
    raise NotPositiveDefiniteError(f"a {len(K)} x {len(K)} matrix is not positive definite, even with jitter {most}")


def added(K: Array, noise: float | Array) -> Array:
    """K + noise I, (n, n); noise: one for all, or (n,)."""
    total = np.array(K, order="C")
    total.flat[:: len(K) + 1] += noise
    return total


def solve_lower(L: Array, B: Array) -> Array:
    """L^-1 B for B, (n,) or (n, k)."""
    return np.asarray(scipy.linalg.lapack.dtrtrs(L, B, lower=1)[0]) if len(L) else B


def solve_upper(L: Array, B: Array) -> Array:
    """L^-T B for B, (n,) or (n, k)."""
    return np.asarray(scipy.linalg.lapack.dtrtrs(L, B, lower=1, trans=1)[0]) if len(L) else B


def inverse(L: Array) -> Array:
    """(L L^T)^-1, (n, n)."""
    lower = scipy.linalg.lapack.dpotri(L, lower=1)[0]
    symmetric = lower + lower.T  # dpotri leaves zeros above the diagonal where L has them
    symmetric.flat[:: len(L) + 1] *= 0.5
    return np.asarray(symmetric)
