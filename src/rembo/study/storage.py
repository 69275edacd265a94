"""What a storage of studies is: named studies, each a header and trials, written by one process at a time.

The storage is the only truth about a study. A header says what is searched and by which optimizer, and never changes; a
study that is begun again with other settings is refused, with the differences listed.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

from rembo.optimizer import TrialState
from rembo.space import Domain, check_domain
from rembo.study.codec import Data, decode, describe, differences, encode
from rembo.study.direction import Direction, sign_of
from rembo.study.environment import Environment
from rembo.study.own_class import UnknownClassError
from rembo.study.trial import StudyTrial

ABLATION = "-ablation"  # ends the name of a study that keeps the evaluations of an ablation of another
_NAMED = 8  # differences named in an error


class StorageError(Exception):
    """A storage that cannot be read or written; the sentence names it, and the cure."""


@dataclass(frozen=True, eq=False)
class Header:
    """What a study is about; `optimizer` is its encoded description, or None. Seconds are since 1970."""

    name: str
    direction: Direction
    space: Domain
    optimizer: Data = None
    created_at: float = 0.0
    version: str = ""
    user_attrs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or not self.name.isprintable():
            raise ValueError(f"a study's name must be a string that can be read, not {self.name!r}")
        sign_of(self.direction)  # refuse any other
        check_domain(self.space)

    def settings(self) -> Data:
        """What must be the same whenever the study is begun again, encoded.

        The optimizer is made and described anew: a setting that came with a newer version has its default there. One
        of a class that this program has not imported is described as it was.
        """
        try:
            optimizer = describe(decode(self.optimizer), "optimizer")
        except UnknownClassError:
            optimizer = self.optimizer
        if isinstance(optimizer, dict):  # whose space is the study's
            optimizer = {key: value for key, value in optimizer.items() if key != "space"}
        return {"direction": self.direction, "space": encode(self.space, "space"), "optimizer": optimizer}

    def check_settings_of(self, given: "Header", where: str) -> None:
        """Refuse to go on with a study that is given other settings than it has."""
        found = differences(self.settings(), given.settings())
        if found:
            more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
            raise StorageError(
                f"{where}: study {self.name!r} was begun with other settings: {'; '.join(found[:_NAMED])}{more}. "
                "Give it the settings it has, or give this study another name"
            )


@dataclass(frozen=True)
class WrittenIn:
    """The environment in which a study was written from a place in the order of asks and tells on."""

    since: int
    environment: Environment


@dataclass(frozen=True, eq=False)
class StoredStudy:
    """All that is stored of a study; trials by number, environments by their places."""

    header: Header
    trials: list[StudyTrial]
    written_in: Sequence[WrittenIn] = ()

    def environment_of(self, trial: StudyTrial) -> Environment | None:
        """Where a trial was suggested; None if it was written by a version that did not store that."""
        before = [each.environment for each in self.written_in if each.since <= trial.asked]
        return before[-1] if before else None


@dataclass(frozen=True, eq=False)
class Overview:
    """A study in a few numbers: how many trials are in each state, the best value, when a trial was last heard of."""

    header: Header
    counts: Mapping[TrialState, int]
    best: float | None
    latest: float | None


class StudyRecord(Protocol):
    """A study whose writer this process is.

    A trial is stored when `add` or `update` returns, and not at all if it raises. A context manager that closes itself.
    """

    @property
    def header(self) -> Header:
        """What the study is about, as it was first begun."""

    def trials(self, after: int = -1) -> list[StudyTrial]:
        """All trials, by number; with `after`, without those that were told by that place in the order."""

    def add(self, trial: StudyTrial) -> None:
        """Store a trial whose number is new."""

    def update(self, trial: StudyTrial) -> None:
        """Store what became of a trial that was added before; one that was told may not change any more."""

    def follows(self, earlier: "StudyRecord") -> bool:
        """Whether nobody else has been the study's writer since an earlier record."""

    def close(self) -> None:
        """Let others write the study; may be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class Storage(Protocol):
    """Named studies, each with one writer at a time; reading takes no lock and waits for nobody."""

    def enter(self, header: Header) -> Header:
        """Make a study unless it is there; the header it has; a StorageError if it has other settings."""

    def begin(self, header: Header) -> StudyRecord:
        """Become the writer of a study, which is made unless it is there; a StorageError if another is."""

    def resume(self, header: Header) -> StudyRecord:
        """Become the writer of a study that was there before; a StorageError if it is gone, or if another is."""

    def names(self) -> list[str]:
        """The studies' names, the oldest first."""

    def read(self, name: str, after: int = -1) -> StoredStudy:
        """All that is stored of a study, whether or not it is being written.

        With `after`, a place in the order of asks and tells, without the trials that were told by then: a trial that
        was told does not change any more.
        """

    def stamp(self) -> Hashable | None:
        """What is equal as long as nothing was written; None where a change could go unnoticed."""


def no_such_study(name: str, names: list[str], where: str) -> StorageError:
    """What to say of a study that is not there."""
    there = f"it has {', '.join(map(repr, names))}" if names else "it has none yet"
    return StorageError(f"{where} has no study named {name!r}: {there}")


def trial_exists(number: int, name: str, where: str) -> StorageError:
    """What to say of a trial that is added twice."""
    return StorageError(f"{where}: study {name!r} has a trial {number} already: use update")


def trial_missing(number: int, later: int) -> StorageError:
    """What to say where a trial is not stored, though a later one is."""
    return StorageError(
        f"trial {number} is missing, though there is trial {later}: the file is damaged, restore a copy of it"
    )


def no_such_trial(number: int, name: str, where: str) -> StorageError:
    """What to say of a trial that is updated before it was added."""
    return StorageError(f"{where}: study {name!r} has no trial {number} yet: add it first")


def trial_was_told(number: int, name: str, where: str) -> StorageError:
    """What to say of a trial that is to be changed after it was told."""
    cure = "open the study anew, which knows what became of it"
    return StorageError(f"{where}: trial {number} of study {name!r} is finished and never overwritten: {cure}")


def record_closed(name: str) -> StorageError:
    """What to say of a study that is written after its record was closed."""
    return StorageError(f"the record of study {name!r} is closed: begin it again")
