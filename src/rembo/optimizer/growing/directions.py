"""The few directions along which f varies, where they are not the axes: a rotated function, or a random subspace.

Of a function g(B x) of a few combinations of many coordinates, every bin of an embedding feels something: f varies with
all of y, yet only through a few combinations y W. A kernel on these has d r numbers to learn instead of d, but explains
such a function with far fewer observations; on a function of a few coordinates it explains less. The first guess are
the main directions of the gradients of a model that knows no directions; from there the evidence itself is climbed.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from rembo.arrays import Array, Indices
from rembo.gp import Evidence, Noise, added, by_covariance, condition
from rembo.kernel import BoundStationary, Leaves, Linear, Matern52

_SHAPE = Matern52()
_MOST = 6
_EXPLAINED = 0.95  # of the mean squared gradient
_SPREAD = 10.0  # the prior variance of the entries of W: wide, yet it keeps W from running off
_MATTERS = 0.05  # entries of W, below which f is flat along a direction
_SCALES = (0.2, 0.35, 0.6, 1.0, 1.7, 3.0)  # of the first model, in units of sqrt d


@dataclass(frozen=True, eq=False)
class Directions:
    """W, (d, r), in units of the length scale along each direction; how probable it makes values with this noise."""

    W: Array
    log_posterior: float
    noise: float

    @property
    def kernel(self) -> BoundStationary:
        """Matern-5/2 on y W."""
        return BoundStationary(_SHAPE, Linear(self.W), np.ones(1), np.zeros(self.W.shape[1], dtype=np.int64))

    @property
    def lengths(self) -> Array:
        """How far f stays alike along each axis of y, (d,): what a length scale is to a kernel on the axes."""
        return np.asarray(np.clip(1.0 / np.sqrt((self.W**2).sum(axis=1) + 1e-8), 0.03, 100.0))

    @property
    def spans(self) -> Array:
        """How far along each axis f changes by a standard deviation of its values, (d,): the same."""
        return self.lengths

    @property
    def log_evidence(self) -> float:
        """log p(values | W): the log posterior without the prior."""
        return self.log_posterior + 0.5 * float((self.W**2).sum()) / _SPREAD

    @property
    def degrees_of_freedom(self) -> int:
        """How many numbers say what matters of W, whose directions may be turned among themselves."""
        d, p = self.frame[0].shape
        return int(d * p - p * (p - 1) // 2)

    @cached_property
    def frame(self) -> tuple[Array, Array]:
        """Orthonormal directions that matter, at least the first, (d, p), and the length scale along each, (p,)."""
        U, S, _ = np.linalg.svd(self.W, full_matrices=False)
        matter = min(_MATTERS, S[0]) <= S
        return U[:, matter], 1.0 / np.maximum(S[matter], 1e-3)

    def lifted(self, ancestors: Indices, turns: Array) -> "Directions":
        """The same in a finer forest: what a leaf contributed is divided evenly among those that grew from it.

        turns, (d,), are the signs with which leaves took over the values of those they grew from.
        """
        shares = turns / np.bincount(ancestors)[ancestors]
        return Directions(self.W[ancestors] * shares[:, None], self.log_posterior, self.noise)


def learn_directions(
    Y: Array, values: Array, noise: float, now: Directions | None, afresh: bool, steps: int = 12
) -> Directions:
    """The most probable directions given values, (n,), at Y, (n, d), climbed to from `now` and from a first guess."""
    found = [] if now is None else [_climb(now.W, Y, values, noise, steps)]
    if now is None or afresh:
        found.append(_climb(_first_guess(Y, values, noise), Y, values, noise, 3 * steps))
    return max(found, key=lambda directions: directions.log_posterior)


def _first_guess(Y: Array, values: Array, noise: float) -> Array:
    """The main directions of the gradients at Y of the best isotropic model."""
    d, least = Y.shape[1], max(noise, 1e-6)
    isotropic = BoundStationary(_SHAPE, Leaves.numbers(d), np.ones(1), np.zeros(d, dtype=np.int64))
    evidence = Evidence(isotropic, Y, values, Noise(least, least))
    scale = max((np.sqrt(d) * factor for factor in _SCALES), key=lambda scale: evidence(np.array([scale]), least))
    posterior = condition(isotropic.with_scales(np.array([scale])), Y, values, least)
    G = posterior(Y).gradient(np.ones(len(Y)), np.zeros(len(Y)))
    squares, V = np.linalg.eigh(G.T @ G / len(Y))
    squares, V = np.maximum(squares[::-1], 1e-12), V[:, ::-1]
    explained = np.cumsum(squares) / squares.sum()
    r = int(np.clip(np.count_nonzero(explained < _EXPLAINED) + 1, 2, min(_MOST, d)))
    return np.asarray(V[:, :r] * np.clip(np.sqrt(squares[:r]), 0.1, 3.0))


def _climb(W: Array, Y: Array, values: Array, noise: float, steps: int) -> Directions:
    """Up the evidence and a wide normal prior on the entries, by L-BFGS."""

    def loss(flat: Array) -> tuple[float, Array]:
        at = flat.reshape(W.shape)
        value, slope = _evidence(at, Y, values, noise)
        return -(value - 0.5 * float((at**2).sum()) / _SPREAD), -(slope - at / _SPREAD).ravel()

    found = scipy.optimize.minimize(loss, W.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    return Directions(found.x.reshape(W.shape), -float(found.fun), noise)


def _evidence(W: Array, Y: Array, values: Array, noise: float) -> tuple[float, Array]:
    """log p(values | Y, W), and its gradient by W: Y^T of that by Z = Y W, on both sides of the kernel."""
    Z = Y @ W
    between = Directions(np.eye(W.shape[1]), 0.0, noise).kernel.between(Z, Z)
    value, M = by_covariance(added(between.covariance, noise), values)
    return max(value, -1e10), 2.0 * Y.T @ between.gradient(M)  # a finite wall, from which L-BFGS turns back
