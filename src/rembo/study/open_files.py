"""Whether the files that a study is written to are still those that their paths name.

A file that was removed, renamed or replaced stays open in the process that writes it: without this, its trials would go
where nobody finds them.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

Identity: TypeAlias = tuple[int, int]  # the device and the inode


class OpenFiles:
    """The files at some paths as they were when this was made, those that are there."""

    def __init__(self, paths: Iterable[Path]) -> None:
        found = {path: _identity(path) for path in paths}
        self._files = {path: identity for path, identity in found.items() if identity is not None}

    def stands(self, path: Path) -> bool:
        """Whether a path names the file that it named then, if it named one."""
        return path not in self._files or _identity(path) == self._files[path]

    def is_there(self, path: Path) -> bool:
        """Whether there is any file at a path now."""
        return _identity(path) is not None

    def now_at(self, path: Path) -> Path | None:
        """Where the file is that was at a path and that this process has open; None if it is gone, or nobody knows."""
        identity = self._files[path]
        return next((each for each in _opened() if _identity(each) == identity), None)


def has_open(path: Path) -> bool:
    """Whether this process has the file open that a path names now; so it seems where the system does not tell."""
    identity, opened = _identity(path), _opened()
    return not opened or (identity is not None and any(_identity(each) == identity for each in opened))


def _identity(path: Path) -> Identity | None:
    """Which file a path names; None if it names none that can be reached."""
    try:
        now = path.stat()
    except OSError:  # also where the folder can no longer be entered
        return None
    return now.st_dev, now.st_ino


def _opened() -> list[Path]:
    """The paths of all files that this process has open, where the system tells it, as Linux does."""
    folder = Path("/proc/self/fd")
    return [_read_link(each) for each in folder.iterdir()] if folder.is_dir() else []


def _read_link(link: Path) -> Path:
    """Where a link leads."""
    try:
        return Path(os.readlink(link))
    except FileNotFoundError:  # closed meanwhile
        return link
