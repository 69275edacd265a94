"""Studies in a SQLite file: one file, many studies, one row for each trial and for each embedding that trials lie in.

A killed process loses nothing: each `add` and `update` is a transaction of the write-ahead log. A power cut loses less
than `AT_STAKE` seconds of evaluations: a commit waits for the disk once that much has been paid for since the last wait
(or where nobody knows how much), so each result of an expensive f is on the disk when `update` returns. That wait took
8 ms on the disk this was measured on; all else of an `add` and an `update`, d = 64, took 0.2 ms.

A study is written by one process at a time, its `Writer`. Readers hold nothing.
"""

import math
import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from rembo.embedding import Point
from rembo.optimizer import TrialState
from rembo.space import Domain
from rembo.study.codec import describe, encode, to_text
from rembo.study.database import (
    check_format,
    check_health,
    check_log,
    check_place,
    checksum_of,
    connect,
    in_words,
    insert,
    is_extended,
    next_id,
    prepare,
    select,
    transaction,
)
from rembo.study.environment import environment
from rembo.study.rows import (
    EMBEDDING,
    ENVIRONMENT,
    STUDY,
    TRIAL,
    decoded,
    frame_of,
    header_of,
    study_row,
    trial_of,
    trial_row,
)
from rembo.study.stamp import log_of, settled
from rembo.study.storage import (
    Header,
    Overview,
    StorageError,
    StoredStudy,
    StudyRecord,
    WrittenIn,
    no_such_study,
    no_such_trial,
    record_closed,
    trial_exists,
    trial_was_told,
)
from rembo.study.trial import StudyTrial
from rembo.study.writer import Found, Writer, claimed

AT_STAKE = 0.25  # seconds of evaluations that a power cut may cost
_READERS = 1000  # milliseconds that a writer waits in the end for readers, to leave an empty log

_FRAME = tuple(
    each.name for each in fields(Point) if each.name not in ("y", "written")
)  # of a point: its embedding, and how it is read

Answer = TypeVar("Answer")


class SQLite:
    """Named studies in a file, which is made when the first of them is begun."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(os.path.realpath(path))  # links lead to one file, which has one log and one lock

    def enter(self, header: Header) -> Header:
        """Make a study unless it is there; the header it has. A study that is there is only read."""
        check_place(self.path)
        known = self._find(header.name)
        if known is None:
            with in_words(self.path), closing(connect(self.path, "mode=rwc")) as connection:
                prepare(connection, self.path)
                return self._made(connection, header).header
        known.check_settings_of(header, str(self.path))
        return known

    def begin(self, header: Header) -> "SQLiteRecord":
        """Become the writer of a study, which is made unless it is there; a StorageError if another writes it."""
        return self._begun(header, "mode=rwc", self._made)

    def resume(self, header: Header) -> "SQLiteRecord":
        """Become the writer of a study that was there; a StorageError if it is gone, or if another writes it."""
        if not self.path.exists():
            cure = "move it back, restore a copy, or open the study anew to begin it again"
            raise StorageError(f"{self.path} is no longer there, and study {header.name!r} with it: {cure}")
        return self._begun(header, "mode=rw", self._known)

    def _begun(self, header: Header, how: str, find: Callable[[sqlite3.Connection, Header], Found]) -> "SQLiteRecord":
        check_place(self.path)
        check_log(self.path)
        with in_words(self.path), ExitStack() as undo:
            connection = undo.enter_context(closing(connect(self.path, how)))
            claim = claimed(self.path, header.name)
            if claim is not None:
                undo.callback(claim.release)
            prepare(connection, self.path)
            found = find(connection, header)
            writer = Writer(connection, self.path, found, claim)
            undo.callback(writer.release)
            _note_environment(connection, writer, found.id, self.path)
            record = SQLiteRecord(connection, writer, self.path, found)
            undo.pop_all()
            return record

    def _made(self, connection: sqlite3.Connection, header: Header) -> Found:
        """The row of a study, which is written if it is new."""
        with transaction(connection):
            if header.name not in _names(connection):
                insert(connection, "study", STUDY, study_row(header, next_id(connection, "study")))
        return self._known(connection, header)

    def _known(self, connection: sqlite3.Connection, header: Header) -> Found:
        """The row of a study that is there, with the settings that are given."""
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

    def copy_to(self, other: sqlite3.Connection, there: Path) -> None:
        """Copy all studies, as they are at one moment, into an empty database at a path; nobody waits for it."""

        def copy(connection: sqlite3.Connection) -> None:
            with in_words(there):
                connection.backup(other)

        self._read(copy)

    def _find(self, name: str) -> Header | None:
        """The header of a study, or None if there is no such study, or no file."""
        if not _size(self.path):
            return None
        return self._read(
            lambda connection: _find_study(connection, name, self.path).header if name in _names(connection) else None
        )

    def _read(self, query: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """What a query finds. A file without a log is read without any lock, and once more if it changed meanwhile."""
        check_place(self.path)
        before = self._stamp()
        try:
            found = self._ask(query, "mode=ro" if before is None else "mode=ro&immutable=1")
        except StorageError:
            if before == self._stamp():
                raise
            return self._read(query)
        return found if before is None or before == self._stamp() else self._read(query)

    def _ask(self, query: Callable[[sqlite3.Connection], Answer], how: str) -> Answer:
        with in_words(self.path), closing(connect(self.path, how)) as connection:
            check_format(connection, self.path)
            connection.execute("BEGIN")  # one state of the file for all that is read
            check_health(connection, self.path)
            return query(connection)

    def _stamp(self) -> tuple[int, int] | None:
        """When the file changed, and its size; None if there is a log beside it, by which SQLite keeps readers safe."""
        try:
            now = self.path.stat()
        except FileNotFoundError:
            raise StorageError(f"{self.path} does not exist: check the path, or begin a study there") from None
        return None if log_of(self.path).exists() else (now.st_mtime_ns, now.st_size)


class SQLiteRecord:
    """A study in a file, and the right to write it; safe to use from several threads."""

    def __init__(self, connection: sqlite3.Connection, writer: Writer, path: Path, found: Found) -> None:
        self.header = found.header
        self._connection, self._writer, self._path, self._study = connection, writer, path, found.id
        descriptions = _descriptions(connection, found.id, path)
        self._embeddings = {text: number for number, text in descriptions.items()}
        self._frames = {number: frame_of(text, path) for number, text in descriptions.items()}
        self._latest: dict[int, int] = {}  # of each run, the embedding of its latest trial
        self._at_stake = 0.0  # seconds of evaluations
        self._counted: set[int] = set()  # trials whose seconds were, and that are still to be told
        self._closed = False
        self._process = os.getpid()
        self._turn = threading.Lock()

    def trials(self, after: int = -1) -> list[StudyTrial]:
        """All trials, by number; with `after`, without those that were told by then."""
        with self._opened() as connection:
            return _read_trials(connection, self._study, self.header.space, self._frames, self._path, after)

    def add(self, trial: StudyTrial) -> None:
        """Store a trial whose number is new."""
        with self._opened() as connection, self._committed(trial) as row:
            if self._stored(trial.number) is not None:
                raise trial_exists(trial.number, self.header.name, str(self._path))
            insert(connection, "trial", TRIAL, row)

    def update(self, trial: StudyTrial) -> None:
        """Store what became of a trial; one that was told stays as it is."""
        with self._opened() as connection, self._committed(trial) as row:
            columns = ", ".join(f"{name} = ?" for name in (*TRIAL, "checksum"))
            where = "study = ? AND number = ? AND told IS NULL"
            values = (*row, checksum_of(row), self._study, trial.number)
            if not connection.execute(f"UPDATE trial SET {columns} WHERE {where}", values).rowcount:
                self._check_stored(trial.number, row)

    def follows(self, earlier: StudyRecord) -> bool:
        """Whether nobody else has been the study's writer since an earlier record."""
        return isinstance(earlier, SQLiteRecord) and self._writer.predecessor == earlier._writer.nonce

    def close(self) -> None:
        """Write all to the disk and let others write the study; may be called twice, and does nothing in a fork."""
        if self._process != os.getpid():
            return
        with self._turn, in_words(self._path), ExitStack() as ending:
            ending.callback(self._writer.release)  # at the very end
            ending.callback(self._connection.close)
            closed, self._closed = self._closed, True
            if not closed:
                self._writer.check_file()
                self._connection.execute(f"PRAGMA busy_timeout = {_READERS}")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if self._process != os.getpid():  # SQLite does not bear it, and both would number their trials alike
            raise StorageError(
                f"{self._path}: study {self.header.name!r} is being written by process {self._process}, of which "
                "this one is a fork: open the study anew here, once that process has let go of it"
            )
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
        with self._writer.transaction(waits):
            yield row
        self._at_stake = 0.0 if waits else at_stake
        (self._counted.add if trial.told is None and _paid(trial) else self._counted.discard)(trial.number)

    def _stored(self, number: int) -> Sequence[Any] | None:
        """The row of a trial; None if there is none."""
        question = f"SELECT {', '.join(TRIAL)} FROM trial WHERE study = ? AND number = ?"
        row: Sequence[Any] | None = self._connection.execute(question, (self._study, number)).fetchone()
        return row

    def _check_stored(self, number: int, row: Sequence[Any]) -> None:
        """Refuse to change a trial that was told, or that is not there."""
        stored = self._stored(number)
        if stored is None:
            raise no_such_trial(number, self.header.name, str(self._path))
        if stored != row:
            raise trial_was_told(number, self.header.name, str(self._path))

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
        with self._writer.transaction(waits=False):
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


def _size(path: Path) -> int:
    """The bytes of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _names(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM study ORDER BY id")]


def _find_study(connection: sqlite3.Connection, name: str, path: Path) -> Found:
    for number, *row in select(connection, path, "study", STUDY, "name = ?", name):
        (writer,) = connection.execute("SELECT writer FROM study WHERE id = ?", (number,)).fetchone()
        return Found(number, header_of(row, path), writer)
    raise no_such_study(name, _names(connection), str(path))


def _note_environment(connection: sqlite3.Connection, writer: Writer, study: int, path: Path) -> None:
    """Store in which environment the study is written from now on, unless it is the one that it was written in last."""
    here, before = environment(), _written_in(connection, study, path)
    if before and before[-1].environment == here:
        return
    question = "SELECT coalesce(max(max(asked, coalesce(told, 0))) + 1, 0) FROM trial WHERE study = ?"
    with writer.transaction(waits=False):
        (since,) = connection.execute(question, (study,)).fetchone()
        row = (next_id(connection, "environment"), study, since, to_text(encode(here)))
        insert(connection, "environment", ENVIRONMENT, row)


def _written_in(connection: sqlite3.Connection, study: int, path: Path) -> list[WrittenIn]:
    """In which environments a study was written; none if the file is of an earlier version."""
    if not is_extended(connection):
        return []
    rows = select(connection, path, "environment", ENVIRONMENT, "study = ? ORDER BY since, id", study)
    return [WrittenIn(since, decoded(description, path)) for _, _, since, description in rows]


def _read_study(connection: sqlite3.Connection, name: str, path: Path, after: int) -> StoredStudy:
    found = _find_study(connection, name, path)
    texts = _descriptions(connection, found.id, path)
    frames = {number: frame_of(text, path) for number, text in texts.items()}
    trials = _read_trials(connection, found.id, found.header.space, frames, path, after)
    return StoredStudy(found.header, trials, _written_in(connection, found.id, path))


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
