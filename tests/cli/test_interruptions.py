"""Signals, kill -9 and a terminal, with a real process."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from rembo.study.isolation import children_of

SLOW = 'sleep 0.1; echo run >> runs; awk "BEGIN {print ($1 - 0.3)^2}"'


def patiently(condition, seconds=120):
    """Wait for a condition; a limit that only catches what hangs."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing in {seconds} seconds")
        time.sleep(0.02)


def runs(folder, count):
    path = folder / "runs"
    return lambda: path.exists() and len(path.read_text().splitlines()) >= count


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_tune_with_all_that_was_finished_stored(folder, rembo, number, code):
    folder.program(SLOW)
    process = folder.start("tune", "scenario.toml", "--n-trials", "1000")
    patiently(runs(folder, 3))
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == code
    assert "trials are stored; go on with: rembo resume scenario.db --name scenario" in err
    assert len([value for value in folder.values() if value is not None]) >= 3
    assert rembo("verify", "scenario.db")[0] == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_during_the_first_run_kills_the_program(folder, number, code):
    folder.program("echo $$ > pid.new; mv pid.new pid; exec sleep 600")
    process = folder.start("tune", "scenario.toml")
    patiently((folder / "pid").exists)
    process.send_signal(number)
    process.communicate(timeout=120)
    assert process.returncode == code
    patiently(lambda: not os.path.exists(f"/proc/{(folder / 'pid').read_text().strip()}"))


def test_signal_to_the_group_ends_a_dask_cluster_too(folder):
    folder.program(SLOW)
    arguments = ["tune", "scenario.toml", "--n-trials", "1000", "--dask", "local:2"]
    process = folder.start(*arguments, start_new_session=True)
    patiently(runs(folder, 6))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, "go on with: rembo resume" in err) == (130, True)


def test_killed_study_is_resumed_as_if_it_had_never_been_killed(folder, rembo):
    folder.program(SLOW)
    process = folder.start("tune", "scenario.toml", "--n-trials", "8")
    patiently(runs(folder, 4))
    process.kill()
    process.communicate(timeout=120)
    assert rembo("resume", "scenario.db", "--n-trials", 8)[0] == 0
    rembo("tune", "scenario.toml", "--n-trials", 8, "--storage", "whole.db")
    assert folder.values() == folder.values("whole.db")


@pytest.fixture
def scratch(folder, monkeypatch):
    """A temporary directory of our own, and a scenario whose runs have files there."""
    (folder / "scratch").mkdir()
    (folder / "params.in").write_text("{x}")
    folder.program('echo run >> runs; [ -e fast ] || sleep 600; read x < "$1"; echo "$x"')
    folder.scenario("[parameter_file]\ntemplate = 'params.in'", command="./program {parameter_file}")
    monkeypatch.setenv("TMPDIR", str(folder / "scratch"))
    return folder / "scratch"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_kill_of_tune_leaves_no_program_and_no_files_behind(folder, scratch, workers, number):
    folder.program('echo run >> runs; [ -e fast ] || { setsid sleep 600 & echo $! >> pids; wait; }; cat "$1"')
    (folder / "fast").touch()
    folder.start("tune", "scenario.toml", "--n-trials", "1").communicate(timeout=120)
    (folder / "fast").unlink()
    process = folder.start("resume", "scenario.db", "--n-trials", "8", "--workers", workers)
    patiently(runs(folder, 1 + int(workers)))
    assert len(os.listdir(scratch)) == int(workers)
    patiently(lambda: (folder / "pids").exists() and len((folder / "pids").read_text().split()) == int(workers))
    process.send_signal(number)
    process.communicate(timeout=120)
    patiently(lambda: os.listdir(scratch) == [])
    patiently(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in (folder / "pids").read_text().split()))


def test_files_that_a_killed_tune_has_left_are_gone_when_the_next_has_run(folder, scratch):
    process = folder.start("tune", "scenario.toml", start_new_session=True)
    patiently(runs(folder, 1))
    for each in (*children_of(process.pid), process.pid):  # its keeper, too
        os.kill(each, signal.SIGKILL)
    process.communicate(timeout=120)
    assert len(os.listdir(scratch)) == 1
    (folder / "fast").touch()
    assert folder.start("tune", "scenario.toml").wait(timeout=120) == 0
    assert os.listdir(scratch) == []


@pytest.fixture
def terminal():
    """Runs a command with its standard error on a terminal; returns the exit code and what was written there."""
    ours, theirs = pty.openpty()

    def run(program, *arguments):
        command = [sys.executable, "-c", f"{program}; from rembo.cli import main; sys.exit(main())", *arguments]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
        os.close(theirs)
        return _read_all(ours), process.wait(timeout=120)

    yield run
    os.close(ours)


def _read_all(descriptor):
    written = b""
    while chunk := _read(descriptor):
        written += chunk
    return written.decode(errors="replace")


def _read(descriptor):
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other side is closed
        return b""


def test_terminal_shows_a_live_display(folder, terminal):
    folder.program('[ "$1" = 0.5 ] || sleep 0.1; awk "BEGIN {print ($1 - 0.3)^2}"')
    written, code = terminal("import sys", "tune", "scenario.toml")
    last = written[written.rindex("5/5 trials") :]
    assert (code, "\x1b[" in written) == (0, True)
    assert "per evaluation" in last
    assert "of the time suggesting" in last


def test_live_display_counts_failures_and_notes_them_above(folder, terminal):
    folder.program('[ "$1" = 0.5 ] && echo 1 || { echo broken >&2; exit 3; }')
    written, code = terminal("import sys", "tune", "scenario.toml")
    assert (code, "trial 4 failed: broken" in written, "4 failed" in written) == (0, True, True)


def test_terminal_without_rich_gets_plain_lines(folder, terminal):
    written, code = terminal("import sys; sys.modules['rich'] = None", "tune", "scenario.toml")
    assert (code, "5/5: best" in written, "\x1b[" in written) == (0, True, False)
