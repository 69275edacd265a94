"""Studies that are kept in memory and end with the process; the same laws as in a file."""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rembo.study.storage import (
    Header,
    StorageError,
    StoredStudy,
    no_such_study,
    no_such_trial,
    record_closed,
    trial_exists,
)
from rembo.study.trial import StudyTrial

_WHERE = "the memory of this process"


@dataclass(eq=False)
class _Kept:
    header: Header
    trials: dict[int, StudyTrial] = field(default_factory=dict)
    writing: bool = False

    def listed(self) -> list[StudyTrial]:
        return [self.trials[number] for number in sorted(self.trials)]


class Memory:
    """Named studies in the memory of this process."""

    def __init__(self) -> None:
        self._studies: dict[str, _Kept] = {}

    def begin(self, header: Header) -> "MemoryRecord":
        """Make a study, or open the one of that name, for writing."""
        kept = self._studies.setdefault(header.name, _Kept(header))
        if kept.header is not header:
            kept.header.check_settings_of(header, _WHERE)
        if kept.writing:
            raise StorageError(f"study {header.name!r} is being written already: close the other record first")
        return MemoryRecord(kept)

    def names(self) -> list[str]:
        """The studies' names, the oldest first."""
        return list(self._studies)

    def read(self, name: str) -> StoredStudy:
        """All that is kept of a study."""
        if name not in self._studies:
            raise no_such_study(name, self.names(), _WHERE)
        return StoredStudy(self._studies[name].header, self._studies[name].listed())


class MemoryRecord:
    """A study in memory that is open for writing."""

    def __init__(self, kept: _Kept) -> None:
        self._kept = kept
        self._open = kept.writing = True

    @property
    def header(self) -> Header:
        """What the study is about."""
        return self._kept.header

    def trials(self) -> list[StudyTrial]:
        """All trials, by number."""
        return self._kept.listed()

    def add(self, trial: StudyTrial) -> None:
        """Keep a trial whose number is new."""
        self._check_open()
        if trial.number in self._kept.trials:
            raise trial_exists(trial.number, self.header.name, _WHERE)
        self._kept.trials[trial.number] = trial

    def update(self, trial: StudyTrial) -> None:
        """Keep what became of a trial."""
        self._check_open()
        if trial.number not in self._kept.trials:
            raise no_such_trial(trial.number, self.header.name, _WHERE)
        self._kept.trials[trial.number] = trial

    def close(self) -> None:
        """Let others write the study."""
        if self._open:
            self._open = self._kept.writing = False

    def _check_open(self) -> None:
        if not self._open:
            raise record_closed(self.header.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
