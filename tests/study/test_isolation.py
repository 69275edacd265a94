"""Evaluation in a process of its own: what it may do, how it is told, and that nothing is left of it."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from objectives import LONG, HangWithChildren, all_gone, die_of, patiently, processes_of

from rembo.study.failure import EvaluationError
from rembo.study.isolation import Limits, abandon, children_of, isolated, kill_tree, portable
from rembo.study.trial import Reason

MEGABYTE = 10**6


def in_this_thread(call, *args):
    return call(*args)


def in_another_thread(call, *args):
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(call, *args).result()


def in_a_pool(call, *args):
    with ProcessPoolExecutor(1) as executor:
        return executor.submit(call, *args).result()


EVERYWHERE = pytest.mark.parametrize("place", [in_this_thread, in_another_thread, in_a_pool])


class Sleep:
    def __call__(self):
        time.sleep(LONG)


class Die:
    def __init__(self, number):
        self.number = number

    def __call__(self):
        die_of(self.number)


def take_memory():
    held = []
    while True:
        held.append(np.ones(MEGABYTE // 8))


def leave_a_child_that_takes_memory():
    program = "held = []\nwhile True: held.append(bytearray(b'1') * 10**6)"
    subprocess.run([sys.executable, "-c", program], check=False)


def daemonise_and_die(folder):
    if os.fork() == 0:
        os.setsid()
        (folder / "pids").write_text(str(os.getpid()))
        time.sleep(LONG)
    patiently((folder / "pids").exists)
    die_of(signal.SIGSEGV)


def leave_a_child():
    """Returns its id; the child holds all pipes open."""
    return os.fork() or time.sleep(LONG)


def descriptors():
    return sorted(Path("/proc/self/fd").iterdir())


def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def survive(task):
    with suppress(EvaluationError):
        isolated(task, Limits(seconds=0.5))


def test_closure_is_evaluated():
    secret = object()
    assert isolated(lambda: id(secret)) == id(secret)


def test_task_runs_in_another_process():
    assert isolated(os.getpid) != os.getpid()


def test_long_answer_comes_back_whole():
    assert isolated(lambda: b"a" * 10**7) == b"a" * 10**7


@EVERYWHERE
def test_answer_comes_back_from_everywhere(place):
    assert place(isolated, os.getcwd) == os.getcwd()


@EVERYWHERE
def test_task_that_takes_too_long_is_a_timeout(place):
    with pytest.raises(EvaluationError, match=r"took longer than 0\.3 seconds") as caught:
        place(isolated, Sleep(), Limits(seconds=0.3))
    assert caught.value.reason is Reason.TIMEOUT


@EVERYWHERE
def test_all_that_a_hanging_task_started_is_killed(place, tmp_path):
    with pytest.raises(EvaluationError):
        place(isolated, partial(HangWithChildren(tmp_path), None), Limits(seconds=1.5))
    assert all_gone(processes_of(tmp_path))


@pytest.mark.parametrize("task", [take_memory, leave_a_child_that_takes_memory])
def test_task_that_takes_too_much_memory_is_told(task):
    with pytest.raises(EvaluationError, match="more than the 150000000 allowed") as caught:
        isolated(task, Limits(seconds=LONG, memory=150 * MEGABYTE))
    assert caught.value.reason is Reason.MEMORY


def test_memory_that_processes_share_counts_once():
    def share():
        held = np.ones(200 * MEGABYTE // 8)
        pids = [os.fork() for _ in range(2)]  # four processes: 800 MB, were nothing shared
        time.sleep(0.2)
        return os.waitpid(pids[-1], 0) and float(held[0]) if all(pids) else os._exit(0)

    assert isolated(share, Limits(memory=700 * MEGABYTE)) == 1.0  # they share what the tests hold, too


def test_memory_that_is_only_reserved_is_free():
    assert isolated(lambda: len(np.zeros(10**9)), Limits(memory=500 * MEGABYTE)) == 10**9


@EVERYWHERE
def test_death_by_a_signal_is_a_crash_that_names_it(place):
    with pytest.raises(EvaluationError, match="killed by SIGSEGV") as caught:
        place(isolated, Die(signal.SIGSEGV))
    assert caught.value.reason is Reason.CRASHED


def test_kill_that_is_not_ours_hints_at_memory():
    with pytest.raises(EvaluationError, match="SIGKILL, as the kernel does when memory runs out"):
        isolated(Die(signal.SIGKILL))


@pytest.mark.parametrize("status", [0, 3])
def test_exit_before_the_end_is_a_crash(status):
    with pytest.raises(EvaluationError, match=f"exited with status {status}") as caught:
        isolated(lambda: os._exit(status))
    assert caught.value.reason is Reason.CRASHED


def test_keeper_that_is_killed_is_a_crash():
    with pytest.raises(EvaluationError, match="watched the evaluation was killed"):
        isolated(lambda: (os.kill(os.getppid(), signal.SIGKILL), time.sleep(LONG)))


def test_task_that_raises_is_an_error_with_its_traceback():
    with pytest.raises(EvaluationError, match="ZeroDivisionError") as caught:
        isolated(lambda: 1 / 0)
    assert caught.value.reason is Reason.ERROR


def test_daemon_of_a_crashed_task_is_killed(tmp_path):
    with pytest.raises(EvaluationError, match="SIGSEGV"):
        isolated(lambda: daemonise_and_die(tmp_path))
    assert all_gone([int((tmp_path / "pids").read_text())])


def test_child_that_a_task_leaves_behind_is_killed():
    assert all_gone([isolated(leave_a_child)])


def test_task_that_closes_all_descriptors_still_meets_its_limit():
    with pytest.raises(EvaluationError, match="took longer"):
        isolated(lambda: (os.closerange(3, 256), time.sleep(LONG)), Limits(seconds=0.3))


@pytest.mark.parametrize("place", [in_this_thread, in_another_thread])
@pytest.mark.parametrize("task", [os.getpid, Die(signal.SIGSEGV), Sleep()], ids=["answer", "crash", "timeout"])
def test_no_process_and_no_descriptor_is_left(place, task):
    before = children(), descriptors()
    place(survive, task)
    assert (children(), descriptors()) == before


def test_interrupted_caller_leaves_nothing(tmp_path):
    program = f"""
import signal, sys
from functools import partial
sys.path[:] = {sys.path}
from pathlib import Path
from objectives import HangWithChildren
from rembo.study.isolation import isolated
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    isolated(partial(HangWithChildren(Path({str(tmp_path)!r})), None))
except KeyboardInterrupt:
    print("interrupted")
"""
    caller = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    pids = processes_of(tmp_path)
    caller.send_signal(signal.SIGINT)
    assert caller.communicate(timeout=60)[0] == "interrupted\n"
    assert all_gone(pids)


@pytest.mark.parametrize("place", [in_this_thread, in_another_thread])
def test_caller_that_is_killed_leaves_nothing(place, tmp_path):
    program = f"""
import sys
from functools import partial
sys.path[:] = {sys.path}
from pathlib import Path
from objectives import HangWithChildren
from test_isolation import {place.__name__}
from rembo.study.isolation import isolated
{place.__name__}(isolated, partial(HangWithChildren(Path({str(tmp_path)!r})), None))
"""
    caller = subprocess.Popen([sys.executable, "-c", program])
    pids = processes_of(tmp_path)
    caller.kill()
    caller.wait()
    assert all_gone(pids)


def test_output_is_not_written_twice():
    program = f"""
import sys
sys.path[:] = {sys.path}
from rembo.study.isolation import isolated
sys.stdout = open(1, "w")  # buffered, whatever the environment says
print("once")
isolated(int)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "once\n"


def test_abandoned_task_ends_with_all_that_it_started(tmp_path):
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(isolated, partial(HangWithChildren(tmp_path), None), owner="study")
        pids = processes_of(tmp_path)
        abandon("study")
        assert isinstance(future.exception(timeout=60), EvaluationError)
    assert all_gone(pids)


def test_task_of_another_owner_is_not_abandoned(tmp_path):
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(
            isolated, partial(HangWithChildren(tmp_path), None), Limits(seconds=1.5), owner="study"
        )
        processes_of(tmp_path)
        abandon("another study")
        assert future.exception(timeout=60).reason is Reason.TIMEOUT


def test_what_cannot_be_pickled_names_the_cure():
    with pytest.raises(TypeError, match="define f in a module"):
        portable(threading.Lock())


def test_function_of_the_main_program_needs_cloudpickle_elsewhere():
    program = "import sys; sys.modules['cloudpickle'] = None; from rembo.study.isolation import portable\n"
    program += "def f(x): return 1.0\nportable(f)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "which another process cannot import: define f in a module, or pip install cloudpickle" in done.stderr


def test_modules_in_the_current_folder_are_not_run_by_a_fresh_interpreter(tmp_path):
    for name in ("numpy", "pickle", "json", "socket", "threading", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})")
    program = """
from concurrent.futures import ThreadPoolExecutor
from rembo.study.isolation import isolated
print(ThreadPoolExecutor(1).submit(isolated, int).result())
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, (tmp_path / "ran").exists()) == ("0\n", False), done.stderr


def test_tree_of_processes_is_killed_from_its_root():
    program = "import subprocess, sys; subprocess.Popen(['sleep', '600'], start_new_session=True).wait()"
    root = subprocess.Popen([sys.executable, "-c", program])
    below = patiently(lambda: children_of(root.pid))
    kill_tree(root.pid)
    assert root.wait() == -signal.SIGKILL
    assert all_gone(below)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), "1"])
def test_time_limit_is_a_positive_number(seconds):
    with pytest.raises(ValueError, match="must be a positive number of seconds"):
        Limits(seconds=seconds)


def test_memory_limit_is_at_least_one_byte():
    with pytest.raises(ValueError, match="must be at least 1"):
        Limits(memory=0)


def test_memory_limit_is_a_whole_number():
    with pytest.raises(TypeError, match="must be a whole number"):
        Limits(memory=1e9)


def test_time_limit_needs_posix(monkeypatch):
    monkeypatch.delattr(os, "killpg")
    with pytest.raises(ValueError, match="needs POSIX"):
        Limits(seconds=1.0)


def test_memory_limit_needs_linux(monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda path: False)
    with pytest.raises(ValueError, match="needs Linux"):
        Limits(memory=1)
