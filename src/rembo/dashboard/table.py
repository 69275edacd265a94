"""The table of trials: which of them an address asks for, in which order, and what stands in the columns it names."""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rembo.dashboard.asked import PARAMETER, Asked
from rembo.plot.data.coordinates import Coordinate, find_coordinate, positions
from rembo.space import Domain
from rembo.study import StudyTrial

_MOST_KEPT = 64  # coordinates


class Readings:
    """Positions of trials along single coordinates, each read once: where a trial lies never changes.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._kept: dict[int, list[float]] = {}
        self._turn = threading.Lock()

    def along(self, coordinate: Coordinate, trials: Sequence[StudyTrial]) -> list[float]:
        """The position of each trial; trials are those of one study, by number, more of them every time."""
        with self._turn:
            while len(self._kept) >= _MOST_KEPT and coordinate.index not in self._kept:
                del self._kept[next(iter(self._kept))]
            known = self._kept.setdefault(coordinate.index, [])
            known.extend(positions(trials[len(known) :], [coordinate])[:, 0].tolist())
            return known[: len(trials)]


@dataclass(frozen=True, eq=False)
class TrialTable:
    """The trials that are asked for, in order, and the coordinates that are shown of them.

    `unknown` are the columns that were asked for and that no parameter of one coordinate is called by, or that nothing
    known can read.
    """

    trials: Sequence[StudyTrial]
    columns: tuple[Coordinate, ...]
    unknown: tuple[str, ...]


def table_of(space: Domain, trials: Sequence[StudyTrial], asked: Asked, readings: Readings) -> TrialTable:
    """The trials of a study that an address asks for."""
    readable = all(trial.readable for trial in trials)
    found = {name: find_coordinate(space, name) if readable else None for name in asked.columns}
    columns = {name: each for name, each in found.items() if each is not None}
    unknown = tuple(name for name, each in found.items() if each is None)
    kept = _matching(trials, columns, asked, readings)
    return TrialTable(_sorted(kept, trials, columns, asked, readings), tuple(columns.values()), unknown)


def _matching(
    trials: Sequence[StudyTrial], columns: dict[str, Coordinate], asked: Asked, readings: Readings
) -> list[StudyTrial]:
    """The trials that every filter lets through."""
    kept = [trial for trial in trials if asked.state in (None, trial.state)]
    if asked.values:
        kept = [trial for trial in kept if trial.value is not None and trial.value in asked.values]
    for name, coordinate in columns.items():
        admits = _filter(coordinate, asked, name)
        if admits is not None:
            read = readings.along(coordinate, trials)
            kept = [trial for trial in kept if not math.isnan(read[trial.number]) and admits(read[trial.number])]
    return kept


def _filter(coordinate: Coordinate, asked: Asked, name: str) -> Callable[[float], bool] | None:
    """What a filter makes of a position; None where there is no filter."""
    wanted, bounds = asked.names.get(name), asked.ranges.get(name)
    if coordinate.names:
        return None if wanted is None else lambda u: str(coordinate.value(u)) == wanted
    return None if not bounds else lambda u: float(coordinate.value(u)) in bounds


def _sorted(
    kept: list[StudyTrial],
    trials: Sequence[StudyTrial],
    columns: dict[str, Coordinate],
    asked: Asked,
    readings: Readings,
) -> list[StudyTrial]:
    """Trials by what is asked for; those that have no such thing come last either way."""
    key = _KEYS.get(asked.sort, _number)
    column = columns.get(asked.sort.removeprefix(PARAMETER)) if asked.sort.startswith(PARAMETER) else None
    if column is not None:
        read = readings.along(column, trials)
        key = lambda trial: _number_at(column, read[trial.number])  # noqa: E731
    known = [trial for trial in kept if key(trial) is not None]
    without = [trial for trial in kept if key(trial) is None]
    return sorted(known, key=key, reverse=not asked.rising) + without


def _number_at(column: Coordinate, u: float) -> float | None:
    """What to sort by; None where the parameter is inactive."""
    return None if math.isnan(u) else column.number(u)


def _number(trial: StudyTrial) -> int:
    return trial.number


_KEYS: dict[str, Callable[[StudyTrial], Any]] = {
    "trial": _number,
    "state": lambda trial: trial.state.name,
    "value": lambda trial: trial.value,
    "seconds": lambda trial: trial.duration,
    "run": lambda trial: trial.run,
    "origin": lambda trial: trial.origin.value,
    "worker": lambda trial: trial.worker,
    "finished": lambda trial: trial.finished_at,
}
SORTS = tuple(_KEYS)
