"""Proof that a study is what its settings and values make of it: every suggestion is computed once more."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from rembo.optimizer import Optimizer, Origin, Suggestion, Trial
from rembo.study.codec import decode
from rembo.study.direction import sign_of
from rembo.study.environment import differing, environment
from rembo.study.opening import open_storage, the_only
from rembo.study.storage import StorageError, StoredStudy, trial_missing
from rembo.study.trial import StudyTrial


class Verdict(Enum):
    """What a verification has found."""

    HOLDS = "holds"  # all suggestions follow
    FAILS = "does not hold"  # one does not follow in the environment that it was made in
    UNKNOWN = "cannot be told"  # one does not follow here, and was made in another environment


@dataclass(frozen=True)
class Verification:
    """How many suggestions follow, bit for bit, from what was told before them; and the first that does not.

    Attributes
    ----------
    name : str
        Of the study.
    followed, given : int
        How many suggestions follow; and how many points were given by the user, before the first that does not.
    stray : StudyTrial, optional
        The first that does not follow.
    farthest : float
        The largest difference in its y.
    elsewhere : tuple of str
        What differs between the environment that it was made in and this one, on which its last bits depend.
    """

    name: str
    followed: int
    given: int
    stray: StudyTrial | None = None
    farthest: float = 0.0
    elsewhere: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all follow."""
        return self.stray is None

    @property
    def verdict(self) -> Verdict:
        """Whether all follow; if not, whether that proves that the study was changed."""
        if self.holds:
            return Verdict.HOLDS
        return Verdict.UNKNOWN if self.elsewhere else Verdict.FAILS


def verify(storage: str | Path, name: str | None = None) -> Verification:
    """Replay a study: ask again what was asked, tell again what was told, each in the order that the file has.

    Points that the user gave are taken as they are. The last bits of a suggestion depend on the versions of NumPy,
    SciPy and others, and on the kind of CPU; what comes later depends on these bits. The file says in which environment
    each suggestion was made: where it was another than this one, a difference proves nothing.

    Parameters
    ----------
    storage : str or Path
        The file of the study.
    name : str, optional
        Which study, where the file has several.

    Returns
    -------
    Verification
        Its `verdict` is HOLDS, FAILS or UNKNOWN.

    Raises
    ------
    StorageError
        If there is no such study, or if it does not say which optimizer it has.
    """
    kept = open_storage(storage)
    stored = kept.read(the_only(kept, name, storage))
    optimizer = decode(stored.header.optimizer)
    if not isinstance(optimizer, Optimizer):
        raise StorageError(f"{storage}: study {stored.header.name!r} does not say which optimizer it has")
    for place, trial in enumerate(stored.trials):
        if trial.number != place:
            raise trial_missing(place, trial.number)
    return _replayed(stored, optimizer)


def _replayed(stored: StoredStudy, optimizer: Optimizer) -> Verification:
    name, sign = stored.header.name, sign_of(stored.header.direction)
    followed = given = 0
    for asked, trial in _events(stored):
        if not asked:
            _tell(optimizer, trial, sign)
            continue
        again = _again(optimizer, trial)
        if not _same(again, trial):
            return Verification(name, followed, given, trial, _distance(again, trial), _elsewhere(stored, trial))
        given += trial.origin is Origin.GIVEN
        followed += trial.origin is not Origin.GIVEN
    return Verification(name, followed, given)


def _elsewhere(stored: StoredStudy, trial: StudyTrial) -> tuple[str, ...]:
    """What differs between the environment that a trial was suggested in and this one."""
    there = stored.environment_of(trial)
    if there is None:
        return ("an earlier version of rembo, which did not store its environment, there",)
    return differing(there, environment())


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
