"""The timeline of the workers: who evaluated what when, and how it ended.

A worker that evaluates several at a time, by threads, has a lane for each. Trials of one lane with one end that follow
each other within less than can be seen are one bar, so that a study of twenty thousand has no more than can be shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rembo.optimizer import TrialState
from rembo.plot.data.search import Search
from rembo.study import StudyTrial

MOST_BARS = 2_000
_MOST_LANES = 16
_BY_HAND = "told by hand"


@dataclass(frozen=True)
class Bar:
    """A time, in seconds since 1970, in which a worker evaluated trials one after the other; `failure` of the last."""

    worker: str
    lane: int
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
    by_worker = groupby(sorted(bars, key=lambda bar: (bar.worker, bar.start)), key=lambda bar: bar.worker)
    laned = [bar for _, theirs in by_worker for bar in _in_lanes(theirs)]
    by_lane = [list(lane) for _, lane in groupby(laned, key=lambda bar: (bar.worker, bar.lane))]
    span = max(bar.stop for bar in bars) - min(bar.start for bar in bars)
    return [merged for lane in by_lane for merged in _merged(lane, span * len(by_lane) / MOST_BARS)]


def _in_lanes(bars: Iterable[Bar]) -> list[Bar]:
    """The bars of one worker, lane by lane: each goes into the first lane that is free, or will be first."""
    lanes: list[list[Bar]] = []
    for bar in bars:
        free = next((number for number, lane in enumerate(lanes) if lane[-1].stop <= bar.start), len(lanes))
        if free == _MOST_LANES:
            free = min(range(_MOST_LANES), key=lambda number: lanes[number][-1].stop)
        lanes += [[]] if free == len(lanes) else []
        lanes[free].append(replace(bar, lane=free))
    return [bar for lane in lanes for bar in lane]


def _merged(bars: Sequence[Bar], unseen: float) -> list[Bar]:
    """Bars of one lane by time; those that cannot be told apart joined."""
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
    return Bar(trial.worker or _BY_HAND, 0, trial.state, start, stop, trial.number, trial.number, failure=trial.failure)
