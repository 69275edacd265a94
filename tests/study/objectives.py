"""Functions of a point that misbehave, by reference, so that every kind of worker can have them."""

import faulthandler
import os
import signal
import subprocess
import time
from pathlib import Path

from rembo import Box, IdentityEmbedding, Point

SPACE = Box(2)
LONG = 600  # seconds: a test that waits for its end fails


def point(first, second=0.0):
    return Point(IdentityEmbedding(2), [first, second])


def first(x):
    return x[0]


def slowly_first(x):
    time.sleep(0.05)
    return x[0]


def die_of(number):
    """Die by a signal without the report that the test runner would print."""
    faulthandler.disable()
    os.kill(os.getpid(), number)


def segfault_below_zero(x):
    if x[0] < 0:
        die_of(signal.SIGSEGV)
    return slowly_first(x)


class KillWorkerBelowZero:
    """Kills the child of the process that made it, be it this one or the worker far above an isolated evaluation."""

    def __init__(self):
        self.main = os.getpid()

    def __call__(self, x):
        worker = os.getpid()
        while parent_of(worker) != self.main:
            worker = parent_of(worker)
        if x[0] < 0:
            os.kill(worker, signal.SIGKILL)
            time.sleep(LONG)
        return x[0]


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def sleep(x):
    time.sleep(LONG)


class HangWithChildren:
    """Writes the ids of itself and its children, one of them a daemon in a session of its own, and hangs."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, x):
        pids = [os.getpid(), _sleeper(), _sleeper(start_new_session=True), _daemon()]
        (self.folder / "writing").write_text(" ".join(map(str, pids)))
        (self.folder / "writing").rename(self.folder / "pids")
        time.sleep(LONG)


class Record:
    """Writes down each evaluation as it begins, then waits until a file is there, if it is given one."""

    def __init__(self, folder, gate=None):
        self.folder = folder
        self.gate = gate

    def __call__(self, x):
        (self.folder / f"{x[0]:.3f}-{os.getpid()}-{time.monotonic_ns()}").touch()
        patiently(lambda: self.gate is None or self.gate.exists())
        return x[0]


def begun(folder):
    """The first coordinates of the evaluations that began, sorted."""
    return sorted(float(path.name.split("-")[0]) for path in folder.iterdir())


def workers_at(folder):
    """The processes in which they began."""
    return {int(path.name.split("-")[1]) for path in folder.iterdir()}


def processes_of(folder):
    """The processes that HangWithChildren has started."""
    return [int(pid) for pid in patiently(lambda: (folder / "pids").exists() and (folder / "pids").read_text()).split()]


def patiently(condition, seconds=60):
    """What a condition gives as soon as it gives something, for processes that take their time."""
    deadline = time.monotonic() + seconds
    while not (met := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing in {seconds} seconds")
        time.sleep(0.01)
    return met


def alive(pid):
    """Whether there is such a process, be it a zombie."""
    return Path(f"/proc/{pid}").exists()


def all_gone(pids):
    return patiently(lambda: not any(map(alive, pids)))


def _sleeper(**options):
    return subprocess.Popen(["sleep", str(LONG)], **options).pid


def _daemon():
    """A process that its parent has left, in a session of its own."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writer, str(os.getpid()).encode())
            time.sleep(LONG)
        os._exit(0)
    return int(os.read(reader, 20))
