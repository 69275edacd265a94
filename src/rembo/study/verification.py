"""Proof that a study is what its settings and values make of it: every suggestion is computed once more."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rembo.optimizer import Optimizer, Origin, Suggestion, Trial
from rembo.study.codec import decode
from rembo.study.storage import StorageError, StoredStudy, open_storage, the_only
from rembo.study.trial import StudyTrial


@dataclass(frozen=True)
class Verification:
    """How many suggestions follow, bit for bit, from what was told before them; and the first that does not."""

    name: str
    followed: int
    given: int
    stray: StudyTrial | None = None
    farthest: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether all follow."""
        return self.stray is None


def verify(storage: str | Path, name: str | None = None) -> Verification:
    """Replay a study: ask again what was asked, tell again what was told, each in the order that the file has.

    Points that the user gave are taken as they are. The last bits of a suggestion depend on the linear algebra library
    and the number of its threads: on another machine a difference in them is no sign of tampering.
    """
    kept = open_storage(storage)
    stored = kept.read(the_only(kept, name, storage))
    optimizer = decode(stored.header.optimizer)
    if not isinstance(optimizer, Optimizer):
        raise StorageError(f"{storage}: study {stored.header.name!r} does not say which optimizer it has")
    return _replayed(stored, optimizer)


def _replayed(stored: StoredStudy, optimizer: Optimizer) -> Verification:
    name, sign = stored.header.name, 1.0 if stored.header.direction == "minimize" else -1.0
    followed = given = 0
    for asked, trial in _events(stored):
        if not asked:
            _tell(optimizer, trial, sign)
            continue
        again = _again(optimizer, trial)
        if not _same(again, trial):
            return Verification(name, followed, given, trial, _distance(again, trial))
        given += trial.origin is Origin.GIVEN
        followed += trial.origin is not Origin.GIVEN
    return Verification(name, followed, given)


def _events(stored: StoredStudy) -> list[tuple[bool, StudyTrial]]:
    """Asks (True) and tells (False) in their order."""
    asks = [(trial.asked, True, trial) for trial in stored.trials]
    tells = [(trial.told, False, trial) for trial in stored.trials if trial.told is not None]
    return [(asked, trial) for _, asked, trial in sorted(asks + tells, key=lambda event: event[0])]


def _again(optimizer: Optimizer, trial: StudyTrial) -> Trial:
    if trial.origin is Origin.GIVEN:
        return optimizer.recall(Suggestion(trial.point, trial.run, trial.nominees, trial.origin))
    return optimizer.hurry() if trial.origin is Origin.HURRIED else optimizer.ask()


def _tell(optimizer: Optimizer, trial: StudyTrial, sign: float) -> None:
    theirs = optimizer.trials[trial.number]
    if trial.value is None:
        optimizer.fail(theirs, trial.failure or trial.state.value)
    else:
        optimizer.tell(theirs, sign * trial.value)


def _same(again: Trial, trial: StudyTrial) -> bool:
    return again.run == trial.run and again.point == trial.point


def _distance(again: Trial, trial: StudyTrial) -> float:
    """The largest difference in y; infinite where the embeddings differ in size."""
    return float(np.abs(again.y - trial.y).max()) if again.y.shape == trial.y.shape else np.inf
