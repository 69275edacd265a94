"""A pool of processes of this machine that outlives the deaths of its processes."""

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess

from rembo.border import check_whole
from rembo.embedding import Point
from rembo.study.evaluation import Evaluation, Outcome
from rembo.study.isolation import die_with_parent, kill_tree
from rembo.study.safe_path import restore_safe_path, safe_path, safe_path_setting
from rembo.study.trial import Reason
from rembo.study.workers.protocol import Outcomes, await_all


@dataclass(frozen=True, eq=False)
class _Task:
    """An evaluation in the pool; `running` is the pool's own future, `outcome` what the study holds."""

    evaluation: Evaluation
    point: Point
    number: int
    running: Outcomes
    outcome: Outcomes = field(default_factory=Future)


class Pool:
    """So many processes of this machine, each of which may die.

    A process that dies takes a pool of the standard library with it, and all that runs there. Then the pool is renewed,
    and what was lost is evaluated once more, each in isolation: the culprit fails alone, the others complete. What is
    lost a second time fails. A process ignores Ctrl-C, and dies with this one where the kernel sees to it.
    """

    def __init__(self, count: int) -> None:
        self.count = check_whole(count, "the number of processes", 1)
        self._pool = self._new_pool()
        self._processes: dict[int, BaseProcess] = {}
        self._tasks: list[_Task] = []
        self._proven = False  # whether a process has ever come to an end of an evaluation

    def submit(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        """The outcome to come; `wait` brings it."""
        task = _Task(evaluation, point, number, self._start(evaluation, point, number))
        self._tasks.append(task)
        return task.outcome

    def wait(self, futures: Collection[Outcomes], timeout: float | None = None) -> set[Outcomes]:
        """Those that are done; the pool is renewed here if it has to be."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while not (done := {future for future in futures if future.done()}) and self._tasks:
            left = None if timeout is None else max(0.0, deadline - time.monotonic())
            if not self._settle(left):
                break
        return done

    def close(self, grace_seconds: float = 0.0) -> None:
        """Wait, then kill the processes with all that they started."""
        await_all(self, [task.outcome for task in self._tasks], grace_seconds)
        self._kill()
        for task in self._tasks:
            task.outcome.cancel()
        self._tasks.clear()

    def _start(self, evaluation: Evaluation, point: Point, number: int) -> Outcomes:
        try:
            with safe_path():
                running = self._pool.submit(evaluation, point, number)
        except BrokenProcessPool:
            self._recover()
            return self._start(evaluation, point, number)
        self._processes.update(self._pool._processes)
        return running

    def _settle(self, timeout: float | None) -> bool:
        """Bring what the pool has done; whether there was something."""
        tasks = {task.running: task for task in self._tasks}
        done = wait_for(tasks, timeout, FIRST_COMPLETED).done
        if any(_is_lost(future) for future in done):
            self._recover()
        for task in [task for task in self._tasks if task.running in done]:
            self._tasks.remove(task)
            self._proven = True
            _pass_on(task.running, task.outcome)
        return bool(done)

    def _recover(self) -> None:
        """Renew the pool, and start once more what was lost; what was lost a second time fails."""
        self._kill()
        self._pool = self._new_pool()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            if not _is_lost(task.running):
                self._tasks.append(task)
            elif task.evaluation.alone:
                self._give_up(task)
            else:
                self._tasks.append(self._once_more(task))

    def _once_more(self, task: _Task) -> _Task:
        alone = replace(task.evaluation, alone=True)
        return replace(task, evaluation=alone, running=self._start(alone, task.point, task.number))

    def _give_up(self, task: _Task) -> None:
        if self._proven:
            task.outcome.set_result(Outcome.failed(Reason.LOST, "the process that evaluated it died, twice"))
        else:
            cure = 'a program must start its study under `if __name__ == "__main__":`'
            task.outcome.set_exception(RuntimeError(f"the processes of the pool die before they can evaluate: {cure}"))

    def _kill(self) -> None:
        """End the processes, what they have started, and what those have started that have died."""
        for process in self._processes.values():
            if process.is_alive() and process.pid is not None:
                kill_tree(process.pid)
        self._pool.shutdown(wait=True)
        for pid in self._processes:
            with suppress(ProcessLookupError, PermissionError, AttributeError):  # nothing is left, or no POSIX
                os.killpg(pid, signal.SIGKILL)
        self._processes.clear()

    def _new_pool(self) -> ProcessPoolExecutor:
        arguments = os.getpid(), safe_path_setting()
        with safe_path():
            return ProcessPoolExecutor(self.count, initializer=_become_worker, initargs=arguments)


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


def _is_lost(running: Outcomes) -> bool:
    return isinstance(running.exception(), BrokenProcessPool)


def _pass_on(running: Outcomes, outcome: Outcomes) -> None:
    error = running.exception()
    if error is None:
        outcome.set_result(running.result())
    else:
        outcome.set_exception(error)
