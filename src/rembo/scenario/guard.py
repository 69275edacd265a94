"""A guard for the case that rembo is killed while a program runs: it kills the program and removes its files.

The guard is a shell that waits for a line. Whoever is killed writes none, but the kernel closes the pipe.
"""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_GUARD = 'read -r leader && { read -r _ && exit; kill -9 "-$leader"; }; rm -rf -- "$0"'


@contextmanager
def guarded(scratch: Path | None) -> Iterator[Callable[[int], None]]:
    """Let a guard watch over this process until the end; what is yielded tells it which process group to kill."""
    guard = subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, scratch or ""],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # out of reach of what ends our own group
        text=True,
    )
    assert guard.stdin is not None  # asked for by PIPE
    line = guard.stdin

    def write(text: object) -> None:
        with suppress(BrokenPipeError):  # the guard itself was killed: the program runs without one
            print(text, file=line, flush=True)

    try:
        yield write
    finally:
        write("done\ndone")
        with suppress(BrokenPipeError):
            line.close()
        guard.wait()
