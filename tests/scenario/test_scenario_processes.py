"""Running a program: its limits hold, its output is read, and nothing of it is left."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from rembo.scenario.process import KEPT, Invocation, ProgramLimits, run_program
from rembo.study.isolation import children_of

NO_LIMIT = ProgramLimits()


def run(script, limits=NO_LIMIT, folder="/"):
    return run_program(Invocation(("/bin/sh", "-c", script), Path(folder), dict(os.environ)), limits)


def is_alive(pid):
    """Whether a process is there and not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def patiently(condition, seconds=120):
    """Wait for a condition; a limit that only catches what hangs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def open_files():
    return len(os.listdir("/proc/self/fd"))


def test_run_tells_exit_code_and_both_outputs():
    ending = run("echo out; echo err >&2; exit 3")
    assert (ending.code, ending.outputs, ending.timed_out) == (3, {"stdout": "out\n", "stderr": "err\n"}, False)


def test_run_tells_its_seconds():
    assert 0.2 <= run("sleep 0.2").seconds < 10.0


def test_program_that_closes_its_outputs_is_waited_for():
    ending = run("exec >&- 2>&-; sleep 0.2; exit 4")
    assert (ending.code, ending.seconds >= 0.2) == (4, True)


def test_signal_is_told_as_a_negative_code():
    assert run("kill -SEGV $$").code == -signal.SIGSEGV


def test_large_outputs_are_read_without_deadlock_and_their_ends_kept():
    ending = run("(yes 12345678 | head -c 9000000 >&2) & yes abcdefg | head -c 9000000; wait; echo; echo end")
    assert ending.outputs["stdout"].endswith("abcdefg\n\nend\n")
    assert [len(output) for output in ending.outputs.values()] == [KEPT, KEPT]


def test_endless_output_does_not_fill_the_memory():
    tracemalloc.start()
    ending = run("yes abcdefg | head -c 100000000")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(ending.outputs["stdout"]) == KEPT
    assert peak < 40 * 2**20


def test_output_that_is_not_utf8_is_read():
    assert run("printf 'caf\\351 7'").outputs["stdout"] == "caf\ufffd 7"


TREES = {
    "children": "sleep 100 & echo $!; sleep 100",
    "a grandchild": "sh -c 'sleep 100 & echo $!; wait'; exit 0",
    "a group of its own": "timeout 100 sleep 100 & echo $!; sleep 100",
    "a session of its own": "setsid sleep 100 & echo $!; sleep 100",
    "a program that ignores requests": "trap '' TERM INT HUP; sleep 100 & echo $!; sleep 100; sleep 100",
}


@pytest.mark.parametrize("script", TREES.values(), ids=TREES.keys())
def test_time_limit_ends_the_whole_tree(script):
    ending = run(script, ProgramLimits(seconds=0.5))
    assert ending.timed_out
    assert ending.seconds < 10.0
    assert not is_alive(int(ending.outputs["stdout"]))


def test_process_left_behind_is_ended_with_the_program():
    ending = run("(while :; do echo noise; done) & echo $! >&2; exit 0")
    assert (ending.code, ending.timed_out) == (0, False)
    assert not is_alive(int(ending.outputs["stderr"]))


def test_daemon_is_ended_with_the_program(tmp_path):
    """It has begun a session of its own, and its parent has ended."""
    script = f"(setsid sh -c 'echo $$ > {tmp_path}/pid; while :; do echo noise; sleep 0.01; done' &) ; sleep 0.3"
    ending = run(script)
    assert (ending.code, ending.seconds < 10.0) == (0, True)
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_interrupted_run_ends_its_program(tmp_path):
    interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        run("echo $$ > pid; sleep 100", folder=tmp_path)
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_run_leaves_no_child_and_no_open_file():
    before = open_files(), children_of(os.getpid())
    run("sleep 100 & exit 1", ProgramLimits(seconds=5.0))
    run("sleep 100", ProgramLimits(seconds=0.1))
    assert (open_files(), children_of(os.getpid())) == before


def test_program_that_cannot_be_started_is_an_error_of_the_system():
    before = open_files()
    with pytest.raises(FileNotFoundError):
        run_program(Invocation(("./none",), Path("/"), {}), NO_LIMIT)
    assert open_files() == before


def test_memory_limit_holds_for_children_too():
    ending = run("ulimit -v; sh -c 'ulimit -v'", ProgramLimits(memory=256 * 2**20))
    assert ending.outputs["stdout"].split() == ["262144", "262144"]


def test_launcher_of_the_memory_limit_parses_no_argument():
    words = ("printf", "%s\n", "$(id)", "a b", "'")
    ending = run_program(Invocation(words, Path("/"), dict(os.environ)), ProgramLimits(memory=2**30))
    assert ending.outputs["stdout"] == "$(id)\na b\n'\n"


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"seconds": float("inf")}, {"seconds": -1.0}, {"memory": 1000}])
def test_limit_that_lets_nothing_run_is_refused(limits):
    with pytest.raises(ValueError, match=r"must be (a positive number of seconds|at least 1 MiB)"):
        ProgramLimits(**limits)


@pytest.mark.parametrize("script", ["exit 0", "exit 3", "sleep 100", "kill -9 $$", "rm -rf $(dirname $1)"])
def test_files_of_a_run_are_gone_whatever_happens(scenario, program, tmp_path, monkeypatch, script):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "params.ini").write_text("{x}")
    program(script)
    tables = '[parameter_file]\ntemplate = "params.ini"'
    scenario("trial_timeout = 0.5", "./program {parameter_file}", tables=tables).evaluation().run({"x": 0.5})
    assert os.listdir(tmp_path / "scratch") == []


def test_interrupted_evaluation_removes_its_files(scenario, tmp_path, monkeypatch):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        scenario(command="sleep 100").evaluation()({"x": 0.5})
    assert os.listdir(tmp_path / "scratch") == []


KILLED = """
import os, sys
from pathlib import Path
from rembo.scenario.process import Invocation, ProgramLimits, run_program
words = ("/bin/sh", "-c", "setsid sleep 600 & echo $! $$ > pid.new; mv pid.new pid; wait")
folder = Path(sys.argv[1])
run_program(Invocation(words, folder, dict(os.environ), scratch=folder / "scratch"), ProgramLimits())
"""


def test_kill_of_its_caller_ends_the_program_and_removes_its_files(tmp_path):
    (tmp_path / "scratch").mkdir()
    caller = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path])
    patiently((tmp_path / "pid").exists)
    caller.kill()
    caller.wait()
    patiently(lambda: not (tmp_path / "scratch").exists())
    patiently(lambda: not any(is_alive(int(pid)) for pid in (tmp_path / "pid").read_text().split()))
