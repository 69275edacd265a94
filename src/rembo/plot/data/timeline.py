"""The timeline of the workers: who evaluated what when, and how it ended.

Trials of one worker with one end that follow each other within less than can be seen are one bar, so that a study of
twenty thousand trials has no more bars than a picture can show.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from rembo.optimizer import TrialState
from rembo.plot.data.search import Search
from rembo.study import StudyTrial

MOST_BARS = 2_000
_BY_HAND = "told by hand"


@dataclass(frozen=True)
class Bar:
    """A time, in seconds since 1970, in which a worker evaluated trials one after the other; `failure` of the last."""

    worker: str
    state: TrialState
    start: float
    stop: float
    first: int
    last: int
    trials: int = 1
    failure: str | None = None


def timeline(search: Search) -> list[Bar]:
    """All finished trials as bars, worker by worker; a trial that was told by hand ran since it was asked."""
    bars = [_bar(trial) for trial in search.told if _began(trial) is not None and trial.finished_at is not None]
    if not bars:
        return []
    workers = sorted({bar.worker for bar in bars})
    span = max(bar.stop for bar in bars) - min(bar.start for bar in bars)
    unseen = span * len(workers) / MOST_BARS
    by_worker = groupby(sorted(bars, key=lambda bar: (bar.worker, bar.start)), key=lambda bar: bar.worker)
    return [merged for _, theirs in by_worker for merged in _merged(theirs, unseen)]


def _merged(bars: Iterable[Bar], unseen: float) -> list[Bar]:
    """Bars of one worker by time; those that cannot be told apart joined."""
    joined: list[Bar] = []
    for bar in bars:
        before = joined[-1] if joined else None
        if before and before.state is bar.state and bar.stop - before.start < unseen:
            stop, trials = max(before.stop, bar.stop), before.trials + 1
            joined[-1] = replace(before, stop=stop, last=bar.last, trials=trials, failure=bar.failure)
        else:
            joined.append(bar)
    return joined


def _began(trial: StudyTrial) -> float | None:
    return trial.asked_at if trial.started_at is None else trial.started_at


def _bar(trial: StudyTrial) -> Bar:
    start, stop = _began(trial) or 0.0, trial.finished_at or 0.0
    return Bar(trial.worker or _BY_HAND, trial.state, start, stop, trial.number, trial.number, failure=trial.failure)
