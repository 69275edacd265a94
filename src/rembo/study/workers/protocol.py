"""What a study needs of workers, whatever they are."""

import time
from collections.abc import Collection, Iterable
from concurrent.futures import Future
from typing import Protocol, TypeAlias

from rembo.embedding import Point
from rembo.study.evaluation import Evaluation, Outcome

Outcomes: TypeAlias = "Future[Outcome]"


class Workers(Protocol):
    """What evaluates for a study; used from one thread."""

    @property
    def count(self) -> int:
        """How many evaluations run at the same time; where workers come and go it changes."""

    def submit(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        """The outcome to come of trial `number` at a point."""

    def wait(self, futures: Collection[Outcomes], timeout: float | None = None) -> set[Outcomes]:
        """Those that are done, as soon as there is one; none if there is none after `timeout` seconds."""

    def close(self, grace_seconds: float = 0.0) -> None:
        """Wait so long for what runs, then end and cancel it; there is nothing to submit afterwards."""


def await_all(workers: Workers, futures: Iterable[Outcomes], seconds: float) -> None:
    """Wait for all of these, at most so long."""
    pending, deadline = set(futures), time.monotonic() + seconds
    while pending and (left := deadline - time.monotonic()) > 0:
        pending -= workers.wait(pending, left)
