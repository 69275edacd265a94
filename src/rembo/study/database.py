"""The SQLite file that studies lie in: its tables, its format, its transactions, and rows with checksums.

Each row has a checksum, because SQLite itself does not notice a flipped bit in a number. What goes wrong is told in
sentences that name the file and the cure.
"""

import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rembo.study.rows import DAMAGED, damaged
from rembo.study.stamp import log_of
from rembo.study.storage import StorageError

APPLICATION_ID = 0x52656D62  # "Remb", in the header of the file
FORMAT = 1
PATIENCE = 60.0  # seconds to wait while other processes write other studies

_SCHEMA = (
    """CREATE TABLE study (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, direction TEXT NOT NULL, space TEXT NOT NULL, optimizer TEXT,
        created_at, version TEXT NOT NULL, user_attrs TEXT NOT NULL, checksum INTEGER NOT NULL, writer INTEGER
    )""",
    """CREATE TABLE embedding (
        id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study, description TEXT NOT NULL,
        checksum INTEGER NOT NULL
    )""",
    """CREATE TABLE trial (
        study INTEGER NOT NULL REFERENCES study, number INTEGER NOT NULL,
        embedding INTEGER NOT NULL REFERENCES embedding, y BLOB NOT NULL, run INTEGER NOT NULL, origin TEXT NOT NULL,
        state TEXT NOT NULL, asked INTEGER NOT NULL, told INTEGER, value, reason TEXT, error TEXT, worker TEXT,
        attempts INTEGER NOT NULL, ask_seconds, asked_at, started_at, finished_at, user_attrs TEXT NOT NULL,
        nominees BLOB, checksum INTEGER NOT NULL,
        PRIMARY KEY (study, number), CHECK (state <> 'complete' OR value IS NOT NULL)
    )""",
)  # columns of real numbers have no type, lest SQLite store -0.0 as the whole number 0
_ADDED = (
    """CREATE TABLE environment (
        id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study, since INTEGER NOT NULL,
        description TEXT NOT NULL, checksum INTEGER NOT NULL
    )""",
    "ALTER TABLE study ADD COLUMN nonce TEXT",
)  # to files of earlier versions, when they are written
_CURES = {
    sqlite3.SQLITE_NOTADB: "it is no SQLite file: give the path of a study, or of a file that does not exist yet",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_FULL: "the disk is full: free some space and try again; all that was stored before is safe",
    sqlite3.SQLITE_IOERR: "the disk failed or is full: see to it and try again; all that was stored before is safe",
    sqlite3.SQLITE_READONLY: "it must not be written: allow it, folder included, or give another path",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: allow it to be read, and its folder to be written, or copy it",
    sqlite3.SQLITE_PERM: "it must not be opened: allow it, or give another path",
    sqlite3.SQLITE_CONSTRAINT: "it takes no such trial: one that is complete needs a value that is a number",
    sqlite3.SQLITE_BUSY: f"other processes kept it busy for {PATIENCE:.0f} seconds: try again",
}


def check_place(path: Path) -> None:
    """Refuse a path where no file can be."""
    if path.is_dir():
        raise StorageError(f"{path} is a folder: give the path of a file in it")
    if not path.parent.is_dir():
        raise StorageError(f"{path}: the folder {path.parent} does not exist: make it first")


def check_log(path: Path) -> None:
    """Refuse to make a file beside a log that is not its own: its writer may still be at work on the file elsewhere."""
    log = log_of(path)
    if log.exists() and not path.exists():
        raise StorageError(
            f"{path} is not there, but its log {log.name} is: the file was removed or renamed while it was written. "
            "Move it back, or remove the log, with which what was stored last is lost"
        )


def _check_only_name(path: Path) -> None:
    """Refuse to write a file with several names: SQLite keeps a log for each, and one would overwrite the other."""
    try:
        names = path.stat().st_nlink
    except FileNotFoundError:
        return
    if names > 1:
        raise StorageError(
            f"{path} has {names} names (hard links), and each would get a log of its own: remove the others, "
            "and use symbolic links instead"
        )


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Open the file in a mode of SQLite's URIs; transactions begin when they are told to."""
    where = f"{path.as_uri()}?{how}"
    return sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True)


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """SQLite's errors as sentences that name the file and the cure."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a message quotes damaged text
        raise StorageError(
            f"{path}: {_CURES.get(error_code(error), _CURES[sqlite3.SQLITE_CORRUPT])} ({error})"
        ) from error


def error_code(error: Exception) -> int:
    """Which kind of error it is, without SQLite's finer distinctions."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def transaction(connection: sqlite3.Connection, waits: bool = True) -> Iterator[None]:
    """All or nothing; whether or not the commit waits until the disk has it."""
    connection.execute(f"PRAGMA synchronous = {'FULL' if waits else 'NORMAL'}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # which SQLite may have ended itself
            connection.execute("ROLLBACK")
        raise


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables if the file is new, add what older files lack; refuse it if it is not ours, or damaged."""
    _check_only_name(path)
    if _is_blank(connection):
        with transaction(connection):
            if _is_blank(connection):  # still: another process may have been quicker
                _create(connection)
    check_format(connection, path)
    check_health(connection, path)
    _extend(connection)
    connection.execute("PRAGMA fullfsync = ON")  # where waiting for the disk takes more than asking it: macOS
    _keep_a_log(connection)


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Write ahead from now on; a switch for which SQLite itself does not wait while other processes make theirs."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _create(connection: sqlite3.Connection) -> None:
    for table in _SCHEMA:
        connection.execute(table)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def _extend(connection: sqlite3.Connection) -> None:
    """Add what the first files of this format do not have, and what their readers do not ask for."""
    if is_extended(connection):
        return
    with transaction(connection):
        if not is_extended(connection):  # still: another process may have been quicker
            for statement in _ADDED:
                connection.execute(statement)


def is_extended(connection: sqlite3.Connection) -> bool:
    """Whether the file has been written by this version of rembo, or by one like it."""
    question = "SELECT count(*) FROM pragma_table_info('study') WHERE name = 'nonce'"
    return bool(connection.execute(question).fetchone()[0])


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def _is_blank(connection: sqlite3.Connection) -> bool:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(tables == 0 and _pragma(connection, "application_id") == 0)


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is empty, another program's, or of a format that is not known here."""
    if _is_blank(connection):
        raise StorageError(f"{path} is empty: begin a study there first")
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise StorageError(f"{path} is a SQLite file of another program: give the path of a study's own file")
    version = _pragma(connection, "user_version")
    if version != FORMAT:
        raise StorageError(f"{path} has format {version}, this version of rembo reads {FORMAT}: install a newer rembo")


def check_health(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that SQLite finds damaged."""
    if (found := _pragma(connection, "integrity_check(1)")) != "ok":
        raise damaged(path, found)


def checksum_of(row: Sequence[Any]) -> int:
    """The checksum that is kept beside a row."""
    return zlib.crc32(ascii(tuple(row)).encode("ascii"))


def next_id(connection: sqlite3.Connection, table: str) -> int:
    """The number of the next row of a table."""
    return int(connection.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])


def insert(connection: sqlite3.Connection, table: str, columns: Sequence[str], row: Sequence[Any]) -> None:
    """Insert a row with its checksum."""
    names = (*columns, "checksum")
    marks = ", ".join("?" * len(names))
    connection.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", (*row, checksum_of(row)))


def select(
    connection: sqlite3.Connection, path: Path, table: str, columns: Sequence[str], where: str, *values: Any
) -> Iterator[Sequence[Any]]:
    """The rows that were found, whose checksums are right."""
    question = f"SELECT checksum, {', '.join(columns)} FROM {table} WHERE {where}"
    for checksum, *row in connection.execute(question, values):
        if checksum != checksum_of(row):
            raise damaged(path, f"the checksum of a {table} is wrong")
        yield row
