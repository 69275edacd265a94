"""Studies in a SQLite file: one file, many studies, one row for each trial and for each embedding that trials lie in.

A killed process loses nothing: each `add` and `update` is a transaction of the write-ahead log. A power cut loses less
than `AT_STAKE` seconds of evaluations: a commit waits for the disk once that much has been paid for since the last wait
(or where nobody knows how much), so each result of an expensive f is on the disk when `update` returns. That wait took
8 ms on the disk this was measured on; all else of an `add` and an `update`, d = 64, took 0.2 ms.

A study is written by one process at a time, which holds a `Lock` on an empty side file. Readers hold nothing.
"""

import math
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from rembo.embedding import Point
from rembo.optimizer import TrialState
from rembo.space import Domain
from rembo.study.codec import describe, to_text
from rembo.study.database import (
    check_format,
    check_health,
    check_place,
    checksum_of,
    connect,
    in_words,
    insert,
    next_id,
    prepare,
    select,
    transaction,
)
from rembo.study.lock import Lock
from rembo.study.rows import (
    EMBEDDING,
    STUDY,
    TRIAL,
    frame_of,
    header_of,
    study_row,
    trial_of,
    trial_row,
)
from rembo.study.stamp import settled
from rembo.study.storage import (
    Header,
    Overview,
    StorageError,
    StoredStudy,
    no_such_study,
    no_such_trial,
    record_closed,
    trial_exists,
)
from rembo.study.trial import StudyTrial

_CHILDREN = 2.0  # seconds in which the forked children of a writer that was killed let go of its lock
AT_STAKE = 0.25  # seconds of evaluations that a power cut may cost

_FRAME = tuple(
    each.name for each in fields(Point) if each.name not in ("y", "written")
)  # of a point: its embedding, and how it is read

Found = TypeVar("Found")


class SQLite:
    """Named studies in a file, which is made when the first of them is begun."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()

    def enter(self, header: Header) -> Header:
        """Make a study unless it is there; the header it has. A study that is there is only read."""
        check_place(self.path)
        known = self._find(header.name)
        if known is None:
            with in_words(self.path), closing(connect(self.path, "mode=rwc")) as connection:
                return self._made(connection, header).header
        known.check_settings_of(header, str(self.path))
        return known

    def begin(self, header: Header) -> "SQLiteRecord":
        """Become the writer of a study, which is made unless it is there; a StorageError if another writes it."""
        check_place(self.path)
        with in_words(self.path), ExitStack() as undo:
            connection = undo.enter_context(closing(connect(self.path, "mode=rwc")))
            found = self._made(connection, header)
            lock = _lock(self.path, found)
            undo.callback(lock.release)
            with transaction(connection):
                connection.execute("UPDATE study SET writer = ? WHERE id = ?", (os.getpid(), found.id))
            record = SQLiteRecord(connection, lock, self.path, found)
            undo.pop_all()
            return record

    def _made(self, connection: sqlite3.Connection, header: Header) -> "_Found":
        """The row of a study, which is written if it is new."""
        prepare(connection, self.path)
        with transaction(connection):
            if header.name not in _names(connection):
                insert(connection, "study", STUDY, study_row(header, next_id(connection, "study")))
        found = _find_study(connection, header.name, self.path)
        found.header.check_settings_of(header, str(self.path))
        return found

    def names(self) -> list[str]:
        """The studies' names, the oldest first."""
        return self._read(_names)

    def read(self, name: str, after: int = -1) -> StoredStudy:
        """All that is stored of a study; changes and locks nothing, and works while another process writes.

        With `after`, a place in the order of asks and tells, without the trials that were told by then: a trial that
        was told does not change any more.
        """
        return self._read(lambda connection: _read_study(connection, name, self.path, after))

    def stamp(self) -> Hashable | None:
        """When the file and its log changed, and their sizes; None if that was a moment ago."""
        return settled(self.path)

    def overviews(self) -> list[Overview]:
        """Each study in a few numbers, the oldest first; quick whatever the number of trials is."""
        return self._read(lambda connection: [_overview(connection, name, self.path) for name in _names(connection)])

    def _find(self, name: str) -> Header | None:
        """The header of a study, or None if there is no such study, or no file."""
        if not self.path.exists() or not self.path.stat().st_size:
            return None
        return self._read(
            lambda connection: _find_study(connection, name, self.path).header if name in _names(connection) else None
        )

    def _read(self, query: Callable[[sqlite3.Connection], Found]) -> Found:
        """What a query finds. A file without a log is read without any lock, and once more if it changed meanwhile."""
        check_place(self.path)
        if not self.path.exists():
            raise StorageError(f"{self.path} does not exist: check the path, or begin a study there")
        before = self._stamp()
        try:
            found = self._ask(query, "mode=ro" if before is None else "mode=ro&immutable=1")
        except StorageError:
            if before == self._stamp():
                raise
            return self._read(query)
        return found if before is None or before == self._stamp() else self._read(query)

    def _ask(self, query: Callable[[sqlite3.Connection], Found], how: str) -> Found:
        with in_words(self.path), closing(connect(self.path, how)) as connection:
            check_format(connection, self.path)
            connection.execute("BEGIN")  # one state of the file for all that is read
            check_health(connection, self.path)
            return query(connection)

    def _stamp(self) -> tuple[int, int] | None:
        """When the file changed, and its size; None if there is a log beside it, by which SQLite keeps readers safe."""
        if self.path.with_name(f"{self.path.name}-wal").exists():
            return None
        now = self.path.stat()
        return now.st_mtime_ns, now.st_size


@dataclass(frozen=True)
class _Found:
    """A study's row: its id, its header, and the process that wrote it last."""

    id: int
    header: Header
    writer: int | None


class SQLiteRecord:
    """A study in a file, and the right to write it; safe to use from several threads."""

    def __init__(self, connection: sqlite3.Connection, lock: Lock, path: Path, found: _Found) -> None:
        self.header = found.header
        self._connection, self._lock, self._path, self._study = connection, lock, path, found.id
        descriptions = _descriptions(connection, found.id, path)
        self._embeddings = {text: number for number, text in descriptions.items()}
        self._frames = {number: frame_of(text, path) for number, text in descriptions.items()}
        self._latest: dict[int, int] = {}  # of each run, the embedding of its latest trial
        self._at_stake = 0.0  # seconds of evaluations
        self._counted: set[int] = set()  # trials whose seconds were, and that are still to be told
        self._closed = False
        self._turn = threading.Lock()

    def trials(self, after: int = -1) -> list[StudyTrial]:
        """All trials, by number; with `after`, without those that were told by then."""
        with self._opened() as connection:
            return _read_trials(connection, self._study, self.header.space, self._frames, self._path, after)

    def add(self, trial: StudyTrial) -> None:
        """Store a trial whose number is new."""
        with self._opened() as connection, self._committed(trial) as row:
            if self._has(trial.number):
                raise trial_exists(trial.number, self.header.name, str(self._path))
            insert(connection, "trial", TRIAL, row)

    def update(self, trial: StudyTrial) -> None:
        """Store what became of a trial."""
        with self._opened() as connection, self._committed(trial) as row:
            if not self._has(trial.number):
                raise no_such_trial(trial.number, self.header.name, str(self._path))
            columns = ", ".join(f"{name} = ?" for name in (*TRIAL, "checksum"))
            values = (*row, checksum_of(row), self._study, trial.number)
            connection.execute(f"UPDATE trial SET {columns} WHERE study = ? AND number = ?", values)

    def close(self) -> None:
        """Write all to the disk and let others write the study; may be called twice."""
        with self._turn, in_words(self._path), ExitStack() as ending:
            ending.callback(self._lock.release)  # at the very end
            ending.callback(self._connection.close)
            if not self._closed and self._at_stake > 0.0:
                self._connection.execute("PRAGMA wal_checkpoint")
            self._closed = True

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._turn, in_words(self._path):
            if self._closed:
                raise record_closed(self.header.name)
            yield self._connection

    @contextmanager
    def _committed(self, trial: StudyTrial) -> Iterator[Sequence[Any]]:
        """A transaction around what is done with a trial's row; it waits for the disk if there is enough at stake."""
        row = trial_row(trial, self._study, self._embedding_of(trial))
        known = trial.told is not None and trial.number in self._counted
        at_stake = self._at_stake + (0.0 if known else _paid(trial))
        waits = at_stake >= AT_STAKE
        with transaction(self._connection, waits):
            yield row
        self._at_stake = 0.0 if waits else at_stake
        (self._counted.add if trial.told is None and _paid(trial) else self._counted.discard)(trial.number)

    def _has(self, number: int) -> bool:
        question = "SELECT 1 FROM trial WHERE study = ? AND number = ?"
        return self._connection.execute(question, (self._study, number)).fetchone() is not None

    def _embedding_of(self, trial: StudyTrial) -> int:
        """The id of the row that says what a trial's y means; a new one only if no trial had it before."""
        frame = {name: value for name in _FRAME if (value := getattr(trial.point, name)) is not None}
        number = self._latest.get(trial.run)
        if number is None or self._frames[number] != frame:
            text = to_text(describe(frame, "trial.point"))
            number = self._embeddings.get(text) or self._insert_embedding(text, frame)
            self._latest[trial.run] = number
        return number

    def _insert_embedding(self, text: str, frame: dict[str, Any]) -> int:
        with transaction(self._connection, waits=False):
            number = next_id(self._connection, "embedding")
            insert(self._connection, "embedding", EMBEDDING, (number, self._study, text))
        self._embeddings[text], self._frames[number] = number, frame
        return number

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _lock(path: Path, study: _Found) -> Lock:
    """The study's side file, which lies beside the file itself, wherever a link to it lies."""
    file = path.resolve()
    side = file.with_name(f"{file.name}-{study.id}.lock")
    try:
        lock = Lock.take(side) or _freed(side, study.writer)
    except OSError as error:
        raise StorageError(f"{side} cannot be made: {error}: allow the folder to be written") from error
    if lock is None:
        raise StorageError(
            f"{path}: study {study.header.name!r} is being written by {_process(study.writer)}: "
            "wait for it or end it, or give this study another name; to read it, there is no need to wait"
        )
    return lock


def _freed(side: Path, writer: int | None) -> Lock | None:
    """The lock of a writer that has died, as soon as its forked children have closed their copies; None if it lives."""
    deadline = time.monotonic() + _CHILDREN
    lock = None
    while lock is None and not _lives(writer) and time.monotonic() < deadline:
        time.sleep(0.01)
        lock = Lock.take(side)
    return lock


def _lives(pid: int | None) -> bool:
    """Whether a process of this machine has that id; so it seems on Windows, where asking would interrupt it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid or os.getpid(), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return True


def _process(writer: int | None) -> str:
    if writer != os.getpid():
        return f"process {writer}"
    return "another Study of this process, whose trials are not all told (call its close())"


def _names(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM study ORDER BY id")]


def _find_study(connection: sqlite3.Connection, name: str, path: Path) -> _Found:
    for number, *row in select(connection, path, "study", STUDY, "name = ?", name):
        (writer,) = connection.execute("SELECT writer FROM study WHERE id = ?", (number,)).fetchone()
        return _Found(number, header_of(row, path), writer)
    raise no_such_study(name, _names(connection), str(path))


def _read_study(connection: sqlite3.Connection, name: str, path: Path, after: int) -> StoredStudy:
    found = _find_study(connection, name, path)
    texts = _descriptions(connection, found.id, path)
    frames = {number: frame_of(text, path) for number, text in texts.items()}
    return StoredStudy(found.header, _read_trials(connection, found.id, found.header.space, frames, path, after))


def _overview(connection: sqlite3.Connection, name: str, path: Path) -> Overview:
    found = _find_study(connection, name, path)
    question = "SELECT state, count(*) FROM trial WHERE study = ? GROUP BY state"
    counts = {TrialState(state): count for state, count in connection.execute(question, (found.id,))}
    best = "min(value)" if found.header.direction == "minimize" else "max(value)"
    latest = "max(max(asked_at), coalesce(max(started_at), 0), coalesce(max(finished_at), 0))"
    question = f"SELECT {best}, {latest} FROM trial WHERE study = ?"
    return Overview(found.header, counts, *connection.execute(question, (found.id,)).fetchone())


def _descriptions(connection: sqlite3.Connection, study: int, path: Path) -> dict[int, str]:
    """What the points of trials are beside their y, by the id of the row."""
    rows = select(connection, path, "embedding", EMBEDDING, "study = ?", study)
    return {number: description for number, _, description in rows}


def _read_trials(
    connection: sqlite3.Connection,
    study: int,
    space: Domain,
    frames: Mapping[int, Mapping[str, Any]],
    path: Path,
    after: int = -1,
) -> list[StudyTrial]:
    """The trials by number, but for those that were told by a place in the order of asks and tells."""
    where = "study = ? AND (told IS NULL OR told > ?) ORDER BY number"
    rows = select(connection, path, "trial", TRIAL, where, study, after)
    return [trial_of(dict(zip(TRIAL[1:], row[1:], strict=True)), space, frames, path) for row in rows]


def _paid(trial: StudyTrial) -> float:
    """The seconds that an evaluation took, infinitely many if nobody knows; 0 before it is finished."""
    if trial.state in (TrialState.WAITING, TrialState.RUNNING):
        return 0.0
    return math.inf if trial.duration is None else max(trial.duration, 0.0)
