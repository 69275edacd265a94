"""SciPy: a method for `scipy.optimize.minimize`, which lets any callable stand in the place of a method's name.

f gets an array, as SciPy's users write it, so all coordinates are made: for a billion of them use `rembo.minimize`.
Bounds are stretched from [-1,1], alike or not; a coordinate whose bounds are equal stays where it is.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.integrations.searched import Maker, optimizer_of
from rembo.optimize import minimize
from rembo.space import Box, stretch
from rembo.study import Study, StudyTrial


def embedded(
    fun: Callable[..., float],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    bounds: Any = None,
    callback: Callable[..., object] | None = None,
    constraints: Any = (),
    n_trials: int = 100,
    seed: int | None = None,
    optimizer: Maker | None = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    tol: Any = None,
    **options: Any,
) -> "scipy.optimize.OptimizeResult":
    """The method: `scipy.optimize.minimize(f, x0, method=embedded, bounds=..., options={"n_trials": 200, "seed": 0})`.

    `bounds` are needed, finite, as pairs or as `scipy.optimize.Bounds`. x0 is evaluated first. `callback` gets the best
    point so far after each evaluation, as f(xk) or f(intermediate_result=...), and may raise StopIteration.
    Constraints are an error; derivatives and `tol` are not used, which is warned of. `optimizer` makes the optimizer of
    a space and a seed; further options are those of `rembo.minimize`. An f that raises makes a failed trial.

    >>> from scipy.optimize import minimize
    >>> result = minimize(lambda x: x @ x, [0.5] * 9, method=embedded, bounds=[(-1, 2)] * 9, options={"n_trials": 10})
    >>> result.nfev, result.x.shape
    (10, (9,))
    """
    _check_unconstrained(constraints)
    _warn_of_unused({"jac": jac, "hess": hess, "hessp": hessp, "tol": tol})
    x0 = np.atleast_1d(np.asarray(x0, dtype=np.float64))
    ranges = _Ranges.of(bounds, len(x0))
    space = Box(len(x0))
    result = minimize(
        _Objective(fun, args, ranges),
        space,
        n_trials,
        x0=ranges.position(x0),
        callbacks=[] if callback is None else [_Callback(callback, ranges)],
        **({"seed": seed} if optimizer is None else {"optimizer": optimizer_of(optimizer, space, seed)}),
        **options,
    )
    result.x = ranges.value(result.x)
    return result


@dataclass(frozen=True)
class _Ranges:
    """Where each coordinate may lie, (n,) and (n,)."""

    low: Array
    high: Array

    @staticmethod
    def of(bounds: Any, size: int) -> "_Ranges":
        if bounds is None:
            raise ValueError("this method searches between bounds, and there are none: give bounds=[(low, high), ...]")
        pairs = (bounds.lb, bounds.ub) if isinstance(bounds, scipy.optimize.Bounds) else _columns(bounds, size)
        low, high = (np.broadcast_to(np.asarray(each, dtype=np.float64), (size,)) for each in pairs)
        wrong = ~(np.isfinite(low) & np.isfinite(high) & (low <= high))
        if wrong.any():
            first = int(np.argmax(wrong))
            limits = "must be finite, the lower not above the upper"
            raise ValueError(f"bounds of coordinate {first} are ({low[first]}, {high[first]}): they {limits}")
        return _Ranges(low, high)

    def value(self, x: Any) -> Array:
        """What f gets at a point of [-1,1]^n; exact at the bounds."""
        u = np.asarray(x)
        inside = np.clip(stretch(u, self.low, self.high), self.low, self.high)
        return np.where(u == -1.0, self.low, np.where(u == 1.0, self.high, inside))

    def position(self, x: Array) -> Array:
        """Where in [-1,1]^n a point lies, or a ValueError if it lies outside the bounds."""
        outside = ~((self.low <= x) & (x <= self.high))
        if outside.any():
            first = int(np.argmax(outside))
            limits = f"[{self.low[first]}, {self.high[first]}]"
            raise ValueError(f"coordinate {first} of x0 is {x[first]}, outside its bounds {limits}: move it inside")
        half = self.high / 2.0 - self.low / 2.0
        offset = x - (self.low / 2.0 + self.high / 2.0)
        return np.clip(np.divide(offset, half, out=np.zeros(len(x)), where=half > 0.0), -1.0, 1.0)


@dataclass(frozen=True)
class _Objective:
    """SciPy's f of an array and arguments as a function of a point; picklable if f is."""

    fun: Callable[..., float]
    args: tuple[Any, ...]
    ranges: _Ranges

    def __call__(self, x: Any) -> float:
        return self.fun(self.ranges.value(x), *self.args)


@dataclass(frozen=True)
class _Callback:
    """SciPy's callback, in either of its two signatures, for the best point so far."""

    callback: Callable[..., object]
    ranges: _Ranges

    def __call__(self, study: Study, trial: StudyTrial) -> None:
        if all(trial.value is None for trial in study.trials):
            return
        best = study.best_trial
        x = self.ranges.value(best.x)
        if set(inspect.signature(self.callback).parameters) == {"intermediate_result"}:
            self.callback(intermediate_result=scipy.optimize.OptimizeResult(x=x, fun=best.value))
        else:
            self.callback(x)


def _columns(bounds: Any, size: int) -> tuple[Array, Array]:
    """The lower and the upper ends of a list of pairs."""
    try:
        pairs = np.array([[np.nan if end is None else end for end in pair] for pair in bounds], dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"bounds must be pairs (low, high) or scipy.optimize.Bounds, not {bounds!r}") from None
    if pairs.shape != (size, 2):
        raise ValueError(f"bounds have shape {pairs.shape}, and x0 needs {size} pairs (low, high)")
    return pairs[:, 0], pairs[:, 1]


def _check_unconstrained(constraints: Any) -> None:
    if np.size(constraints):
        raise ValueError(
            f"this method knows no constraints but bounds, not {constraints!r}: let f raise outside of them"
        )


def _warn_of_unused(given: dict[str, Any]) -> None:
    """As SciPy warns of what its own methods do not use."""
    for name, value in given.items():
        if value is not None and value is not False:
            warnings.warn(f"method embedded does not use {name}", RuntimeWarning, stacklevel=4)
