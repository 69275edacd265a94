"""The writer's lock of a study: an empty side file that one process holds, and removes when it lets go.

The operating system frees the lock when its holder dies. The lock belongs to the file that was opened, not to the
process, so a second holder in the same process is refused, and reading the side file changes nothing. A forked child
closes its copy at once, so a worker that outlives the writer does not hold the study.

A side file is named after a path. On Linux there is another lock, on the file itself under all names that it gets: the
name of an abstract socket, which is freed in the same way, and tells the process that holds it.
"""

import errno
import hashlib
import os
import socket
import struct
import sys
import weakref
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """An exclusive lock that is held until `release`, until this object is gone, or until the process dies."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._hold = _Hold(path, descriptor)
        weakref.finalize(self, self._hold.release)

    @classmethod
    def take(cls, path: Path) -> "Lock | None":
        """The lock on a side file, which is made; None if another holds it; an OSError if it cannot be made."""
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _try(descriptor)
            except (BlockingIOError, PermissionError):
                os.close(descriptor)
                return None
            if _stands(path, descriptor):
                return cls(path, descriptor)
            os.close(descriptor)  # its last holder has removed it meanwhile: there may be another by now

    @classmethod
    def take_file(cls, path: Path, part: str) -> "Lock | None":
        """The lock on a part of a file, whatever its name; None if another holds it; an OSError if it has none."""
        name = _name_of(path, part)
        with socket.socket(socket.AF_UNIX) as held:
            try:
                held.bind(name)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    return None
                raise
            held.listen()
            return cls(path, held.detach())

    @staticmethod
    def holder_of_file(path: Path, part: str) -> int | None:
        """The process that took the lock on a part of a file, if that can be told."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.setblocking(False)
            try:
                asking.connect(_name_of(path, part))
            except OSError:
                return None
            pid, *_ = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            return int(pid)

    @staticmethod
    def is_held_here(path: Path) -> bool:
        """Whether this process itself holds the lock on a side file."""
        return any(hold.is_on(path) for hold in list(_holds))

    def release(self) -> None:
        """Let others take it, and leave no file behind; may be called twice."""
        self._hold.release()


class _Hold:
    """The open side file of a lock, or its socket; None in a forked child, which does not hold it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        _holds.add(self)

    def release(self) -> None:
        """Remove the side file while it is still locked, then let go of it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        if _stands(self._path, descriptor):
            self._path.unlink(missing_ok=True)
        os.close(descriptor)

    def is_on(self, path: Path) -> bool:
        """Whether it is the lock on that side file, and not released."""
        return self._descriptor is not None and self._path == path

    def forget(self) -> None:
        """Close this process's copy of what another holds."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


_holds: "weakref.WeakSet[_Hold]" = weakref.WeakSet()


def _forget_all() -> None:
    for hold in list(_holds):
        hold.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _name_of(path: Path, part: str) -> str:
    """An abstract socket's name, by which all of this machine mean the same file."""
    now, digest = path.stat(), hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()
    return f"\0rembo-{now.st_dev}-{now.st_ino}-{digest[:32]}"


def _stands(path: Path, descriptor: int) -> bool:
    """Whether the open file is still the one that the path names."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
