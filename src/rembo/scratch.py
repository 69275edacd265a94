"""Folders for temporary files, which do not outlive their process for long, even if it was killed.

A killed process removes nothing. So each folder is locked by the process that uses it, the kernel releases the lock
when that process ends, however it ends, and the next process that needs a folder removes those that nobody locks. A
lock is right where process ids are not: they are used again, and other containers have others. Only folders of this
user and of this host are looked at: not every file system that hosts share tells one host of another's locks.
"""

import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder in `parent`, or among the system's temporary files, which is removed at the end.

    Parameters
    ----------
    parent
        Where to make it. By default the temporary directory of the system.

    Yields
    ------
    Path
        The folder, which only this user can read.

    Examples
    --------
    >>> with scratch_folder() as folder:
    ...     folder.is_dir()
    True
    >>> folder.exists()
    False
    """
    where = Path(tempfile.gettempdir()) if parent is None else parent
    remove_abandoned(where)
    folder, lock = _make(where)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # what a stray process still writes there is removed next time
        if lock is not None:
            os.close(lock)


@cache
def remove_abandoned(where: Path) -> None:
    """Remove the folders that killed processes of this user and host have left; a process does so once."""
    for name in _names(where):
        if name.rpartition("-")[0] == _prefix():
            with suppress(OSError):  # in use, not a folder, another user's, or gone meanwhile
                _remove_unless_locked(where / name)


def _names(where: Path) -> list[str]:
    try:
        return os.listdir(where)
    except PermissionError:  # it can be written to and not be read
        return []


def _make(where: Path) -> tuple[Path, int | None]:
    """A new folder and the descriptor that locks it; None where the file system has no locks."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{_prefix()}-", dir=where))
        try:
            lock = _lock(folder, wait=True)
        except FileNotFoundError:
            continue
        except OSError:
            return folder, None
        if folder.exists():
            return folder, lock
        os.close(lock)  # another process took it for an abandoned one before it was locked


def _remove_unless_locked(folder: Path) -> None:
    lock = _lock(folder, wait=False)
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            shutil.rmtree(folder)
    finally:
        os.close(lock)


def _lock(folder: Path, wait: bool) -> int:
    """A descriptor that locks a folder until it is closed; an OSError if that cannot be had. No link is followed."""
    if sys.platform == "win32":
        raise OSError("this system locks no folders")
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _prefix() -> str:
    host = re.sub(r"[^\w.-]", "_", socket.gethostname())
    return f"rembo-{host}"
