"""Functions that misbehave, by name, each in a few lines; also a program: `python misbehaviours.py NAME NUMBER`.

At a number of at least 0 both are innocent, and give the number back.
"""

import asyncio
import concurrent.futures
import concurrent.futures.process
import ctypes
import decimal
import fractions
import gc
import logging
import multiprocessing
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn

LONG = 600.0  # seconds: longer than anybody waits


class Harm(Enum):
    """What a misbehaviour does to its process, and so which protection it calls for."""

    NONE = "none"  # it fails, or leaves something behind
    INTERRUPTS = "interrupts"  # it raises what Ctrl-C raises
    ESCAPES = "escapes"  # it leaves a process that nothing ties to its own
    DIES = "dies"  # its process ends
    RUINS = "ruins"  # its process cannot do anything any more
    HANGS = "hangs"  # it never returns: needs a time limit
    EATS = "eats"  # it takes all memory: needs a memory limit


@dataclass(frozen=True)
class Misbehaviour:
    """What is done, and what that means for the process it is done in."""

    act: Callable[[], Any]
    harm: Harm


MISBEHAVIOURS: dict[str, Misbehaviour] = {}


def misbehaviour(harm: Harm = Harm.NONE) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter a function into the table."""

    def enter(act: Callable[[], Any]) -> Callable[[], Any]:
        MISBEHAVIOURS[act.__name__] = Misbehaviour(act, harm)
        return act

    return enter


@dataclass(frozen=True)
class Moody:
    """Innocent where the first coordinate is at least 0, and misbehaves elsewhere."""

    name: str

    def __call__(self, x: Any) -> Any:
        """The first coordinate, or whatever the misbehaviour gives."""
        if x[0] < 0.0:
            return MISBEHAVIOURS[self.name].act()
        time.sleep(0.03)
        return float(x[0])


# It raises


def raises(name: str, make: Callable[[], BaseException], harm: Harm = Harm.NONE) -> None:
    """Enter one that raises."""

    def act() -> NoReturn:
        raise make()

    MISBEHAVIOURS[name] = Misbehaviour(act, harm)


class UnpicklableError(Exception):
    """Cannot be sent."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("cannot be pickled")


class DemandingError(Exception):
    """Can be sent, but not received."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


class SpeechlessError(Exception):
    """Cannot be shown."""

    def __str__(self) -> NoReturn:
        raise ValueError("nothing to say")


class Base(BaseException):
    """Nothing that `except Exception` would catch."""


raises("raise_ValueError", lambda: ValueError("no value here"))
raises("raise_KeyError", lambda: KeyError("k"))
raises("raise_NameError", lambda: NameError("n"))
raises("raise_AssertionError", AssertionError)
raises("raise_MemoryError", MemoryError)
raises("raise_StopIteration", lambda: StopIteration(1))
raises("raise_GeneratorExit", GeneratorExit)
raises("raise_BaseException", lambda: Base("base"))
raises("raise_SystemExit", lambda: SystemExit(0))
raises("raise_SystemExit_with_text", lambda: SystemExit("done"))
raises("raise_KeyboardInterrupt", KeyboardInterrupt, Harm.INTERRUPTS)
raises("raise_BrokenPipeError", BrokenPipeError)
raises("raise_EOFError", EOFError)
raises("raise_CancelledError", concurrent.futures.CancelledError)
raises("raise_TimeoutError", concurrent.futures.TimeoutError)
raises("raise_BrokenProcessPool", lambda: concurrent.futures.process.BrokenProcessPool("mine"))
raises("raise_group", lambda: ExceptionGroup("several", [ValueError(1), KeyError(2)]))
raises("raise_what_cannot_be_pickled", UnpicklableError)
raises("raise_what_cannot_be_unpickled", lambda: DemandingError("one", "two"))
raises("raise_what_cannot_be_shown", SpeechlessError)
raises("raise_a_huge_text", lambda: ValueError("x" * 20_000_000))
raises("raise_surrogates_and_NUL", lambda: ValueError("\ud800 \x00 \x1b[2J"))
raises("raise_its_own_cause", lambda: _with_cause(ValueError("round and round")))


def _with_cause(error: BaseException) -> BaseException:
    for _ in range(200):
        error, before = ValueError("deeper"), error
        error.__cause__ = before
    return error


@misbehaviour()
def recurse() -> Any:
    """Without end."""
    return recurse() + 1


@misbehaviour()
def misspell() -> Any:
    """A syntax error at run time."""
    return eval("1 +")


@misbehaviour()
def turn_warnings_into_errors() -> float:
    """And raise one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.warn("careful", stacklevel=1)
    return 0.0


# It returns what is no number


def returns(name: str, make: Callable[[], Any]) -> None:
    """Enter one that returns something."""
    MISBEHAVIOURS[f"return_{name}"] = Misbehaviour(make, Harm.NONE)


class Trap:
    """Raises whatever one does with it."""

    def __repr__(self) -> NoReturn:
        raise RuntimeError("not to be shown")

    def __float__(self) -> NoReturn:
        raise RuntimeError("no number")

    def __reduce__(self) -> NoReturn:
        raise RuntimeError("not to be pickled")

    @property
    def ndim(self) -> NoReturn:
        """None that can be told."""
        raise RuntimeError("no dimensions")


def _cycle() -> dict[str, Any]:
    cycle: dict[str, Any] = {}
    cycle["itself"] = cycle
    return cycle


returns("NaN", lambda: float("nan"))
returns("infinity", lambda: float("-inf"))
returns("None", lambda: None)
returns("text", lambda: "low")
returns("a_huge_text", lambda: "x" * 20_000_000)
returns("a_huge_integer", lambda: 10**400)
returns("a_complex_number", lambda: 1j)
returns("a_bool", lambda: True)
returns("a_fraction", lambda: fractions.Fraction(1, 3))
returns("a_decimal_NaN", lambda: decimal.Decimal("sNaN"))
returns("a_list", lambda: [0.1, 0.2])
returns("a_lambda", lambda: lambda: 0.0)
returns("a_generator", lambda: (each for each in (1.0,)))
returns("a_lock", threading.Lock)
returns("a_trap", Trap)
returns("a_pair_with_a_trap", lambda: (0.1, {"trap": Trap()}))
returns("a_pair_with_a_cycle", lambda: (0.1, _cycle()))
returns("a_pair_with_numbers_for_keys", lambda: (0.1, {1: 2}))
returns("a_pair_with_NaN_and_surrogates", lambda: (0.1, {"a": float("nan"), "b": "\ud800"}))
returns("a_pair_that_is_huge", lambda: (0.1, {"much": ["x" * 1000] * 5000}))


@misbehaviour()
def return_a_huge_array() -> Any:
    """Of 80 MB."""
    import numpy as np

    return np.zeros(10_000_000)


# Its process ends


@misbehaviour(Harm.DIES)
def exit_with_0() -> None:
    """As if all were well."""
    os._exit(0)


@misbehaviour(Harm.DIES)
def exit_with_3() -> None:
    """At once."""
    os._exit(3)


@misbehaviour(Harm.DIES)
def segfault() -> None:
    """Read at address 0."""
    import faulthandler

    faulthandler.disable()
    ctypes.string_at(0)


@misbehaviour(Harm.DIES)
def abort() -> None:
    """As a failed assertion in C does."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()


@misbehaviour(Harm.DIES)
def kill_itself() -> None:
    """As the kernel does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


@misbehaviour(Harm.DIES)
def overflow_the_stack_in_C() -> None:
    """By a callback that calls itself through C."""
    sys.setrecursionlimit(10**8)
    kind = ctypes.CFUNCTYPE(ctypes.c_int)
    call = kind(lambda: call())
    call()


@misbehaviour(Harm.DIES)
def become_another_program() -> None:
    """By exec."""
    os.execv("/bin/true", ["true"])


# It never returns


@misbehaviour(Harm.HANGS)
def sleep() -> None:
    """For long."""
    time.sleep(LONG)


@misbehaviour(Harm.HANGS)
def loop() -> None:
    """On a core."""
    while True:
        pass


@misbehaviour(Harm.HANGS)
def ignore_all_signals() -> None:
    """And sleep."""
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGCHLD):
        with suppress(ValueError):  # only the main thread may
            signal.signal(each, signal.SIG_IGN)
    time.sleep(LONG)


@misbehaviour(Harm.HANGS)
def stop_itself() -> None:
    """As Ctrl-Z does."""
    os.kill(os.getpid(), signal.SIGSTOP)


@misbehaviour(Harm.HANGS)
def deadlock() -> None:
    """Take a lock twice."""
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@misbehaviour(Harm.HANGS)
def wait_for_children() -> None:
    """Of which one is a daemon in a session of its own."""
    children = [subprocess.Popen(["sleep", str(LONG)], start_new_session=new) for new in (False, True)]
    _daemon()
    for child in children:
        child.wait()


@misbehaviour(Harm.HANGS)
def swallow_every_exception() -> None:
    """Whatever comes."""
    while True:
        with suppress(BaseException):
            time.sleep(LONG)


@misbehaviour(Harm.EATS)
def eat_memory() -> None:
    """Until there is none."""
    eaten = []
    while True:
        eaten.append(bytearray(os.urandom(2**20)) * 16)
        time.sleep(0.01)


@misbehaviour(Harm.EATS)
def eat_memory_in_children() -> None:
    """A few of them, each its part."""
    for _ in range(4):
        if os.fork() == 0:
            eaten = bytearray(os.urandom(2**20)) * 300
            time.sleep(LONG + len(eaten))
    time.sleep(LONG)


# It leaves something behind


def _daemon() -> None:
    """A process that its parent has left, in a session of its own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LONG)
        os._exit(0)
    os.wait()


@misbehaviour()
def leave_a_child() -> float:
    """That sleeps, and holds every pipe open."""
    subprocess.Popen(["sleep", str(LONG)], close_fds=False)
    return 0.5


@misbehaviour()
def leave_a_fork() -> float:
    """A copy of this process."""
    if os.fork() == 0:
        time.sleep(LONG)
        os._exit(0)
    return 0.5


@misbehaviour(Harm.ESCAPES)
def leave_a_daemon() -> float:
    """Out of reach of its process group."""
    _daemon()
    return 0.5


@misbehaviour()
def leave_twenty_children() -> float:
    """At once."""
    for _ in range(20):
        subprocess.Popen(["sleep", str(LONG)], stdout=subprocess.DEVNULL)
    return 0.5


@misbehaviour()
def leave_threads() -> float:
    """Fifty, which sleep."""
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(LONG,), daemon=True).start()
    return 0.5


@misbehaviour()
def return_twice_by_fork() -> float:
    """In this process and in a copy of it, which ends as it likes."""
    if os.fork() == 0:
        os._exit(7)
    return 0.5


@misbehaviour()
def leave_files_open() -> float:
    """Two hundred."""
    _left_open.extend(open(os.devnull) for _ in range(200))  # noqa: SIM115
    return 0.5


_left_open: list[Any] = []


@misbehaviour()
def leave_temporary_files() -> float:
    """In the temporary folder."""
    tempfile.mkstemp()
    return 0.5


@misbehaviour()
def use_a_pool_of_its_own() -> float:
    """Which a pool of processes would forbid to its daemons."""
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        return float(sum(pool.map(abs, (0.25, 0.25))))


@misbehaviour()
def run_a_loop_of_asyncio() -> float:
    """Of its own."""
    asyncio.run(asyncio.sleep(0.01))
    return 0.5


# It changes what its process shares


@misbehaviour()
def close_the_outputs() -> float:
    """Python's."""
    sys.stdout.close()
    sys.stderr.close()
    return 0.5


@misbehaviour()
def lose_the_outputs() -> float:
    """Set them to None."""
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    return 0.5


@misbehaviour(Harm.RUINS)
def close_the_first_descriptors() -> float:
    """The system's 0, 1 and 2."""
    os.closerange(0, 3)
    return 0.5


@misbehaviour(Harm.RUINS)
def close_every_descriptor() -> float:
    """Those of others, too."""
    os.closerange(0, 1000)
    return 0.5


@misbehaviour()
def print_much() -> float:
    """10 MB, without an end of line."""
    sys.stdout.write("x" * 10_000_000 + "\n0.5\n")
    return 0.5


@misbehaviour()
def change_the_folder() -> float:
    """To /."""
    os.chdir("/")
    return 0.5


@misbehaviour()
def remove_the_folder() -> float:
    """In which it stands."""
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)
    return 0.5


@misbehaviour()
def forbid_files_to_be_read() -> float:
    """By the mask of their modes."""
    os.umask(0o777)
    return 0.5


@misbehaviour()
def clear_the_environment() -> float:
    """All of it."""
    os.environ.clear()
    return 0.5


@misbehaviour()
def ignore_dead_children() -> float:
    """So that nobody can wait for them."""
    with suppress(ValueError):  # only the main thread may
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    return 0.5


@misbehaviour()
def handle_signals_itself() -> float:
    """And do nothing."""
    with suppress(ValueError):
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(each, lambda number, frame: None)
    return 0.5


@misbehaviour()
def set_an_alarm() -> float:
    """Which nobody handles, but after the study."""
    signal.alarm(300)
    return 0.5


@misbehaviour()
def disturb_the_interpreter() -> float:
    """Randomness, garbage, logging, time-outs of sockets, warnings, recursion."""
    random.seed(0)
    gc.disable()
    logging.disable()
    socket.setdefaulttimeout(0.001)
    warnings.simplefilter("error")
    sys.setrecursionlimit(500)
    return 0.5


@misbehaviour()
def limit_its_files() -> float:
    """To ten, the soft limit."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return 0.5


@misbehaviour()
def begin_a_session() -> float:
    """Unless it leads one."""
    with suppress(PermissionError):
        os.setsid()
    return 0.5


@misbehaviour()
def fail_in_a_destructor() -> float:
    """After it has returned."""

    class Late:
        def __del__(self) -> None:
            raise ValueError("too late")

    _left_open.append(Late())
    _left_open.pop()
    return 0.5


if __name__ == "__main__":
    print(Moody(sys.argv[1])([float(sys.argv[2])]))
