"""The workers of a Dask cluster."""

import uuid
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from rembo.embedding import Point
from rembo.study.evaluation import Evaluation, Outcome
from rembo.study.isolation import abandon
from rembo.study.trial import Reason
from rembo.study.workers.protocol import Outcomes, await_all

if TYPE_CHECKING:
    from distributed import Client


class OnLost(Enum):
    """What becomes of a trial whose worker was lost."""

    RETRY = "retry"  # it is evaluated again
    FAIL = "fail"  # it fails: it is never evaluated twice


class DaskWorkers:
    """The workers of a Dask cluster, which come and go.

    Dask itself evaluates again what a lost worker was at, on another one, up to the scheduler's `allowed-failures`;
    with OnLost.FAIL a mark that the scheduler keeps forbids a second beginning. Isolated evaluations are killed when
    these workers are closed; Dask has no means to end others, which come to their end by themselves.
    """

    def __init__(self, client: "Client", count: int | None = None, on_lost: OnLost = OnLost.RETRY) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._count = count
        self._on_lost = on_lost
        self._owner = uuid.uuid4().hex
        self._running: dict[Outcomes, _Sent] = {}

    @property
    def count(self) -> int:
        """The threads of all workers that are there now, and at least one; or what the user has said."""
        return self._count or max(1, sum(self._client.nthreads().values()))

    def submit(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        """The outcome to come from the cluster."""
        begun = _Mark(uuid.uuid4().hex)
        call = _Once(replace(evaluation, owner=self._owner), begun if self._on_lost is OnLost.FAIL else None)
        outcome: Outcomes = Future()
        running = self._executor.submit(call, point, number)
        self._running[outcome] = _Sent(running, call.begun)
        running.add_done_callback(lambda done: _translate(done, outcome))
        return outcome

    def wait(self, futures: Collection[Outcomes], timeout: float | None = None) -> set[Outcomes]:
        """Those that are done."""
        done = wait_for(futures, timeout, FIRST_COMPLETED).done
        for future in done:
            self._forget(future)
        return done

    def close(self, grace_seconds: float = 0.0) -> None:
        """Wait, then cancel what is left and kill what can be killed."""
        await_all(self, list(self._running), grace_seconds)
        left = list(self._running)
        for outcome in left:
            outcome.cancel()
            self._running[outcome].running.cancel()
        if left and self._client.status == "running":
            self._client.run(abandon, self._owner, on_error="ignore")
        for outcome in left:
            self._forget(outcome)

    def _forget(self, outcome: Outcomes) -> None:
        sent = self._running.pop(outcome, None)
        if sent is not None and sent.begun is not None and self._client.status == "running":
            sent.begun.erase(self._client)


@dataclass(frozen=True)
class _Mark:
    """A mark that an evaluation has begun, kept by Dask's scheduler, which outlives its workers."""

    name: str

    def was_set(self) -> bool:
        """Set the mark, from a worker; whether it was set before."""
        from distributed import Event

        event = Event(self.name)
        before = bool(event.is_set())
        event.set()
        return before

    def erase(self, client: "Client") -> None:
        """Let the scheduler forget it."""
        from distributed import Event

        Event(self.name, client=client).clear()


@dataclass(frozen=True)
class _Once:
    """An evaluation that, if it has a mark, begins only once."""

    evaluation: Evaluation
    begun: _Mark | None

    def __call__(self, point: Point, number: int) -> Outcome:
        if self.begun is not None and self.begun.was_set():
            return Outcome.failed(Reason.LOST, "the Dask worker that evaluated it was lost")
        return self.evaluation(point, number)


@dataclass(frozen=True)
class _Sent:
    running: Outcomes
    begun: _Mark | None


def _translate(running: Outcomes, outcome: Outcomes) -> None:
    """From what Dask tells about a call to the outcome of a trial."""
    from distributed import KilledWorker

    if not outcome.set_running_or_notify_cancel():
        return
    try:
        outcome.set_result(running.result())
    except (CancelledError, KilledWorker) as loss:
        outcome.set_result(Outcome.failed(Reason.LOST, f"Dask lost it with its worker: {loss!r}"))
    except Exception as error:
        outcome.set_exception(error)
