"""The loop of a study: ask, evaluate somewhere, store, tell."""

import math
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rembo.border import check_whole, is_duration, is_finite
from rembo.optimizer import Trial
from rembo.study.book import Book
from rembo.study.evaluation import Evaluation, Outcome
from rembo.study.failure import EvaluationError
from rembo.study.interruption import Interruption, undisturbed
from rembo.study.pace import AsTheyCome, InOrder, Pace, places
from rembo.study.storage import StorageError
from rembo.study.trial import Reason, StudyTrial
from rembo.study.workers import Outcomes, Workers

_POLL = 0.2  # seconds from one look at the clock and at signals to the next
_TOLERATED = 2  # equal programming errors in a row, once f has returned a value
_GROWTH = 2.0  # how much longer than any before it an ask may be, the model having learned more


class End(Enum):
    """Why a run ended: SciPy's status and message."""

    COMPLETED = 0, "the number of trials was reached"
    TIMEOUT = 1, "the timeout was reached"
    STOPPED = 2, "a callback ended the search"
    INTERRUPTED = 3, "the search was interrupted"


@dataclass(frozen=True)
class Plan:
    """How far to go, in trials and seconds; at what pace; and the share of the time that suggestions may take."""

    n_trials: int
    timeout: float
    pace: Pace
    max_overhead: float

    @staticmethod
    def of(n_trials: Any, timeout: Any, deterministic: bool | int, max_overhead: Any) -> "Plan":
        """From what the user gives, or an error that says what it must be."""
        return Plan(
            check_whole(n_trials, "n_trials", 1),
            math.inf if timeout is None else _check_seconds(timeout, "timeout"),
            _pace(deterministic),
            math.inf if max_overhead is None else _check_share(max_overhead),
        )


class Run:
    """One call of `optimize`: what is running on the workers, and where it belongs in the book.

    One thread asks and tells. What comes of a trial is kept by the thread that brings it, at once, even while the first
    one asks; then that thread also lets the next trial begin that waits, so that no worker waits for a suggestion.
    `raised` is what f raised last, if it did so in this process.
    """

    def __init__(self, book: Book, evaluation: Evaluation, workers: Workers, plan: Plan) -> None:
        self._book = book
        self._evaluation = evaluation
        self._workers = workers
        self._plan = plan
        self._running: dict[Outcomes, StudyTrial] = {}
        self._lock = threading.RLock()
        self._suggests = False
        self._began = time.monotonic()
        self._started = 0
        self._asking = 0.0
        self._longest = 0.0
        self._faults = Faults()
        self._trouble: BaseException | None = None  # what ends the run
        self.raised: BaseException | None = None

    def until_done(self, interruption: Interruption, notice: Callable[[StudyTrial], None]) -> End:
        """Go on until there is nothing left to do, or until it is interrupted; what then still runs is put back.

        `notice` is called with each trial that was told, and may raise StopIteration: then nothing more is started.
        """
        end = None
        try:
            while True:
                end = end or self._ended(interruption)
                running = bool(self._running)  # before the next line: what arrives after it is due the next time
                due = self._plan.pace.due(self._book, self._is_more())
                if due is not None:
                    end = _noticed(self._book.learn(due), notice) or end
                elif end is None and self._advance():
                    pass
                elif running:
                    self._wait()
                else:
                    return end or End.COMPLETED
        except KeyboardInterrupt:
            return End.INTERRUPTED
        finally:
            self._leave()

    def _ended(self, interruption: Interruption) -> End | None:
        """Why nothing more is to be started, if that is so."""
        if interruption.received is not None:
            return End.INTERRUPTED
        return End.TIMEOUT if self._is_late() and (self._is_more() or self._waiting()) else None

    def _is_more(self) -> bool:
        return len(self._book) < self._plan.n_trials

    def _is_late(self) -> bool:
        return self._started > 0 and time.monotonic() - self._began >= self._plan.timeout

    def _waiting(self) -> list[StudyTrial]:
        return [trial for trial in self._book.waiting if trial.number < self._plan.n_trials]

    @undisturbed()
    def _advance(self) -> bool:
        """Start a trial that waits, or ask for a new one; whether there was anything to do."""
        workers = self._workers.count
        with self._lock:
            waiting, room = self._waiting(), len(self._running) < workers
            if room and waiting:
                self._start(self._book.begin(waiting[0]))
                return True
            ahead = len(self._running) + len(waiting) < places(self._book, workers)
        if not (self._is_more() and self._plan.pace.may_ask(self._book, ahead)):
            return False
        trial = self._ask(room)
        if room:
            self._start(trial)
        return True

    def _ask(self, runs: bool) -> StudyTrial:
        """A new trial; meanwhile whoever brings a result lets the next begin that waits."""
        self._suggests = True
        try:
            trial = self._book.open(self._suggestion(), runs)
        finally:
            with self._lock:
                self._suggests = False
        self._asking += trial.ask_seconds
        if self._started:  # the first ask loads what the others need, too
            self._longest = max(self._longest, trial.ask_seconds)
        return trial

    def _suggestion(self) -> Callable[[], Trial]:
        """Ask; or hurry, if an ask twice as long as the longest would take more than the allowed share of the time."""
        elapsed = time.monotonic() - self._began
        feared = _GROWTH * self._longest
        over = self._asking + feared > self._plan.max_overhead * (elapsed + feared)
        return self._book.optimizer.hurry if over else self._book.optimizer.ask

    def _start(self, trial: StudyTrial) -> None:
        """Submit a trial; where f runs in this process, it is evaluated when it is waited for."""
        with self._lock:
            self._started += 1
            try:
                future = self._workers.submit(self._evaluation, trial.point, trial.number)
            except BaseException:
                self._book.put_back(trial)
                raise
            self._running[future] = trial
        future.add_done_callback(self._arrived)

    def _wait(self) -> None:
        """Wait until something is done, and raise what ends the run."""
        with self._lock:
            running = list(self._running)
        for future in self._workers.wait(running, _POLL):
            future.result()  # raises if the executor is broken
            self._arrived(future)
        if self._trouble is not None:
            raise self._trouble

    def _arrived(self, future: Outcomes) -> None:
        """Keep what came of a trial, once, in whichever thread; what cannot be written, the book owes."""
        with undisturbed(), self._lock:
            if future not in self._running or not _came_to_an_end(future):
                return
            trial, outcome = self._running.pop(future), future.result()
            self.raised = outcome.raised or self.raised
            with suppress(StorageError):
                if self._faults.ends_with(outcome):
                    self._trouble = _fault(outcome)
                    self._book.put_back(trial)
                else:
                    self._book.keep(trial, outcome)
                    self._start_next()

    def _start_next(self) -> None:
        waiting = self._waiting() if self._suggests and not self._is_late() else []
        if waiting:
            try:
                self._start(self._book.begin(waiting[0]))
            except Exception as broken:  # of an executor that takes no work any more
                self._trouble = broken

    def _leave(self) -> None:
        """Keep what has finished meanwhile, and let wait what has not; what cannot be written, the book owes."""
        with undisturbed(), self._lock:
            for future in list(self._running):
                self._arrived(future)
            for future in list(self._running):
                with suppress(StorageError):
                    self._book.put_back(self._running.pop(future))


class Faults:
    """Programming errors, which end a run: the first before f has returned a value, later a few equal ones in a row."""

    def __init__(self) -> None:
        self._works = False
        self._errors: list[str] = []  # the latest in a row, all equal

    def ends_with(self, outcome: Outcome) -> bool:
        """Whether it is this outcome that says that f itself is at fault."""
        self._works = self._works or outcome.value is not None
        if not outcome.broken:
            self._errors.clear()
            return False
        last_line = (outcome.error or "").rpartition("\n")[2]
        self._errors = [error for error in self._errors if error == last_line] + [last_line]
        return len(self._errors) > (_TOLERATED if self._works else 0)


def check_callbacks(callbacks: Any) -> tuple[Callable[..., object], ...]:
    """The callbacks as a tuple, or a TypeError that says what they are called with."""
    if isinstance(callbacks, Iterable):
        listed = tuple(callbacks)
        if all(callable(callback) for callback in listed):
            return listed
    raise TypeError(f"callbacks must be a list of functions of (study, trial), not {callbacks!r}")


def _came_to_an_end(future: Outcomes) -> bool:
    """Whether there is an outcome."""
    return future.done() and not future.cancelled() and future.exception() is None


def _fault(outcome: Outcome) -> BaseException:
    """What f raised, with a note; its text if it was raised in another process."""
    note = (
        "f seems to be at fault, so the search was ended and the trial will be evaluated again: "
        "correct f, or let such errors make failed trials with catch=Exception"
    )
    if outcome.raised is None:
        return EvaluationError(outcome.reason or Reason.ERROR, f"{outcome.error}\n{note}")
    outcome.raised.add_note(note)
    return outcome.raised


def _noticed(trial: StudyTrial, notice: Callable[[StudyTrial], None]) -> End | None:
    """Whether a callback wants the run to end."""
    try:
        notice(trial)
    except StopIteration:
        return End.STOPPED
    return None


def _pace(deterministic: bool | int) -> Pace:
    if deterministic is False:
        return AsTheyCome()
    return InOrder() if deterministic is True else InOrder(check_whole(deterministic, "deterministic", 1))


def _check_seconds(value: Any, name: str) -> float:
    if not is_duration(value):
        raise ValueError(f"{name} {value!r} must be a positive number of seconds, or None for no limit")
    return float(value)


def _check_share(value: Any) -> float:
    if not (is_finite(value) and 0.0 < float(value) <= 1.0):
        raise ValueError(f"max_overhead {value!r} must be a share of the time, above 0 and not above 1")
    return float(value)
