"""What a page says of a study in words and numbers: pure functions of its trials and of the time."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from rembo.optimizer import TrialState
from rembo.study import StudyTrial
from rembo.study.codec import short_name
from rembo.study.direction import best_first, sign_of
from rembo.study.storage import Header, StoredStudy

_PATIENCE = 60.0  # seconds without a sign of life after which a study may have been left
_PACED = 20  # trials that the pace is measured over
_BY_HAND = "told by hand"


class Standing(Enum):
    """Whether a study goes on; a file alone cannot tell a process that died from one that is busy for long."""

    EMPTY = "no trials yet"
    RUNNING = "running"
    SILENT = "silent"  # trials are said to run, and nothing was heard of them for long
    IDLE = "idle"  # nothing runs: it has ended, or waits for somebody to ask


@dataclass(frozen=True)
class Failures:
    """The trials without a value for one reason, the latest first."""

    reason: str
    trials: Sequence[StudyTrial]


@dataclass(frozen=True)
class Worker:
    """Who evaluates: how many trials were finished there, how many gave no value, the seconds they took."""

    name: str
    finished: int
    failed: int
    seconds: float
    latest: float


@dataclass(frozen=True, eq=False)
class Summary:
    """The head of a study's page; `best` is the complete trial with the best value."""

    header: Header
    standing: Standing
    counts: Counter[TrialState]
    best: StudyTrial | None
    latest: float | None
    evaluation_seconds: float | None
    suggesting: float | None

    @property
    def trials(self) -> int:
        """How many there are in all."""
        return self.counts.total()


def summary(study: StoredStudy, now: float) -> Summary:
    """A study in a few facts, at a time in seconds since 1970."""
    durations = [trial.duration for trial in study.trials if trial.duration is not None]
    counts = Counter(trial.state for trial in study.trials)
    latest = max((_heard(trial) for trial in study.trials), default=None)
    median = statistics.median(durations) if durations else None
    return Summary(
        study.header,
        standing(counts, None if latest is None else now - latest, median),
        counts,
        best_of(study),
        latest,
        median,
        _share_of_suggestions(study.trials, durations),
    )


def standing(counts: Counter[TrialState], quiet: float | None, evaluation_seconds: float | None) -> Standing:
    """Where a study stands that was heard of so many seconds ago, by how long its evaluations usually take."""
    if quiet is None:
        return Standing.EMPTY
    if not counts[TrialState.RUNNING]:
        return Standing.IDLE
    return Standing.SILENT if quiet > max(_PATIENCE, 10.0 * (evaluation_seconds or 0.0)) else Standing.RUNNING


def method_of(header: Header) -> str:
    """The name of the optimizer that a study says it has."""
    return "unknown" if header.optimizer is None else short_name(header.optimizer)


def best_of(study: StoredStudy) -> StudyTrial | None:
    """The complete trial with the best value, the first of them."""
    return next(iter(best_first(study.trials, study.header.direction)), None)


def reached(study: StoredStudy, target: float) -> StudyTrial | None:
    """The first trial, in the order of telling, whose value is as good as a target."""
    sign = sign_of(study.header.direction)
    good = [trial for trial in study.trials if trial.value is not None and sign * trial.value <= sign * target]
    return min(good, key=lambda trial: -1 if trial.told is None else trial.told, default=None)


def pace(trials: Iterable[StudyTrial]) -> float | None:
    """Seconds from the end of a trial to the end of the next, over the latest of them, whoever evaluates how many."""
    ends = sorted(trial.finished_at for trial in trials if trial.finished_at is not None)[-_PACED - 1 :]
    return (ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 2 else None


def seconds_left(trials: Sequence[StudyTrial], of: int) -> float | None:
    """How long it takes until so many trials are finished, at the present pace; None where that is unknown."""
    each, finished = pace(trials), sum(trial.finished_at is not None for trial in trials)
    return None if each is None else max(of - finished, 0) * each


def failures(trials: Sequence[StudyTrial]) -> list[Failures]:
    """The trials that gave no value, by reason, the most frequent first."""
    grouped: dict[str, list[StudyTrial]] = {}
    for trial in reversed(trials):
        if trial.state in (TrialState.FAIL, TrialState.PRUNED):
            grouped.setdefault(_reason(trial), []).append(trial)
    found = [Failures(reason, listed) for reason, listed in grouped.items()]
    return sorted(found, key=lambda each: -len(each.trials))


def workers(trials: Iterable[StudyTrial]) -> list[Worker]:
    """Who finished trials, by name."""
    grouped: dict[str, list[StudyTrial]] = {}
    for trial in trials:
        if trial.finished_at is not None:
            grouped.setdefault(trial.worker or _BY_HAND, []).append(trial)
    return [_worker(name, theirs) for name, theirs in sorted(grouped.items())]


def _worker(name: str, theirs: Sequence[StudyTrial]) -> Worker:
    return Worker(
        name,
        len(theirs),
        sum(trial.value is None for trial in theirs),
        sum(trial.duration or 0.0 for trial in theirs),
        max(trial.finished_at or 0.0 for trial in theirs),
    )


def _reason(trial: StudyTrial) -> str:
    return trial.state.value if trial.reason is None else trial.reason.value


def _heard(trial: StudyTrial) -> float:
    """When a trial was last heard of."""
    return max(trial.asked_at or 0.0, trial.started_at or 0.0, trial.finished_at or 0.0)


def _share_of_suggestions(trials: Iterable[StudyTrial], durations: Sequence[float]) -> float | None:
    """The share of suggestions in all the time that is known."""
    suggesting, evaluating = sum(trial.ask_seconds for trial in trials), sum(durations)
    return suggesting / (suggesting + evaluating) if evaluating else None
