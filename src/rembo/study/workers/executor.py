"""Any executor of concurrent.futures that the user has brought."""

import uuid
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Executor
from concurrent.futures import wait as wait_for
from dataclasses import replace

from rembo.border import check_whole
from rembo.embedding import Point
from rembo.study.evaluation import Evaluation
from rembo.study.isolation import abandon
from rembo.study.workers.protocol import Outcomes, await_all


class ExecutorWorkers:
    """An executor that the user has brought: threads, loky, MPI and so on; it is the user's to shut down.

    When it is closed, what waits in the executor is cancelled, and what runs in isolation in a thread of this process
    is killed; what else runs comes to its end by itself, or at its time limit.
    """

    def __init__(self, executor: Executor, count: int) -> None:
        self.count = check_whole(count, "the number of workers", 1)
        self._executor = executor
        self._owner = uuid.uuid4().hex
        self._running: set[Outcomes] = set()

    def submit(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        """The executor's own future."""
        future = self._executor.submit(replace(evaluation, owner=self._owner), point, number)
        self._running.add(future)
        return future

    def wait(self, futures: Collection[Outcomes], timeout: float | None = None) -> set[Outcomes]:
        """Those that are done."""
        done = wait_for(futures, timeout, FIRST_COMPLETED).done
        self._running -= done
        return done

    def close(self, grace_seconds: float = 0.0) -> None:
        """Wait, then cancel what has not started, and kill what can be killed."""
        await_all(self, self._running, grace_seconds)
        for future in self._running:
            future.cancel()
        abandon(self._owner)
        self._running.clear()
