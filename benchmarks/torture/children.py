"""Children that are watched: forks of this process that may die or hang, with all that they start.

This process adopts every orphan below it, so that what a child leaves running is found and ended.
"""

import ctypes
import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from rembo.study.isolation import children_of, kill_tree

Case = TypeVar("Case")

PATIENCE = 20.0  # seconds in which a child must say something
BURIAL = 5.0  # seconds in which what a child has started must end by itself
_SET_CHILD_SUBREAPER = 36  # of prctl


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def fork(body: Callable[[], object], output: Path | None = None) -> int:
    """The id of a child that does this and ends; what it prints goes to a file, or nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    return os.fork() or _live(body, output)


def _live(body: Callable[[], object], output: Path | None) -> NoReturn:
    status = 1
    try:
        os.setsid()
        written = os.open(output or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(written, stream)
        body()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):  # a misbehaving function has closed them
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def ended(pid: int, seconds: float) -> int | None:
    """The exit code of a child, minus the number of the signal that ended it; None if it still runs after so long."""
    deadline = time.monotonic() + seconds
    while not (found := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            return None
        time.sleep(0.002)
    return os.waitstatus_to_exitcode(found[1])


def kill(pid: int) -> None:
    """Kill a child alone, as a crash does, and reap it."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def left_behind(strangers: Collection[int] = (), seconds: float = BURIAL) -> list[str]:
    """What still runs below this process after so long, as its command lines; it is killed, but for strangers."""
    deadline = time.monotonic() + seconds
    while (found := _below(strangers)) and time.monotonic() < deadline:
        time.sleep(0.005)
    names = [_command(pid) for pid in found]
    while found:
        for pid in found:
            kill_tree(pid)
        found = _below(strangers)
    return names


def _below(strangers: Collection[int]) -> list[int]:
    """The children of this process that are alive; those that have ended are reaped."""
    return [pid for pid in children_of(os.getpid()) if pid not in strangers and not _reaped(pid)]


def _reaped(pid: int) -> bool:
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def _command(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    return "?"


def verdicts(
    cases: Sequence[Case], check: Callable[[Case], str], patience: float = PATIENCE
) -> Iterator[tuple[Case, str]]:
    """What `check` says of each case, all in a child; `HUNG` or `DIED` where the child did, which is replaced."""
    done = 0
    while done < len(cases):
        for verdict in _heard(cases[done:], check, patience):
            yield cases[done], verdict
            done += 1


def _heard(cases: Sequence[Case], check: Callable[[Case], str], patience: float) -> Iterator[str]:
    """What one child says of the cases, up to the first at which it hangs or dies."""
    reader, writer = os.pipe()

    def speak() -> None:
        os.close(reader)
        for case in cases:
            _send(writer, check(case))

    pid = fork(speak)
    os.close(writer)
    try:
        with open(reader, "rb", buffering=0) as line:  # or `select` would not know of what was read ahead
            for _ in cases:
                if not select.select([line], [], [], patience)[0]:
                    yield "HUNG"
                    return
                said = _received(line)
                if said is None:
                    yield f"DIED: exit code {ended(pid, patience)}"
                    return
                yield said
    finally:
        kill_tree(pid)
        with suppress(ChildProcessError):  # its exit code was taken
            os.waitpid(pid, 0)


def _send(writer: int, said: str) -> None:
    """Send in one piece, which a pipe keeps whole."""
    content = pickle.dumps(said[:1000])
    os.write(writer, len(content).to_bytes(8, "big") + content)


def _received(line: Any) -> str | None:
    size = line.read(8)
    return pickle.loads(line.read(int.from_bytes(size, "big"))) if len(size) == 8 else None
