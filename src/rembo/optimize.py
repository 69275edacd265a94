"""`minimize` and `maximize`: from a function and a space to the best point found.

Last step of the path: a study and what SciPy users know of its result. `maximize` differs by the direction alone.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rembo.border import check_whole
from rembo.optimizer import Optimizer
from rembo.space import DomainLike
from rembo.study import Callback, Catch, End, Study

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from distributed import Client

    from rembo.result import Result


def minimize(
    f: Callable[[Any], Any],
    space: DomainLike,
    n_trials: int,
    *,
    optimizer: Optimizer | None = None,
    seed: int | None = None,
    x0: Any = None,
    y0: Any = None,
    timeout: float | None = None,
    n_workers: int | None = None,
    executor: "Executor | Client | None" = None,
    trial_timeout: float | None = None,
    trial_memory: int | None = None,
    catch: Catch = (),
    storage: str | Path | None = None,
    progress: bool | Literal["auto"] = "auto",
    callbacks: Iterable[Callback] = (),
) -> "Result":
    """The x in `space` with the lowest f(x) found in `n_trials` evaluations.

    An f that raises, or returns no finite number, makes a failed trial and the search goes on; only if all fail is
    there an error. A programming error in f, such as a NameError, ends the search (see `catch`). By default f is called
    in this process: what ends the process (`os._exit`, a crash in C code, the kernel when memory runs out) ends the
    search, too, and an f that hangs is waited for. With `trial_timeout`, `trial_memory` or `n_workers` of 2 and more f
    has a process of its own, and all of that makes a failed trial. Ctrl-C ends the search and returns what was found.

    Parameters
    ----------
    f : callable
        Gets a Point if the space is a Box, an array if it is a list of bounds, a dict if it is a Space; returns a
        number, or a pair of a number and a dict to keep with the trial.
    space : Box, Space, a single parameter, or a list of bounds
        What f takes; bounds are `(low, high)` or `(low, high, "log")` for each number.
    n_trials : int
        How many evaluations there shall be.
    optimizer : Optimizer, optional
        What suggests points; the default needs no settings.
    seed : int, optional
        Of the default optimizer: the same seed, the same search.
    x0, y0 : optional
        A point to begin with, as f would get it, or a list of several; and the values of f there, where they are known,
        with None elsewhere. Known points are not evaluated. The default optimizer searches around the best of them.
    timeout : float, optional
        Seconds after which nothing new is started.
    n_workers : int, optional
        With more than 1, f is evaluated in so many processes.
    executor : Executor or dask.distributed.Client, optional
        Where to evaluate instead (see `Study.optimize`).
    trial_timeout, trial_memory : optional
        Seconds, and bytes of memory, beyond which an evaluation is ended and its trial fails.
    catch : exception class or tuple of them, optional
        Programming errors that are to make failed trials, too; `Exception` for all.
    storage : str or Path, optional
        A file that makes the search durable: started again it goes on where it was.
    progress : bool or "auto"
        Whether to show a progress bar.
    callbacks : iterable of callables
        Each gets (study, trial) after each trial, and may raise StopIteration to end the search.

    Returns
    -------
    Result
        A `scipy.optimize.OptimizeResult` with x, fun, nfev, success, message, trials and more.

    Raises
    ------
    RuntimeError
        If all trials failed.

    Examples
    --------
    >>> from rembo import Box
    >>> result = minimize(lambda x: (x[17] - 0.3) ** 2, Box(1000), n_trials=12, seed=0)
    >>> result.nfev
    12
    """
    study = Study(space, optimizer=optimizer, storage=storage, seed=seed, x0=x0, y0=y0)
    where = {"n_workers": n_workers, "executor": executor}
    limits = {"timeout": timeout, "trial_timeout": trial_timeout, "trial_memory": trial_memory}
    return _search(study, f, n_trials, catch=catch, progress=progress, callbacks=callbacks, **where, **limits)


def maximize(
    f: Callable[[Any], Any],
    space: DomainLike,
    n_trials: int,
    *,
    optimizer: Optimizer | None = None,
    seed: int | None = None,
    x0: Any = None,
    y0: Any = None,
    timeout: float | None = None,
    n_workers: int | None = None,
    executor: "Executor | Client | None" = None,
    trial_timeout: float | None = None,
    trial_memory: int | None = None,
    catch: Catch = (),
    storage: str | Path | None = None,
    progress: bool | Literal["auto"] = "auto",
    callbacks: Iterable[Callback] = (),
) -> "Result":
    """The x in `space` with the highest f(x) found; otherwise as `minimize`, values and all."""
    study = Study(space, optimizer=optimizer, storage=storage, direction="maximize", seed=seed, x0=x0, y0=y0)
    where = {"n_workers": n_workers, "executor": executor}
    limits = {"timeout": timeout, "trial_timeout": trial_timeout, "trial_memory": trial_memory}
    return _search(study, f, n_trials, catch=catch, progress=progress, callbacks=callbacks, **where, **limits)


def _search(study: Study, f: Callable[[Any], Any], n_trials: int, **options: Any) -> "Result":
    """Run the study and make its result; known points are not among the evaluations."""
    from rembo.result import Result  # scipy.optimize takes a while to load

    check_whole(n_trials, "n_trials", 1)
    with study:
        try:
            end = study.optimize(f, n_trials + study.n_known, grace=0.0, **options)
        except KeyboardInterrupt:
            if all(trial.value is None for trial in study.trials):
                raise
            end = End.INTERRUPTED
    _check_any_succeeded(study)
    return Result.of(study, end)


def _check_any_succeeded(study: Study) -> None:
    told = [trial for trial in study.trials if trial.told is not None]
    if all(trial.value is None for trial in told):
        last = max(told, key=lambda trial: trial.told or 0)
        raise RuntimeError(f"all {len(told)} trials failed, the last one with {last.failure}") from study.last_exception
