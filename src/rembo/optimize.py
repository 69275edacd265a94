"""`minimize` and `maximize`: from a function and a space to the best point found.

Last step of the path, around the optimizers: it calls f, keeps what failed, draws the bar, and returns what SciPy users
know. `maximize` differs by one sign, here.
"""

import logging
import math
import numbers
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, TypeAlias

import scipy

from rembo.border import check_whole, is_finite
from rembo.optimizer import Growing, Optimizer, Trial
from rembo.progress import progress_bar
from rembo.space import Domain, check_domain

Callback: TypeAlias = Callable[[Optimizer, Trial], object]

_log = logging.getLogger("rembo")
_log.addHandler(logging.NullHandler())


def minimize(
    f: Callable[[Any], float],
    space: Domain,
    n_trials: int,
    *,
    optimizer: Optimizer | None = None,
    seed: int | None = None,
    x0: Any = None,
    timeout: float | None = None,
    progress: bool | Literal["auto"] = "auto",
    callbacks: Iterable[Callback] = (),
) -> "scipy.optimize.OptimizeResult":
    """The x in `space` with the lowest f(x) found in `n_trials` evaluations.

    f gets a Point if the space is a Box, a dict if it is a Space. Returns a `scipy.optimize.OptimizeResult` with x,
    fun, nfev, success, status, message, and trials, the finished ones in order. `x0`, as f would get it, is evaluated
    first, and the default optimizer looks around it. An f that raises, or returns no finite
    number, makes a failed trial and the search goes on; only if all fail is there an error. `timeout` is in seconds and
    checked between evaluations. Ctrl-C ends the search and returns what was found. Each callback is called as
    callback(optimizer, trial) after each trial and may raise StopIteration to end the search.

    >>> from rembo import Box
    >>> result = minimize(lambda x: (x[17] - 0.3) ** 2, Box(1000), n_trials=12, seed=0)
    >>> result.nfev
    12
    """
    return _search(f, space, n_trials, optimizer, seed, x0, timeout, progress, callbacks, sign=1.0)


def maximize(
    f: Callable[[Any], float],
    space: Domain,
    n_trials: int,
    *,
    optimizer: Optimizer | None = None,
    seed: int | None = None,
    x0: Any = None,
    timeout: float | None = None,
    progress: bool | Literal["auto"] = "auto",
    callbacks: Iterable[Callback] = (),
) -> "scipy.optimize.OptimizeResult":
    """The x in `space` with the highest f(x) found; otherwise as `minimize`, values and all."""
    return _search(f, space, n_trials, optimizer, seed, x0, timeout, progress, callbacks, sign=-1.0)


def default_optimizer(space: Domain, seed: int | None = None, x0: Any = None) -> Optimizer:
    """What `minimize` uses if it is told nothing: `Growing`."""
    return Growing(space, x0=x0, seed=seed)


def _search(
    f: Callable[[Any], float],
    space: Domain,
    n_trials: int,
    optimizer: Optimizer | None,
    seed: int | None,
    x0: Any,
    timeout: float | None,
    progress: bool | Literal["auto"],
    callbacks: Iterable[Callback],
    sign: float,
) -> "scipy.optimize.OptimizeResult":
    """The loop: ask, evaluate, tell. The optimizer minimises sign * f; what the user sees is f."""
    _check(f, n_trials, timeout)
    searcher = _check_optimizer(optimizer, space, seed, x0)
    callbacks = _check_callbacks(callbacks)
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    done: list[_Evaluated] = []
    end = _End.COMPLETED
    try:
        with progress_bar(n_trials, progress) as bar:
            first = None if optimizer is None or x0 is None else searcher.adopt(x0)
            while len(done) < n_trials and end is _End.COMPLETED:
                done.append(_evaluate(f, searcher, sign, first if not done and first is not None else searcher.ask()))
                bar.advance(_best(done, sign))
                for callback in callbacks:
                    callback(searcher, done[-1].trial)
                late = time.monotonic() >= deadline and len(done) < n_trials
                end = _End.TIMEOUT if late else _End.COMPLETED
    except StopIteration:
        end = _End.STOPPED
    except KeyboardInterrupt:
        if _best(done, sign) is None:
            raise
        end = _End.INTERRUPTED
    return _result(searcher, done, end, sign)


class _End(Enum):
    """Why a search ended: SciPy's status and message."""

    COMPLETED = 0, "all trials were evaluated"
    TIMEOUT = 1, "the timeout was reached"
    STOPPED = 2, "a callback ended the search"
    INTERRUPTED = 3, "the search was interrupted"


@dataclass(frozen=True, eq=False)
class _Evaluated:
    """A finished trial, its value as f gave it; and the exception, if f raised one."""

    trial: Trial
    error: Exception | None = None


def _evaluate(f: Callable[[Any], float], searcher: Optimizer, sign: float, trial: Trial) -> _Evaluated:
    try:
        value: Any = f(searcher.space.decode(trial.point))  # f may do with it what it likes: trial.x stays as it was
    except Exception as error:
        _log.warning("trial %d failed: %r", trial.number, error)
        return _Evaluated(searcher.fail(trial, f"{type(error).__name__}: {error}"), error)
    number = value.item() if getattr(value, "ndim", None) == 0 else value  # arrays and tensors of one number
    if not is_finite(number):
        _log.warning("trial %d failed: f returned %r", trial.number, value)
        return _Evaluated(searcher.fail(trial, f"f returned {value!r}, which is not a finite number"))
    return _Evaluated(replace(searcher.tell(trial, sign * float(number)), value=float(number)))


def _best(done: Sequence[_Evaluated], sign: float) -> float | None:
    values = [sign * each.trial.value for each in done if each.trial.value is not None]
    return sign * min(values) if values else None


def _result(searcher: Optimizer, done: Sequence[_Evaluated], end: _End, sign: float) -> "scipy.optimize.OptimizeResult":
    best = _best(done, sign)
    if best is None:
        last = done[-1]
        raise RuntimeError(f"all {len(done)} trials failed, the last one with {last.trial.failure}") from last.error
    status, message = end.value
    trials = [each.trial for each in done]
    return scipy.optimize.OptimizeResult(
        x=next(trial.x for trial in trials if trial.value == best),
        fun=best,
        nfev=len(trials),
        success=end is not _End.INTERRUPTED,
        status=status,
        message=message,
        trials=trials,
        optimizer=searcher,
    )


def _check(f: object, n_trials: int, timeout: float | None) -> None:
    if not callable(f):
        raise TypeError(f"f must be a function of one argument, not {f!r}")
    check_whole(n_trials, "n_trials", 1)
    if timeout is not None and not (isinstance(timeout, numbers.Real) and timeout > 0):
        raise ValueError(f"timeout {timeout!r} must be a positive number of seconds, or None for no limit")


def _check_callbacks(callbacks: Iterable[Callback]) -> tuple[Callback, ...]:
    if isinstance(callbacks, Iterable):
        listed = tuple(callbacks)
        if all(callable(callback) for callback in listed):
            return listed
    raise TypeError(f"callbacks must be a list of functions of (optimizer, trial), not {callbacks!r}")


def _check_optimizer(optimizer: Optimizer | None, space: Domain, seed: int | None, x0: Any) -> Optimizer:
    if optimizer is None:
        return default_optimizer(space, seed, x0)
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"optimizer must be one of rembo's, e.g. Rembo(space, embedding_dim=4), not {optimizer!r}")
    if seed is not None:
        raise ValueError(f"seed {seed} and an optimizer, which has its own seed {optimizer.seed}: give one of them")
    if optimizer.space != check_domain(space):
        raise ValueError(f"the optimizer searches {optimizer.space}, not {space}: make it with the same space")
    return optimizer
