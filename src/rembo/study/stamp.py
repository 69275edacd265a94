"""Whether a file of studies has changed: by the times and sizes of the file and of the log beside it."""

import time
from pathlib import Path
from typing import TypeAlias

Stamp: TypeAlias = tuple[tuple[int, int], ...]

_TICK = 0.05  # seconds: a file that changed a moment ago may change once more without a newer time


def log_of(path: Path) -> Path:
    """SQLite's log of what was written last, which is part of the file as long as it is there."""
    return path.with_name(f"{path.name}-wal")


def stamp(path: Path) -> Stamp:
    """When the file and the log beside it changed, and their sizes; -1 where one is not there."""
    return _changed(path), _changed(log_of(path))


def settled(path: Path) -> Stamp | None:
    """The stamp of a file, or None where it is so fresh that a change could leave it the same."""
    now = stamp(path)
    freshest = max(changed for changed, _ in now)
    return now if time.time_ns() - freshest > _TICK * 1e9 else None


def _changed(path: Path) -> tuple[int, int]:
    try:
        now = path.stat()
    except FileNotFoundError:
        return -1, -1
    return now.st_mtime_ns, now.st_size
