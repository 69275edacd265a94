"""Evaluation in a process of its own, which is killed for real when it exceeds its limits, with all that it started.

Between the caller and the runner, the process that calls f, stands a keeper. It watches time and memory, and on Linux
it adopts every orphan below it, so that "no child is left" is what the kernel says and not what a search has found. A
socket joins it to the caller: the answer comes through it, and when it closes, because the caller has died or has lost
patience, the keeper kills all and ends.
"""

import ctypes
import math
import multiprocessing.spawn
import os
import pickle
import select
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeVar, cast

from rembo.border import check_whole, is_duration
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason

Answer = TypeVar("Answer")

SECONDS_BETWEEN_LOOKS = 0.02  # at a runner's memory, and at its life where the kernel does not report a death
LONGEST_BURIAL = 10.0  # seconds to wait for killed processes that the kernel holds on to, or that belong to others
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36  # of prctl
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_FRESH_KEEPER = (
    "import sys; sys.path[:] = {path!r}; from rembo.study.isolation import keep_what_comes; keep_what_comes()"
)


@dataclass(frozen=True)
class Limits:
    """What an evaluation may take: seconds of wall time, and bytes of memory of it and its child processes together.

    A page that several processes share counts by shares, so that nothing counts twice. Memory is looked at fifty times
    a second: address space that is reserved and not used is free, and a limit may be passed for a moment. Limits need
    POSIX, a limit on memory needs Linux; elsewhere than on Linux only the process group of f is sure to be killed.
    """

    seconds: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not is_duration(self.seconds):
            raise ValueError(f"the time limit {self.seconds!r} must be a positive number of seconds, or None for none")
        if self.memory is not None:
            check_whole(self.memory, "the memory limit in bytes", 1)
        if self.seconds is not None and not hasattr(os, "killpg"):
            raise ValueError(f"a time limit of {self.seconds} s needs POSIX, e.g. Linux: leave it out on this system")
        if self.memory is not None and not Path("/proc/self/smaps_rollup").exists():
            raise ValueError(f"a memory limit of {self.memory} bytes needs Linux: leave it out on this system")


NO_LIMITS = Limits()


_lines: dict[socket.socket, str] = {}  # to the keepers that this process waits for, and whose they are


def isolated(
    task: Callable[[], Answer],
    limits: Limits = NO_LIMITS,
    owner: str = "",
    folder: Path | None = None,
    takes_no_lock: bool = False,
) -> Answer:
    """What the task returns, evaluated in a process of its own; an EvaluationError says why it returned nothing.

    From the main thread the process is a fork, and the task may be a closure. A fork of another thread could inherit
    locks that nobody will ever open, unless the task takes none, and on macOS forks crash in the system's libraries:
    there a fresh interpreter starts, and the task is pickled. Random generators of a fork start where those of the
    caller stand, each time. If the caller ends first, its `folder` is removed.
    """
    forks = forks_here() or (takes_no_lock and sys.platform != "darwin")
    message = b"" if forks else _message(pickle.dumps((limits, folder, portable(task))))
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            keeper = _start_keeper(theirs) if message else _fork_keeper(task, limits, folder, ours, theirs)
        _lines[ours] = owner
        try:
            answer = _exchanged(ours, message)
        finally:
            del _lines[ours]
            ours.close()  # the keeper takes it as its order to end
            _reap(keeper)
    return cast(Answer, _opened(answer))


def abandon(owner: str) -> None:
    """End the isolated tasks of this owner that this process waits for, in all threads: they return with an error."""
    for line in [line for line, whose in list(_lines.items()) if whose == owner]:
        with suppress(OSError):  # it ended by itself
            line.shutdown(socket.SHUT_RDWR)


def forks_here() -> bool:
    """Whether an isolated process is a fork here, which takes any closure; otherwise its task is pickled."""
    return sys.platform != "darwin" and threading.current_thread() is threading.main_thread()


def portable(task: Any) -> bytes:
    """A pickle that a fresh interpreter can open, by cloudpickle if it is there; a TypeError names the cure."""
    pickler = _pickler()
    cure = "define f in a module, or pip install cloudpickle"
    try:
        pickled: bytes = pickler.dumps(task)
    except Exception as refusal:
        raise TypeError(f"{task!r} cannot be sent to another process: {refusal}; {cure}") from refusal
    if pickler is pickle and b"__main__" in pickled:
        raise TypeError(f"{task!r} is of the program that runs, which another process cannot import: {cure}")
    return pickled


def kill_tree(pid: int) -> None:
    """Kill a process and all below it; each is stopped before its children are listed, so that none escapes."""
    for each in _stopped(pid):
        _signal(each, signal.SIGKILL)


def _stopped(pid: int) -> list[int]:
    _signal(pid, signal.SIGSTOP)
    return [pid, *(below for child in children_of(pid) for below in _stopped(child))]


def children_of(pid: int) -> list[int]:
    """The children of all threads of a process; none where the system does not tell."""
    found: list[int] = []
    with suppress(FileNotFoundError, ProcessLookupError):  # it ended while it was read
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found.extend(map(int, (thread / "children").read_text().split()))
    return found


def die_with_parent() -> None:
    """Let the kernel kill this process when the one that started it dies, where the kernel can."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def keep_what_comes() -> None:
    """The program of a keeper in a fresh interpreter: the task comes through what would be standard input."""
    line = socket.socket(fileno=os.dup(0))
    limits, folder, task = pickle.loads(_exactly(line, int.from_bytes(_exactly(line, 8), "big")))
    _keep(lambda: _pickler().loads(task)(), limits, folder, line)  # what it imports, the runner imports


def _fork_keeper(
    task: Callable[[], Any], limits: Limits, folder: Path | None, ours: socket.socket, theirs: socket.socket
) -> int:
    def keep() -> None:
        ours.close()
        _keep(task, limits, folder, theirs)

    return _branch(keep)


def _start_keeper(line: socket.socket) -> int:
    """A keeper in a fresh interpreter; -P, so that it does not run what the current folder holds, e.g. a socket.py."""
    program = multiprocessing.spawn.get_executable()
    arguments = [program, "-P", "-c", _FRESH_KEEPER.format(path=sys.path)]
    return os.posix_spawn(program, arguments, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, line.fileno(), 0)])


def _keep(task: Callable[[], Any], limits: Limits, folder: Path | None, line: socket.socket) -> None:
    """The life of a keeper: start the runner, watch it, bury all that is left of it, and answer."""
    os.setsid()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)  # it ends by its line, with its runner, or not at all
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    reader, writer = os.pipe()
    runner = _branch(lambda: _run(task, writer, (line.detach(), reader)))
    os.close(writer)
    try:
        answer = _Watch(runner, reader, line.fileno(), limits).answer()
    except EvaluationError as verdict:
        answer = pickle.dumps(verdict)
    finally:
        _bury(runner)
    if not answer and folder is not None:  # nobody waits for it any more
        shutil.rmtree(folder, ignore_errors=True)
    with suppress(BrokenPipeError):
        line.sendall(answer)


def _run(task: Callable[[], Any], writer: int, foreign: tuple[int, ...]) -> None:
    """The life of a runner."""
    for each in foreign:
        os.close(each)
    os.setsid()
    die_with_parent()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ordinary in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ordinary, signal.SIG_DFL)
    with open(writer, "wb") as pipe:
        pipe.write(_report(task))


def _report(task: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps(task())
    except Exception:
        return pickle.dumps(EvaluationError(Reason.ERROR, traceback.format_exc()))


class _Watch:
    """A keeper's look at its runner: until it ends, exceeds a limit, or nobody waits for it any more."""

    def __init__(self, runner: int, reader: int, line: int, limits: Limits) -> None:
        self._runner, self._reader, self._line, self._limits = runner, reader, line, limits
        self._deadline = time.monotonic() + (limits.seconds or math.inf)
        self._report = bytearray()
        self._poll = select.poll()
        for each in (reader, line, *_death_notice(runner)):
            self._poll.register(each, select.POLLIN)

    def answer(self) -> bytes:
        """The runner's report, or nothing if the caller is gone; an EvaluationError is its verdict."""
        while True:
            ready = {descriptor for descriptor, _ in self._poll.poll(1000 * SECONDS_BETWEEN_LOOKS)}
            if self._line in ready:
                return b""
            if self._reader in ready:
                self._read()
            pid, status = os.waitpid(self._runner, os.WNOHANG)
            if pid:
                return self._ended(status)
            self._check_limits()

    def _read(self) -> None:
        chunk = os.read(self._reader, 2**16)
        self._report += chunk
        if not chunk:
            self._poll.unregister(self._reader)

    def _ended(self, status: int) -> bytes:
        os.set_blocking(self._reader, False)  # a process that the runner left behind may hold the other end open
        with suppress(BlockingIOError):
            while chunk := os.read(self._reader, 2**16):
                self._report += chunk
        if status or not self._report:
            raise EvaluationError(Reason.CRASHED, f"the process of the evaluation {_death(status)}")
        return bytes(self._report)

    def _check_limits(self) -> None:
        if time.monotonic() > self._deadline:
            raise EvaluationError(Reason.TIMEOUT, f"the evaluation took longer than {self._limits.seconds} seconds")
        if self._limits.memory is not None:
            taken = _memory_below(os.getpid(), self._limits.memory)
            if taken > self._limits.memory:
                text = f"the evaluation took {taken} bytes of memory, more than the {self._limits.memory} allowed"
                raise EvaluationError(Reason.MEMORY, text)


def _death_notice(pid: int) -> tuple[int, ...]:
    """A descriptor that becomes readable when the process ends, where the kernel has one."""
    return (os.pidfd_open(pid),) if hasattr(os, "pidfd_open") else ()


def _death(status: int) -> str:
    if not os.WIFSIGNALED(status):
        return f"exited with status {os.waitstatus_to_exitcode(status)} before the evaluation was over"
    name = signal.Signals(os.WTERMSIG(status)).name
    hint = ", as the kernel does when memory runs out" if name == "SIGKILL" else ""
    return f"was killed by {name}{hint}"


def _memory_below(pid: int, enough: int) -> int:
    """Bytes of all processes below one: by shares if need be, or, which is quick and never less, with pages doubled.

    Shares are added up twice: of a process that ends meanwhile, those that are looked at later inherit what it shared.
    """
    below = [each for child in children_of(pid) for each in _tree(child)]
    resident = sum(_resident(each) for each in below)
    return resident if resident <= enough else min(sum(_share(each) for each in below) for _ in range(2))


def _tree(pid: int) -> list[int]:
    return [pid, *(below for child in children_of(pid) for below in _tree(child))]


def _resident(pid: int) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):  # it ended while it was read
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def _share(pid: int) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return 0


def _bury(runner: int) -> None:
    """Kill and reap all below this process, until the kernel says that there is no child."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(runner, signal.SIGKILL)
    deadline = time.monotonic() + LONGEST_BURIAL
    with suppress(ChildProcessError):
        while time.monotonic() < deadline:
            for child in children_of(os.getpid()):
                kill_tree(child)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.001)


def _branch(body: Callable[[], None]) -> int:
    """The id of a forked process that does this and ends, whatever happens in it."""
    _flush()  # or both would write what waits in the buffers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: see `isolated`
        pid = os.fork()
    return pid or _last_act(body)


def _last_act(body: Callable[[], None]) -> NoReturn:
    status = 1
    try:
        body()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there is none, or it is broken or closed: nothing waits
            stream.flush()


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it is gone, or became another user's
        os.kill(pid, number)


def _prctl(option: int, argument: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, argument, 0, 0, 0)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):  # a program that ignores SIGCHLD has nothing to reap
        os.waitpid(pid, 0)


def _message(content: bytes) -> bytes:
    return len(content).to_bytes(8, "big") + content


def _exactly(line: socket.socket, size: int) -> bytes:
    content = line.recv(size, socket.MSG_WAITALL)
    if len(content) < size:
        raise ConnectionError(f"{len(content)} bytes came instead of {size}: the caller is gone")
    return content


def _exchanged(line: socket.socket, message: bytes) -> bytes:
    """What the keeper answers, until it ends; nothing if it was killed."""
    with suppress(BrokenPipeError, ConnectionResetError):
        line.sendall(message)
        return b"".join(iter(lambda: line.recv(2**16), b""))
    return b""


def _opened(answer: bytes) -> Any:
    if not answer:
        raise EvaluationError(Reason.CRASHED, "the process that watched the evaluation was killed")
    opened = pickle.loads(answer)
    if isinstance(opened, EvaluationError):
        raise opened
    return opened


def _pickler() -> ModuleType:
    try:
        import cloudpickle
    except ModuleNotFoundError:
        return pickle
    return cloudpickle  # type: ignore[no-any-return]
