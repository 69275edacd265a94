"""The writer of a study in a file: who it is, and whether it still is.

A `Lock` on the file itself, where the system has such locks, and one on a side file refuse a second writer. Should both
fail, as for two machines where somebody removes the side file, a nonce decides: each writer leaves one in the study's
row, and each of its transactions finds out whether it is still there. `OpenFiles` tells whether the file is still the
one that the path names.
"""

import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rembo.study.database import transaction
from rembo.study.lock import Lock
from rembo.study.open_files import OpenFiles, has_open
from rembo.study.stamp import log_of
from rembo.study.storage import Header, StorageError

_CHILDREN = 2.0  # seconds in which the forked children of a writer that was killed let go of its lock


@dataclass(frozen=True)
class Found:
    """A study's row: its id, its header, and the process that wrote it last."""

    id: int
    header: Header
    writer: int | None


class Writer:
    """This process as the writer of a study, until it is released; of a file that was there it has `claimed` it."""

    def __init__(self, connection: sqlite3.Connection, path: Path, found: Found, claim: Lock | None) -> None:
        self._connection, self._path, self._study, self._name = connection, path, found.id, found.header.name
        self._lock = _lock(path, found)
        self._claim = claim
        try:
            self.predecessor = self._stored()
            self.nonce = secrets.token_hex(16)
            with transaction(connection):
                row = (os.getpid(), self.nonce, found.id)
                connection.execute("UPDATE study SET writer = ?, nonce = ? WHERE id = ?", row)
            self._files = OpenFiles([path, log_of(path)])
            if not self._files.is_there(path):
                raise _moved(path)
        except BaseException:
            self.release()
            raise

    @contextmanager
    def transaction(self, waits: bool) -> Iterator[None]:
        """A transaction; a StorageError, and nothing written, if this process is not the study's writer any more."""
        self.check_file()
        self._check_log()
        with transaction(self._connection, waits):
            if self._stored() != self.nonce:
                raise StorageError(
                    f"{self._path}: another process has taken over study {self._name!r}: nothing was overwritten, "
                    "what this one evaluated since is not stored. End one of the two, and open the study anew"
                )
            yield

    def check_file(self) -> None:
        """Refuse to go on with a file that is not at its path any more, and say where it is."""
        if not self._files.stands(self._path):
            raise StorageError(f"{self._path}: {self._what_became_of_it()}")

    def release(self) -> None:
        """Let others write the study; may be called twice."""
        self._lock.release()
        if self._claim is not None:
            self._claim.release()

    def _stored(self) -> str | None:
        """The nonce in the file; None if no writer has left one, or if the study is gone."""
        row = self._connection.execute("SELECT nonce FROM study WHERE id = ?", (self._study,)).fetchone()
        return None if row is None else row[0]

    def _check_log(self) -> None:
        log = log_of(self._path)
        if not self._files.stands(log):
            raise StorageError(
                f"{self._path}: its log {log} was removed while study {self._name!r} was written: close the study, "
                "which writes to the file what was stored before, and open it again"
            )

    def _what_became_of_it(self) -> str:
        """Where the file is; one that was renamed, and not replaced, first gets all that is still in the log."""
        there, replaced = self._files.now_at(self._path), self._files.is_there(self._path)
        what = f"the file was {'replaced' if replaced else 'removed or renamed'} while study {self._name!r} was written"
        if there is None:
            kept = "save its trials, which this process still has (study.trials), and begin the study again"
            return f"{what}; it is not found. If it was removed, what it held is lost: restore a copy, or {kept}"
        if replaced:
            return f"{what}; it is now at {there}, without what was stored last: move it back"
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a log that is left would be read again some day
        return f"{what}; it is now at {there}, with all that was stored before: move it back"


def claimed(path: Path, name: str) -> Lock | None:
    """The lock on a study in a file, whatever the file was called before; None where there is none, and elsewhere.

    It is to be taken when SQLite has opened the file and before it reads: by a new name it would not find the log of a
    writer that knows an old one, and make one of its own. Only processes of one machine see each other so, and only on
    Linux.
    """
    if sys.platform != "linux":
        return None
    try:
        writer = Lock.holder_of_file(path, name)
        lock = Lock.take_file(path, name) or _freed(lambda: Lock.take_file(path, name), writer)
    except FileNotFoundError:
        raise _moved(path) from None
    except OSError:  # a sandbox that has no such sockets
        return None
    if lock is None:
        raise _being_written(path, name, writer == os.getpid(), writer)
    if not has_open(path):
        lock.release()
        raise _moved(path)
    return lock


def _moved(path: Path) -> StorageError:
    return StorageError(f"{path} was removed, renamed or replaced while it was opened: see where it is, and try again")


def _lock(path: Path, study: Found) -> Lock:
    """The study's side file, beside the file itself."""
    side = path.with_name(f"{path.name}-{study.id}.lock")
    try:
        lock = Lock.take(side) or _freed(lambda: Lock.take(side), study.writer)
    except OSError as error:
        raise StorageError(f"{side} cannot be made: {error}: allow the folder to be written") from error
    if lock is None:
        # a process that has just begun has not left its id yet
        raise _being_written(path, study.header.name, Lock.is_held_here(side), study.writer)
    return lock


def _being_written(path: Path, name: str, here: bool, writer: int | None) -> StorageError:
    holder = "another process" if writer in (None, os.getpid()) else f"process {writer}"
    if here:
        holder = "another Study of this process, whose trials are not all told (call its close())"
    return StorageError(
        f"{path}: study {name!r} is being written by {holder}: "
        "wait for it or end it, or give this study another name; to read it, there is no need to wait"
    )


def _freed(take: Callable[[], Lock | None], writer: int | None) -> Lock | None:
    """The lock of a writer that has died, as soon as its forked children have closed their copies; None if it lives."""
    deadline = time.monotonic() + _CHILDREN
    lock = None
    while lock is None and not _lives(writer) and time.monotonic() < deadline:
        time.sleep(0.01)
        lock = take()
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
