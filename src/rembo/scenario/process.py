"""Running a program: in isolation, under limits, with nothing of it left when it is over.

Its output is read while it runs, so that no full pipe can stop it, and only the end of it is kept. The memory limit is
set by a launcher of one line before the program begins: it holds for each of its processes from the start.
"""

import math
import os
import selectors
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from rembo.study.isolation import isolated

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
    """Run a program to its end or to its time limit; an OSError if it cannot be started.

    If this process ends first, however it does, the program ends with all that it has started, and its files go.
    """
    came = isolated(partial(_run, invocation, limits), folder=invocation.scratch, takes_no_lock=True)
    if isinstance(came, OSError):
        raise came
    return came


def _run(invocation: Invocation, limits: ProgramLimits) -> Ending | OSError:
    """The run, in a process of its own; whoever watches over that ends what the program leaves behind."""
    begin = time.monotonic()
    deadline = math.inf if limits.seconds is None else begin + limits.seconds
    try:
        process = _start(invocation, limits)
    except OSError as error:
        return error
    tails = [(_pipe(process.stdout), bytearray()), (_pipe(process.stderr), bytearray())]
    _listen(process, dict(tails), deadline)
    seconds, timed_out = time.monotonic() - begin, process.returncode is None
    process.kill()
    outputs = [_drained(pipe, tail).decode("utf-8", errors="replace") for pipe, tail in tails]
    return Ending(process.wait(), seconds, timed_out, dict(zip(("stdout", "stderr"), outputs, strict=True)))


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
