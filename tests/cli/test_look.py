"""`rembo dashboard` and `rembo report` from the shell: real processes, signals and ports."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from rembo import Box, RandomSearch
from rembo.study import Study

TOKEN = "correct-horse-battery-staple"
STUDY = "file=study.db&name=mine"
HERE = ("127.0.0.1", 0)


@pytest.fixture
def study(folder):
    box = Box(3)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=folder / "study.db", name="mine") as made:
        made.optimize(lambda x: x[0] ** 2, n_trials=10, progress=False)
    return folder / "study.db"


@contextmanager
def dashboard(*arguments, **environment):
    """A running `rembo dashboard` and the lines that it wrote, the last of which has its address."""
    command = [sys.executable, "-P", "-m", "rembo", "dashboard", *map(str, arguments), "--no-browser"]
    environment = {**os.environ, **environment}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        lines = []
        while not lines or "http://" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], lines
        try:
            yield process, lines
        finally:
            process.kill()


def address(lines):
    return re.search(r"http://\S+", lines[-1]).group()


def status(url, **headers):
    try:
        with urlopen(Request(url, headers=headers), timeout=60) as answer:
            return answer.status
    except HTTPError as error:
        error.close()
        return error.code


def test_dashboard_answers_at_the_address_that_it_prints(study):
    with dashboard(study, "--port", 0) as (_, lines):
        assert status(address(lines)) == 200


def test_interrupt_ends_the_dashboard_while_a_stream_is_open(study):
    with dashboard(study, "--port", 0) as (process, lines), urlopen(f"{address(lines)}events", timeout=60) as stream:
        assert stream.readline() == b"event: version\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == ""


def test_charts_never_run_code_that_lies_in_the_current_folder(study, folder):
    (folder / "numpy.py").write_text("import pathlib; pathlib.Path('trace').touch()")
    with dashboard(study, "--port", 0) as (_, lines), urlopen(f"{address(lines)}belief?{STUDY}", timeout=60) as answer:
        assert answer.status == 200
        assert set(json.load(answer)) >= {"charts", "card"}
    assert not (folder / "trace").exists()


@pytest.mark.parametrize("port", ["65536", "99999", "-1", "http"])
def test_a_port_that_cannot_be_is_refused_with_the_limits(study, rembo, capsys, port):
    with pytest.raises(SystemExit, match="2"):
        rembo("dashboard", study, f"--port={port}")
    assert f"{port!r} must be a port, a whole number from 0 to 65535" in capsys.readouterr().err


def test_a_port_in_use_is_a_sentence(study, rembo):
    with socket.create_server(HERE) as taken:
        port = taken.getsockname()[1]
        code, _, err = rembo("dashboard", study, "--port", port, "--no-browser")
    assert (code, f"cannot listen at port {port} of 127.0.0.1: Address already in use" in err) == (2, True)


def test_a_host_that_does_not_exist_is_a_sentence(study, rembo):
    code, _, err = rembo("dashboard", study, "--host", "no.such.host.invalid", "--no-browser")
    assert (code, "cannot listen at port 8765 of no.such.host.invalid" in err) == (2, True)


def test_another_address_asks_for_a_token_that_is_printed_once(study):
    with dashboard(study, "--port", 0, "--host", "0.0.0.0") as (_, lines):
        token = re.search(r"this token: (\S+)", lines[0]).group(1)
        url = address(lines)
        assert token not in url
        assert (status(url), status(url, Authorization=f"Bearer {token}")) == (401, 200)


def test_a_token_of_the_environment_is_asked_for_and_not_printed(study):
    with dashboard(study, "--port", 0, REMBO_DASHBOARD_TOKEN=TOKEN) as (_, lines):
        url = address(lines)
        assert (status(url), status(url, Authorization=f"Bearer {TOKEN}")) == (401, 200)
        assert TOKEN not in "".join(lines)


def test_a_token_of_a_file_is_asked_for(study, folder):
    (folder / "token").write_text(f"{TOKEN}\n")
    with dashboard(study, "--port", 0, "--token-file", folder / "token") as (_, lines):
        assert (status(address(lines)), status(address(lines), Authorization=f"Bearer {TOKEN}")) == (401, 200)


@pytest.mark.parametrize(
    ("content", "sentence"), [("two words", "must hold one token and nothing else"), ("short", "at least 16 printable")]
)
def test_a_file_without_a_good_token_is_a_sentence(study, folder, rembo, content, sentence):
    (folder / "token").write_text(content)
    code, _, err = rembo("dashboard", study, "--token-file", folder / "token", "--no-browser")
    assert (code, sentence in err) == (2, True)


def test_report_is_written_to_the_file_that_is_named(study, folder, rembo):
    code, out, _ = rembo("report", study, "-o", folder / "report.html")
    assert (code, out.startswith(f"wrote {folder / 'report.html'}")) == (0, True)
    assert (folder / "report.html").read_text().startswith("<!doctype html>")


def test_report_needs_a_name_where_there_are_several_studies(study, folder, rembo):
    Study(Box(3), storage=study, name="other", seed=0).close()
    code, _, err = rembo("report", study, "-o", folder / "report.html")
    assert (code, "has 'mine', 'other': name one of them" in err) == (3, True)
