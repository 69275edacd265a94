"""A pool of processes of this machine that outlives the deaths of its processes."""

import math
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from rembo.border import check_whole
from rembo.embedding import Point
from rembo.study.evaluation import Evaluation, Outcome
from rembo.study.isolation import die_with_parent, kill_tree
from rembo.study.safe_path import restore_safe_path, safe_path, safe_path_setting
from rembo.study.trial import Reason
from rembo.study.workers.protocol import Outcomes, await_all

_GLANCE = 0.05  # seconds from one look for dead processes to the next
_STILLBORN = 3  # processes in a row that die before they can do anything: one or two may have been killed from outside


class Pool:
    """So many processes of this machine, each of which may die.

    Each is an executor of its own, so that one that dies takes nothing with it but what it evaluated itself: that is
    evaluated once more, in isolation, and fails if it is lost again. A process ignores Ctrl-C, and dies with this one
    where the kernel sees to it. Any thread may submit; processes are started in the one that submits first and waits.
    """

    def __init__(self, count: int) -> None:
        self.count = check_whole(count, "the number of processes", 1)
        self._seats: list[_Seat] = []
        self._queue: deque[_Task] = deque()
        self._stillborn = 0
        self._lock = threading.Lock()

    def submit(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        """The outcome to come, once a process has had the time for it."""
        if not self._seats:
            self._seats = [_Seat() for _ in range(self.count)]
        task = _Task(evaluation, point, number)
        self._queue.append(task)
        self._hand_out()
        return task.outcome

    def wait(self, futures: Collection[Outcomes], timeout: float | None = None) -> set[Outcomes]:
        """Those that are done; what has died is replaced here."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            self._replace_the_dead()
            left = deadline - time.monotonic()
            done = wait_for(futures, max(0.0, min(left, _GLANCE)), FIRST_COMPLETED).done
            if done or left <= 0.0 or not futures:
                return done

    def close(self, grace_seconds: float = 0.0) -> None:
        """Wait, then kill the processes with all that they started."""
        unfinished = [task.outcome for task in (*self._queue, *(seat.task for seat in self._seats)) if task]
        await_all(self, unfinished, grace_seconds)
        self._queue.clear()
        for seat in self._seats:
            seat.end()
        for outcome in unfinished:
            outcome.cancel()

    def _hand_out(self) -> None:
        """Give what is in the queue to the processes that have nothing to do."""
        while (taken := self._taken()) is not None:
            seat, task = taken
            try:
                running = seat.executor.submit(task.evaluation, task.point, task.number)
            except BrokenProcessPool:  # it has died with nothing to do
                seat.is_dead = True
            else:
                running.add_done_callback(partial(self._came, seat, task))

    def _taken(self) -> "tuple[_Seat, _Task] | None":
        with self._lock:
            seat = next((seat for seat in self._seats if seat.task is None and not seat.is_dead), None)
            if seat is None or not self._queue:
                return None
            seat.task = task = self._queue.popleft()
            return seat, task

    def _came(self, seat: "_Seat", task: "_Task", running: Outcomes) -> None:
        """Pass on what came of a task, in a thread of the executor; a lost one is left to the thread that waits."""
        if isinstance(running.exception(), BrokenProcessPool):
            seat.is_dead = True
            return
        seat.task, self._stillborn = None, 0
        if task.outcome.set_running_or_notify_cancel():
            task.give(_result(running))
        self._hand_out()

    def _replace_the_dead(self) -> None:
        """Start processes anew; what was lost is evaluated once more, and fails if that was the second time."""
        for place, seat in enumerate(self._seats):
            if not seat.is_dead:
                continue
            seat.end()
            self._seats[place] = _Seat()
            self._stillborn += seat.never_lived
            if seat.task is None:
                continue
            if seat.never_lived and self._stillborn < _STILLBORN:
                self._queue.appendleft(seat.task)
            elif seat.never_lived:
                cure = 'a program must start its study under `if __name__ == "__main__":`'
                seat.task.give(RuntimeError(f"the processes of the pool die before they can evaluate: {cure}"))
            elif seat.task.evaluation.alone:
                seat.task.give(Outcome.failed(Reason.LOST, "the process that evaluated it died, twice"))
            else:
                alone = replace(seat.task.evaluation, alone=True)
                self._queue.appendleft(replace(seat.task, evaluation=alone))
        self._hand_out()


@dataclass(frozen=True, eq=False)
class _Task:
    """An evaluation in the pool; `outcome` is what the study holds."""

    evaluation: Evaluation
    point: Point
    number: int
    outcome: Outcomes = field(default_factory=Future)

    def give(self, result: Outcome | BaseException) -> None:
        """Let the study have what came of it."""
        if isinstance(result, BaseException):
            self.outcome.set_exception(result)
        else:
            self.outcome.set_result(result)


class _Seat:
    """A process of the pool, and what it evaluates."""

    def __init__(self) -> None:
        self.task: _Task | None = None
        self.is_dead = False
        setting = safe_path_setting()
        with safe_path(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which f must bear
            self.executor = ProcessPoolExecutor(1, None, _become_worker, (os.getpid(), setting))
            self._hello = self.executor.submit(os.getpid)
        (self._pid,) = self.executor._processes

    @property
    def never_lived(self) -> bool:
        """Whether the process has died before it could do anything."""
        return self._hello.done() and self._hello.exception() is not None

    def end(self) -> None:
        """End the process, what it has started, and what those have started that have died."""
        process = self.executor._processes.get(self._pid) if self.executor._processes else None
        if process is not None and process.is_alive():
            kill_tree(self._pid)
        self.executor.shutdown(wait=True)
        with suppress(ProcessLookupError, PermissionError, AttributeError):  # nothing is left, or no POSIX
            os.killpg(self._pid, signal.SIGKILL)


def _result(running: Outcomes) -> Outcome | BaseException:
    """What came of an evaluation; a KeyboardInterrupt is f's own, since the processes ignore Ctrl-C."""
    error = running.exception()
    if isinstance(error, KeyboardInterrupt):
        return Outcome.failed(Reason.ERROR, "f raised KeyboardInterrupt")
    return error or running.result()


def _become_worker(study: int, setting: str | None) -> None:
    """What a process of the pool does first: Ctrl-C is for the study, which has asked for it, to decide about.

    What f starts has the environment that the study has.
    """
    restore_safe_path(setting)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(os, "setsid"):
        os.setsid()
    die_with_parent()
    if multiprocessing.get_start_method() == "fork" and os.getppid() != study:  # it died before this process asked
        os._exit(1)
