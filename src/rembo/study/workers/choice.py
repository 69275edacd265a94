"""Which workers: what n_workers and executor mean, and what is wrong with them, before the budget is spent."""

import pickle
import sys
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from rembo.border import check_whole
from rembo.study.evaluation import Evaluation
from rembo.study.isolation import NO_LIMITS, forks_here, portable
from rembo.study.workers.dask import DaskWorkers, OnLost
from rembo.study.workers.executor import ExecutorWorkers
from rembo.study.workers.here import Here
from rembo.study.workers.pool import Pool
from rembo.study.workers.protocol import Workers

if TYPE_CHECKING:
    from distributed import Client


MOST_PROCESSES = 4096  # of a pool: more would only bring the machine down


def workers_for(
    evaluation: Evaluation,
    n_workers: int | None = None,
    executor: "Executor | Client | None" = None,
    on_lost: OnLost | str = OnLost.RETRY,
) -> Workers:
    """The workers for this evaluation: this process, a pool of processes if n_workers > 1, or what the user brings.

    An executor or a Dask client says itself how many it has, unless n_workers does. `on_lost` is for Dask.
    """
    if n_workers is not None:
        check_whole(n_workers, "n_workers", 1)
    if _is_dask_client(executor):
        return DaskWorkers(_check_client(executor), n_workers, _check_on_lost(on_lost))
    if executor is not None:
        return _executor_workers(evaluation, n_workers, executor)
    if n_workers is None or n_workers == 1:
        if evaluation.limits != NO_LIMITS and not forks_here():
            portable(evaluation)
        return Here()
    _check_pickle(evaluation)
    return Pool(check_whole(n_workers, "n_workers", 1, MOST_PROCESSES))


def _executor_workers(evaluation: Evaluation, n_workers: int | None, executor: Any) -> ExecutorWorkers:
    count = n_workers or getattr(_check_executor(executor), "_max_workers", None)
    if not isinstance(count, int):
        raise ValueError(f"{executor!r} does not say how many workers it has: give n_workers")
    if isinstance(executor, ProcessPoolExecutor):
        _check_pickle(evaluation)
    if isinstance(executor, ThreadPoolExecutor) and evaluation.limits != NO_LIMITS:
        portable(evaluation)
    return ExecutorWorkers(executor, count)


def _check_executor(executor: Any) -> Any:
    if not callable(getattr(executor, "submit", None)) or isinstance(executor, type):
        wanted = "an executor of concurrent.futures, a dask.distributed.Client or None"
        raise TypeError(f"executor must be {wanted}, not {executor!r}: n_workers=4 makes a pool of processes")
    try:
        executor.submit(int).cancel()
    except RuntimeError as refusal:
        raise ValueError(f"{executor!r} takes no work: {refusal}; make a new one") from refusal
    return executor


def _check_pickle(evaluation: Evaluation) -> None:
    try:
        pickle.dumps(evaluation)
    except Exception as refusal:
        cure = "define f at the top level of a module, or use executor=ThreadPoolExecutor(...)"
        raise TypeError(f"{evaluation.f!r} cannot be sent to another process: {refusal}; {cure}") from refusal


def _is_dask_client(executor: object) -> bool:
    """Whether it is a Dask client, without loading Dask."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(executor, distributed.Client)


def _check_client(client: Any) -> Any:
    if client.asynchronous:
        raise ValueError("a Dask client with asynchronous=True cannot be waited for: make one without")
    if client.status != "running":
        raise ValueError(f"{client!r} is {client.status}: make a new one, it must be connected to a cluster")
    return client


def _check_on_lost(on_lost: OnLost | str) -> OnLost:
    try:
        return OnLost(on_lost)
    except ValueError:
        raise ValueError(f"on_lost must be 'retry' or 'fail', not {on_lost!r}") from None
