"""No workers: f is called in this process."""

from collections.abc import Callable, Collection
from concurrent.futures import Future
from functools import partial

from rembo.embedding import Point
from rembo.study.evaluation import Evaluation, Outcome
from rembo.study.workers.protocol import Outcomes


class Here:
    """No worker but this process, which evaluates one after the other while it is waited for."""

    count = 1

    def __init__(self) -> None:
        self._calls: dict[Outcomes, Callable[[], Outcome]] = {}

    def submit(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        """The outcome to come."""
        future: Outcomes = Future()
        self._calls[future] = partial(evaluation, point, number)
        return future

    def wait(self, futures: Collection[Outcomes], timeout: float | None = None) -> set[Outcomes]:
        """The first that was submitted, however long it takes."""
        for future in [future for future in self._calls if future in futures][:1]:
            future.set_result(self._calls.pop(future)())
        return {future for future in futures if future.done()}

    def close(self, grace_seconds: float = 0.0) -> None:
        """Nothing runs."""
        self._calls.clear()
