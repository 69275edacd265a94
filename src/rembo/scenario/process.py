"""Running a program: in a session of its own, under limits, with nothing of it left when it is over.

Its output is read while it runs, so that no full pipe can stop it, and only the end of it is kept. The memory limit is
set by a launcher of one line before the program begins: it holds for each of its processes from the start.
"""

import math
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rembo.scenario.guard import guarded

KEPT = 4 * 2**20  # bytes of each output: its end
_CHUNK = 2**16
_LARGEST_PIPE = 2**20
_LONG = 3600.0  # seconds; no wait of the system may be endless
_GLANCE = 0.05  # seconds between two looks at a program that is silent
_LAUNCHER = ("/bin/sh", "-c", 'ulimit -v "$0" && exec "$@"')  # the program's arguments are never parsed


@dataclass(frozen=True)
class ProgramLimits:
    """What one run of the program may take: seconds of wall-clock time, bytes of address space."""

    seconds: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise ValueError(f"trial_timeout {self.seconds} must be a positive number of seconds")
        if self.memory is not None and self.memory < 2**20:
            raise ValueError(f"trial_memory of {self.memory} bytes must be at least 1 MiB: write e.g. '2 GiB'")


@dataclass(frozen=True)
class Invocation:
    """All that a run of a program depends on."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]
    stdin: Path | None = None
    scratch: Path | None = None  # a folder of files for this run alone


@dataclass(frozen=True)
class Ending:
    """How a run ended: its exit code (minus the signal's number if one ended it), how long it took, what it wrote."""

    code: int
    seconds: float
    timed_out: bool
    outputs: Mapping[str, str]  # stdout, stderr, and output_file if there is one


def run_program(invocation: Invocation, limits: ProgramLimits) -> Ending:
    """Run a program to its end or to its time limit; an OSError if it cannot be started."""
    with guarded(invocation.scratch) as guard:
        return _run_guarded(invocation, limits, guard)


def _run_guarded(invocation: Invocation, limits: ProgramLimits, guard: Callable[[int], None]) -> Ending:
    begin = time.monotonic()
    deadline = math.inf if limits.seconds is None else begin + limits.seconds
    with _start(invocation, limits) as process:  # closes the pipes and waits
        guard(process.pid)
        tails = [(_pipe(process.stdout), bytearray()), (_pipe(process.stderr), bytearray())]
        try:
            _listen(process, dict(tails), deadline)
            seconds, timed_out = time.monotonic() - begin, process.returncode is None
        finally:
            end_session(process.pid)
        stdout, stderr = (_drained(pipe, tail).decode("utf-8", errors="replace") for pipe, tail in tails)
    return Ending(process.returncode, seconds, timed_out, {"stdout": stdout, "stderr": stderr})


def _start(invocation: Invocation, limits: ProgramLimits) -> "subprocess.Popen[bytes]":
    launcher = () if limits.memory is None else (*_LAUNCHER, str(limits.memory // 1024))
    with open(os.devnull if invocation.stdin is None else invocation.stdin, "rb") as stdin:
        return subprocess.Popen(
            [*launcher, *invocation.arguments],
            cwd=invocation.folder,
            env=dict(invocation.environment),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


def _pipe(stream: IO[bytes] | None) -> int:
    assert stream is not None  # asked for by PIPE
    return stream.fileno()


def _listen(process: "subprocess.Popen[bytes]", tails: dict[int, bytearray], deadline: float) -> None:
    """Read what a program writes until it ends or the deadline comes."""
    with selectors.DefaultSelector() as selector:
        for pipe in tails:
            selector.register(pipe, selectors.EVENT_READ)
        while process.poll() is None and (left := deadline - time.monotonic()) > 0.0:
            if not selector.get_map():  # it has closed its outputs
                with suppress(subprocess.TimeoutExpired):
                    process.wait(min(left, _LONG))
                continue
            for key, _ in selector.select(min(left, _GLANCE)):
                if not _read(key.fd, tails[key.fd]):
                    selector.unregister(key.fd)


def _read(pipe: int, tail: bytearray) -> bool:
    """Read once, and forget what is too long ago; whether there was anything."""
    chunk = os.read(pipe, _CHUNK)
    tail += chunk
    if len(tail) > 2 * KEPT:  # cut seldom: each cut copies
        del tail[:-KEPT]
    return bool(chunk)


def _drained(pipe: int, tail: bytearray) -> bytearray:
    """The end of an output with what is left in its pipe, which a process out of reach may still hold open and fill."""
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        for _ in range(_LARGEST_PIPE // _CHUNK):
            _read(pipe, tail)
    return tail[-KEPT:]


def end_session(leader: int) -> None:
    """Kill the processes of a session and all that descend from its leader, and see them gone.

    Where there is no /proc, the leader's process group is killed. A process that began a session of its own and whose
    parent has ended cannot be found; one that the kernel does not let die is given up after a second.
    """
    if not os.path.exists("/proc/self/stat"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        return
    killed: set[int] = set()  # whose parent may be gone before they are
    for _ in range(100):
        living = _living()
        members = _members(leader, living) | (killed & living.keys())
        for pid in members:
            with suppress(ProcessLookupError, PermissionError):  # gone by itself, or no longer ours
                os.kill(pid, signal.SIGKILL)
        if not members:
            return
        killed |= members
        time.sleep(0.01)


def _living() -> dict[int, tuple[int, int]]:
    """The parent and the session of each process that lives."""
    living = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended while we looked
            state, parent, _, session = _status(pid)
            if state not in "ZX":  # dead, and not yet missed
                living[int(pid)] = (int(parent), int(session))
    return living


def _members(leader: int, living: Mapping[int, tuple[int, int]]) -> set[int]:
    """The living processes of a session, and all that descend from its leader."""
    family = {leader, *(pid for pid, (_, session) in living.items() if session == leader)}
    while born := {pid for pid, (parent, _) in living.items() if parent in family} - family:
        family |= born
    return {pid for pid in family if pid in living and (pid != leader or living[pid][1] == leader)}


def _status(pid: str) -> list[str]:
    """State, parent, process group and session of a process."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()[:4]
