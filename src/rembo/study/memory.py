"""Studies that are kept in memory and end with the process; the same laws as in a file."""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rembo.study.storage import (
    Header,
    StorageError,
    StoredStudy,
    StudyRecord,
    no_such_study,
    no_such_trial,
    record_closed,
    trial_exists,
    trial_was_told,
)
from rembo.study.trial import StudyTrial

_WHERE = "the memory of this process"


@dataclass(eq=False)
class _Kept:
    header: Header
    trials: dict[int, StudyTrial] = field(default_factory=dict)
    writing: bool = False
    writers: int = 0
    writes: int = 0

    def listed(self, after: int) -> list[StudyTrial]:
        listed = (self.trials[number] for number in sorted(self.trials))
        return [trial for trial in listed if trial.told is None or trial.told > after]


class Memory:
    """Named studies in the memory of this process."""

    def __init__(self) -> None:
        self._studies: dict[str, _Kept] = {}

    def enter(self, header: Header) -> Header:
        """Make a study unless it is there; the header it has."""
        kept = self._studies.setdefault(header.name, _Kept(header))
        if kept.header is not header:
            kept.header.check_settings_of(header, _WHERE)
        return kept.header

    def begin(self, header: Header) -> "MemoryRecord":
        """Become the writer of a study, which is made unless it is there."""
        kept = self._studies[self.enter(header).name]
        if kept.writing:
            raise StorageError(f"study {header.name!r} is being written already: close the other record first")
        return MemoryRecord(kept)

    def resume(self, header: Header) -> "MemoryRecord":
        """Become the writer of a study that is there."""
        if header.name not in self._studies:
            raise no_such_study(header.name, self.names(), _WHERE)
        return self.begin(header)

    def names(self) -> list[str]:
        """The studies' names, the oldest first."""
        return list(self._studies)

    def read(self, name: str, after: int = -1) -> StoredStudy:
        """All that is kept of a study; with `after`, without the trials that were told by then."""
        if name not in self._studies:
            raise no_such_study(name, self.names(), _WHERE)
        return StoredStudy(self._studies[name].header, self._studies[name].listed(after))

    def stamp(self) -> int:
        """How often something was written."""
        return sum(kept.writes for kept in self._studies.values())


class MemoryRecord:
    """A study in memory, and the right to write it."""

    def __init__(self, kept: _Kept) -> None:
        self._kept = kept
        self._open = kept.writing = True
        self._number = kept.writers = kept.writers + 1

    @property
    def header(self) -> Header:
        """What the study is about."""
        return self._kept.header

    def trials(self, after: int = -1) -> list[StudyTrial]:
        """All trials, by number; with `after`, without those that were told by then."""
        return self._kept.listed(after)

    def add(self, trial: StudyTrial) -> None:
        """Keep a trial whose number is new."""
        self._check_open()
        if trial.number in self._kept.trials:
            raise trial_exists(trial.number, self.header.name, _WHERE)
        self._kept.trials[trial.number] = trial
        self._kept.writes += 1

    def update(self, trial: StudyTrial) -> None:
        """Keep what became of a trial; one that was told stays as it is."""
        self._check_open()
        before = self._kept.trials.get(trial.number)
        if before is None:
            raise no_such_trial(trial.number, self.header.name, _WHERE)
        if before.told is not None and before is not trial:
            raise trial_was_told(trial.number, self.header.name, _WHERE)
        self._kept.trials[trial.number] = trial
        self._kept.writes += 1

    def follows(self, earlier: StudyRecord) -> bool:
        """Whether nobody else has been the study's writer since an earlier record."""
        return isinstance(earlier, MemoryRecord) and self._number == earlier._number + 1

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
