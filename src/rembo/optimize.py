"""`minimize` and `maximize`: from a function and a space to the best point found.

Last step of the path: a study and what SciPy users know of its result. `maximize` differs by the direction alone.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import scipy

from rembo.optimizer import Optimizer
from rembo.space import DomainLike
from rembo.study import End, Study, StudyTrial, check_callbacks

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from distributed import Client

Callback: TypeAlias = Callable[[Optimizer, StudyTrial], object]


def minimize(
    f: Callable[[Any], float],
    space: DomainLike,
    n_trials: int,
    *,
    optimizer: Optimizer | None = None,
    seed: int | None = None,
    x0: Any = None,
    timeout: float | None = None,
    n_workers: int | None = None,
    executor: "Executor | Client | None" = None,
    storage: str | Path | None = None,
    progress: bool | Literal["auto"] = "auto",
    callbacks: Iterable[Callback] = (),
) -> "scipy.optimize.OptimizeResult":
    """The x in `space` with the lowest f(x) found in `n_trials` evaluations.

    f gets a Point if the space is a Box, a dict if it is a Space. Returns a `scipy.optimize.OptimizeResult` with x,
    fun, nfev, nit, success, status, message, and trials, the finished ones in order. `x0`, as f would get it, is
    evaluated first, and the default optimizer looks around it. An f that raises, or returns no finite number, makes a
    failed trial and the search goes on; only if all fail is there an error. `timeout` is in seconds, checked between
    trials. n_workers > 1 evaluates in so many processes, `executor` wherever it does (see `Study.optimize`). With
    `storage`, a file, the search is durable: started again it goes on where it was. Ctrl-C ends the search and returns
    what was found. Each callback is called as callback(optimizer, trial) after each trial and may raise StopIteration
    to end it.

    >>> from rembo import Box
    >>> result = minimize(lambda x: (x[17] - 0.3) ** 2, Box(1000), n_trials=12, seed=0)
    >>> result.nfev
    12
    """
    study = Study(space, optimizer=optimizer, storage=storage, seed=seed, x0=x0)
    return _search(study, f, n_trials, timeout, n_workers, executor, progress, callbacks)


def maximize(
    f: Callable[[Any], float],
    space: DomainLike,
    n_trials: int,
    *,
    optimizer: Optimizer | None = None,
    seed: int | None = None,
    x0: Any = None,
    timeout: float | None = None,
    n_workers: int | None = None,
    executor: "Executor | Client | None" = None,
    storage: str | Path | None = None,
    progress: bool | Literal["auto"] = "auto",
    callbacks: Iterable[Callback] = (),
) -> "scipy.optimize.OptimizeResult":
    """The x in `space` with the highest f(x) found; otherwise as `minimize`, values and all."""
    study = Study(space, optimizer=optimizer, storage=storage, direction="maximize", seed=seed, x0=x0)
    return _search(study, f, n_trials, timeout, n_workers, executor, progress, callbacks)


def _search(
    study: Study,
    f: Callable[[Any], float],
    n_trials: int,
    timeout: float | None,
    n_workers: int | None,
    executor: "Executor | Client | None",
    progress: bool | Literal["auto"],
    callbacks: Iterable[Callback],
) -> "scipy.optimize.OptimizeResult":
    """Run the study and make its result; what f raised last is kept if f is called in this process."""
    heeded = [_of_optimizer(callback) for callback in check_callbacks(callbacks, "(optimizer, trial)")]
    watched = _Watched(f) if callable(f) and executor is None and n_workers in (None, 1) else f
    with study:
        try:
            end = study.optimize(
                watched,
                n_trials,
                timeout=timeout,
                n_workers=n_workers,
                executor=executor,
                grace=0.0,
                progress=progress,
                callbacks=heeded,
            )
        except KeyboardInterrupt:
            if all(trial.value is None for trial in study.trials):
                raise
            end = End.INTERRUPTED
    return _result(study, end, watched.error if isinstance(watched, _Watched) else None)


class _Watched:
    """f, and the exception that it raised last."""

    def __init__(self, f: Callable[[Any], float]) -> None:
        self.f = f
        self.error: Exception | None = None

    def __call__(self, x: Any) -> float:
        try:
            return self.f(x)
        except Exception as error:
            self.error = error
            raise


def _of_optimizer(callback: Callback) -> Callable[[Study, StudyTrial], object]:
    return lambda study, trial: callback(study.optimizer, trial)


def _result(study: Study, end: End, error: Exception | None) -> "scipy.optimize.OptimizeResult":
    told = sorted((trial for trial in study.trials if trial.told is not None), key=lambda trial: trial.told or 0)
    if all(trial.value is None for trial in told):
        raise RuntimeError(f"all {len(told)} trials failed, the last one with {told[-1].failure}") from error
    status, message = end.value
    return scipy.optimize.OptimizeResult(
        x=study.best_params,
        fun=study.best_value,
        nfev=len(told),
        nit=len(told),
        success=end is not End.INTERRUPTED,
        status=status,
        message=message,
        trials=told,
        optimizer=study.optimizer,
    )
