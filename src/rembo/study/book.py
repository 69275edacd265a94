"""The book of a study: every ask and every tell in one order, on disk before it is used.

A study that is opened again brings its optimizer to where it was by going through that order once more: suggestions are
recalled, not computed anew, and values told. What was running when a process ended waits to be evaluated again; what
was finished and not yet told is told when its turn comes.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from rembo.optimizer import Optimizer, Suggestion, Trial, TrialState
from rembo.study.evaluation import Outcome
from rembo.study.interruption import undisturbed
from rembo.study.storage import StorageError, StudyRecord, trial_missing
from rembo.study.trial import Reason, StudyTrial

MOST_ATTEMPTS = 10  # at a trial during which the process of the study died each time
_UNFINISHED = (TrialState.WAITING, TrialState.RUNNING)


class Book:
    """The trials of a study, an optimizer that knows of them, and the record that they are written to, if there is one.

    Without a record it is read only: `note` takes what a storage has, and `catch_up` lets the optimizer know of it.
    With one, this process is the study's only writer, and the book needs no news.

    What cannot be written (a full disk) is owed: nothing else is written before `pay` has written it. A trial of which
    it cannot be written that it runs does not run, but waits. No signal leaves the book and its optimizer at odds.

    One thread asks and tells. Others may let trials begin and keep what came of them meanwhile.
    """

    def __init__(self, record: StudyRecord | None, optimizer: Optimizer, sign: float) -> None:
        self.record: StudyRecord | None = None
        self.optimizer = optimizer
        self._sign = sign
        self._trials: list[StudyTrial] = []
        self._theirs: dict[int, Trial] = {}
        self._order = 0
        self._owed: deque[Callable[[], object]] = deque()
        self._news: deque[StudyTrial] = deque()  # of which the optimizer is told as soon as they are written
        self._lock = threading.RLock()
        self._waiting: set[int] = set()
        self._running: set[int] = set()
        self._unlearned: set[int] = set()
        self._first_untold = 0
        self._latest_told = -1
        self._best: StudyTrial | None = None
        if record is not None:
            self.go_on(record)

    def go_on(self, record: StudyRecord) -> None:
        """Write to this record from now on, first what is owed; what was running when its last writer ended waits."""
        self.record = record
        self.pay()
        self.note(record.trials(self.latest_told))
        self.catch_up()
        for number in sorted(self._running):
            self._left(self._trials[number])

    def let_go(self) -> None:
        """Close the record: from now on another process may write the study."""
        record, self.record = self.record, None
        if record is not None:
            record.close()

    def note(self, trials: Iterable[StudyTrial]) -> None:
        """Take these trials, by number, as they are stored now."""
        for trial in trials:
            if trial.number > len(self._trials):
                raise trial_missing(len(self._trials), trial.number)
            self._trials[trial.number : trial.number + 1] = [trial]
            self._file(trial)

    def catch_up(self) -> None:
        """Bring the optimizer to where the study is, in the order of all asks and tells that it does not know of."""
        asks = [(trial.asked, self._recall, trial) for trial in self._trials]
        tells = [(trial.told, self._tell, trial) for trial in self._trials if trial.told is not None]
        news = [event for event in asks + tells if event[0] >= self._order]
        for place, act, trial in sorted(news, key=lambda event: event[0]):
            act(trial)
            self._order = place + 1

    @property
    def trials(self) -> tuple[StudyTrial, ...]:
        """All trials, by number."""
        return tuple(self._trials)

    def __len__(self) -> int:
        return len(self._trials)

    def latest(self, count: int) -> list[StudyTrial]:
        """The last few trials."""
        return self._trials[-count:]

    @property
    def waiting(self) -> list[StudyTrial]:
        """The trials that are to be evaluated, by number: an earlier process has left them."""
        with self._lock:
            return [self._trials[number] for number in sorted(self._waiting)]

    @property
    def unlearned(self) -> list[StudyTrial]:
        """The trials that are finished, and that the optimizer was not told of, by number."""
        with self._lock:
            return [self._trials[number] for number in sorted(self._unlearned)]

    @property
    def best(self) -> StudyTrial | None:
        """The complete trial with the best value, the first of them, if there is one."""
        return self._best

    @property
    def latest_told(self) -> int:
        """The latest place in the order of asks and tells at which a trial was told; -1 before the first."""
        return self._latest_told

    @property
    def busy(self) -> bool:
        """Whether trials are still to be told, or results still to be written, by this process."""
        return bool(self._running or self._owed)

    @property
    def owes(self) -> bool:
        """Whether results are still to be written."""
        return bool(self._owed)

    @property
    def first_untold(self) -> int:
        """The number of the first trial that the optimizer was not told of; if it was told of all, of the next."""
        while self._first_untold < len(self) and self._trials[self._first_untold].told is not None:
            self._first_untold += 1
        return self._first_untold

    @undisturbed()
    def open(self, suggest: Callable[[], Trial], runs: bool = True) -> StudyTrial:
        """A new trial, from one of the optimizer's methods; it runs from now on, or waits."""
        self.pay()
        began = time.perf_counter()
        theirs = suggest()
        trial = StudyTrial(
            self.optimizer.space,
            len(self._trials),
            theirs.point,
            self._order,
            theirs.run,
            theirs.origin,
            TrialState.RUNNING if runs else TrialState.WAITING,
            attempts=int(runs),
            ask_seconds=time.perf_counter() - began,
            asked_at=time.time(),
            nominees=theirs.nominees,
        )
        with self._lock:
            self._trials.append(trial)
            self._file(trial)
            self._theirs[trial.number] = theirs
            self._order += 1
            return self._announce(trial, lambda: self._pen.add(trial))

    def begin(self, trial: StudyTrial) -> StudyTrial:
        """A trial that waited runs from now on."""
        begun = replace(trial, state=TrialState.RUNNING, attempts=trial.attempts + 1)
        with self._whole():
            self._file(begun)
            return self._announce(begun, lambda: self._pen.update(begun))

    def put_back(self, trial: StudyTrial) -> StudyTrial:
        """A trial that was interrupted, which is not its fault, waits."""
        return self._update(replace(trial, state=TrialState.WAITING, attempts=trial.attempts - 1))

    def finish(self, trial: StudyTrial, outcome: Outcome) -> StudyTrial:
        """What came of a trial is written, then told to the optimizer."""
        return self.learn(_finished(trial, outcome))

    def keep(self, trial: StudyTrial, outcome: Outcome) -> StudyTrial:
        """What came of a trial is written; the optimizer is told later, by `learn`."""
        return self._update(_finished(trial, outcome))

    @undisturbed()
    def learn(self, trial: StudyTrial) -> StudyTrial:
        """The optimizer is told of a trial that was kept, once it is written where that stands in the order."""
        with self._lock:
            told = replace(trial, told=self._order)
            self._order += 1
            self._file(told)
            self._owed.append(lambda: self._pen.update(told))
            self._news.append(told)
        self.pay()
        return told

    @undisturbed()
    def pay(self) -> None:
        """Write what could not be written before, and tell what follows; raises again if it still cannot."""
        self._write_owed()
        while self._news:
            self._tell(self._news.popleft())

    def check_nothing_runs(self) -> None:
        """Refuse what cannot be done while a trial was asked and not told."""
        for number in sorted(self._running):
            cure = f"tell({number}, ...) first, since a deterministic study tells its trials in order"
            raise ValueError(f"trial {number} was asked and not told: {cure}")

    def unfinished(self, number: int) -> StudyTrial:
        """The trial of that number, if it can be told."""
        if not 0 <= number < len(self._trials):
            raise ValueError(f"the study has no trial {number}: it has {len(self._trials)}, counted from 0")
        trial = self._trials[number]
        if trial.state not in _UNFINISHED:
            outcome = trial.failure if trial.value is None else f"value {trial.value}"
            raise ValueError(f"trial {number} was told already, with {outcome}: each trial is told once")
        return trial

    @property
    def _pen(self) -> StudyRecord:
        assert self.record is not None  # a study becomes its writer before it writes
        return self.record

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """A change that no signal tears apart, and that no other thread sees half done."""
        with undisturbed(), self._lock:
            yield

    def _announce(self, trial: StudyTrial, write: Callable[[], object]) -> StudyTrial:
        """Write that a trial runs; if that cannot be written it waits, since nobody will evaluate it now."""
        try:
            self._write(write)
        except StorageError:
            if trial.state is TrialState.RUNNING:
                with suppress(StorageError):  # this is owed, too
                    self.put_back(trial)
            raise
        return trial

    def _update(self, trial: StudyTrial) -> StudyTrial:
        with self._whole():
            self._file(trial)
            self._write(lambda: self._pen.update(trial))
        return trial

    def _file(self, trial: StudyTrial) -> None:
        """Exchange a trial for what became of it."""
        self._trials[trial.number] = trial
        for numbers, belongs in (
            (self._waiting, trial.state is TrialState.WAITING),
            (self._running, trial.state is TrialState.RUNNING),
            (self._unlearned, trial.state not in _UNFINISHED and trial.told is None),
        ):
            (numbers.add if belongs else numbers.discard)(trial.number)
        self._latest_told = max(self._latest_told, -1 if trial.told is None else trial.told)
        if trial.value is not None and (self._best is None or self._rank(trial) < self._rank(self._best)):
            self._best = trial

    def _rank(self, trial: StudyTrial) -> tuple[float, int]:
        return math.inf if trial.value is None else self._sign * trial.value, trial.number

    def _write(self, write: Callable[[], object]) -> None:
        """Write; what cannot be written is owed."""
        self._owed.append(write)
        self._write_owed()

    def _write_owed(self) -> None:
        with self._whole():
            while self._owed:
                self._owed[0]()
                self._owed.popleft()

    def _tell(self, trial: StudyTrial) -> None:
        theirs = self._theirs.pop(trial.number)
        if trial.value is not None:
            self.optimizer.tell(theirs, self._sign * trial.value)
        else:
            self.optimizer.fail(theirs, trial.failure or trial.state.value)

    def _recall(self, trial: StudyTrial) -> None:
        suggestion = Suggestion(trial.point, trial.run, trial.nominees, trial.origin)
        self._theirs[trial.number] = self.optimizer.recall(suggestion)

    def _left(self, trial: StudyTrial) -> None:
        """A trial whose process has died waits for another attempt, unless it has had too many."""
        if trial.attempts < MOST_ATTEMPTS:
            self._update(replace(trial, state=TrialState.WAITING))
        else:
            died = f"the process of the study died each of the {trial.attempts} times that it was evaluated"
            self.finish(trial, Outcome.failed(Reason.CRASHED, died))


def _finished(trial: StudyTrial, outcome: Outcome) -> StudyTrial:
    return replace(
        trial,
        state=outcome.state,
        value=outcome.value,
        reason=outcome.reason,
        error=outcome.error,
        worker=outcome.worker,
        started_at=outcome.started_at,
        finished_at=outcome.finished_at or time.time(),
        user_attrs={**trial.user_attrs, **outcome.user_attrs},
    )
