"""What a page shows of a study: a copy that is brought up to date when its file has changed, and only then.

A trial that was told never changes, so that only the others are read again: a study of 20,000 trials takes a second the
first time and some 30 ms then. Each reading is a short transaction of a read-only connection, which is closed at once.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

from rembo.dashboard.catalogue import Catalogue, Place, UnknownPlaceError
from rembo.dashboard.charts import Chart, quick_charts
from rembo.dashboard.facts import best_of
from rembo.dashboard.table import Readings
from rembo.study import StorageError
from rembo.study.comparison import DefaultComparison, compare_with_default
from rembo.study.sqlite import SQLite
from rembo.study.stamp import Stamp, settled
from rembo.study.storage import StoredStudy

MOST_TRIALS = 50_000  # of all studies that are kept in memory; the one that was asked for last is kept in any case


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A study as it was when its file had a stamp; without one if the file may have changed unnoticed since.

    `readings` are passed on from snapshot to snapshot.
    """

    study: StoredStudy
    stamp: Stamp | None
    readings: Readings = field(default_factory=Readings)

    @cached_property
    def told(self) -> int:
        """The latest place in the order of asks and tells at which a trial was told; -1 before the first."""
        return max((trial.told for trial in self.study.trials if trial.told is not None), default=-1)

    @cached_property
    def comparison(self) -> DefaultComparison | None:
        """The best trial beside the default configuration."""
        return compare_with_default(self.study.header.space, self.study.trials, best_of(self.study))

    def charts(self, target: float | None = None) -> str:
        """The charts that follow from the trials alone, as JSON, with the line of a target if there is one."""
        return self._untargeted if target is None else _json(quick_charts(self.study, target))

    @cached_property
    def _untargeted(self) -> str:
        return _json(quick_charts(self.study))


def _json(charts: Mapping[str, Chart]) -> str:
    return json.dumps({name: asdict(chart) for name, chart in charts.items()})


class Snapshots:
    """The latest snapshots of a catalogue's studies; safe to use from several threads."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._kept: OrderedDict[Place, Snapshot] = OrderedDict()
        self._turn = threading.Lock()

    def latest(self, place: Place) -> Snapshot:
        """A study as it is now."""
        storage = self._catalogue.storage(place.file)
        with self._turn:
            now, kept = settled(storage.path), self._kept.get(place)
            if kept is None or now is None or kept.stamp != now:
                kept = _renewed(kept, _read(storage, place, kept), now)
            self._keep(place, kept)
            return kept

    def _keep(self, place: Place, snapshot: Snapshot) -> None:
        self._kept[place] = snapshot
        self._kept.move_to_end(place)
        while len(self._kept) > 1 and sum(len(kept.study.trials) for kept in self._kept.values()) > MOST_TRIALS:
            self._kept.popitem(last=False)


def _renewed(kept: Snapshot | None, study: StoredStudy, now: Stamp | None) -> Snapshot:
    """A snapshot of what was read; a study that was begun again has nothing in common with what is kept."""
    same = kept is not None and kept.study.header.created_at == study.header.created_at
    return Snapshot(study, now, kept.readings) if kept is not None and same else Snapshot(study, now)


def _read(storage: SQLite, place: Place, kept: Snapshot | None) -> StoredStudy:
    """The study as it is now: what is kept of it, and what has changed since."""
    try:
        if kept is None:
            return storage.read(place.name)
        changes = storage.read(place.name, after=kept.told)
        renewed = changes.header.created_at != kept.study.header.created_at  # the file was removed and begun again
        return storage.read(place.name) if renewed else _merged(kept.study, changes)
    except StorageError:
        if place.name in storage.names():
            raise
        raise UnknownPlaceError(f"There is no study {place.name!r} in {place.file}.") from None


def _merged(before: StoredStudy, changes: StoredStudy) -> StoredStudy:
    trials = {trial.number: trial for trial in (*before.trials, *changes.trials)}
    return StoredStudy(changes.header, [trials[number] for number in sorted(trials)])
