"""A folder with a small program and a scenario of it, and the command line in this process and in another."""

import signal
import subprocess
import sys

import pytest

from rembo.cli import main
from rembo.study import open_storage

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a background job of a shell ignores
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which a job under nohup ignores

SQUARE = 'awk "BEGIN {print ($1 - 0.3)^2}"'
FLOAT = 'x = {type = "float", low = 0.0, high = 1.0, default = 0.5}'


class Folder:
    """A folder that is the working directory of the test."""

    def __init__(self, path):
        self.path = path
        self.started = []

    def __truediv__(self, name):
        return self.path / name

    def program(self, script=SQUARE, name="program"):
        (self / name).write_text(f"#!/bin/sh\n{script}\n")
        (self / name).chmod(0o755)

    def scenario(self, top="", command="./program {x}", parameters=FLOAT, optimizer="random", name="scenario.toml"):
        lines = [f"command = '''{command}'''", "n_trials = 5", f"optimizer = '{optimizer}'", "seed = 1", top]
        (self / name).write_text("\n".join([*lines, "[parameters]", parameters, ""]))

    def trials(self, file="scenario.db", name="scenario"):
        return open_storage(self / file).read(name).trials

    def values(self, file="scenario.db", name="scenario"):
        return [trial.value for trial in self.trials(file, name)]

    def start(self, *arguments, **options):
        """The command line in a process of its own."""
        command = [sys.executable, "-W", "error", "-m", "rembo", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.started.append(process)
        return process

    def close(self):
        """End what a test that failed has left."""
        for process in self.started:
            process.kill()
            process.communicate()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Folder(tmp_path)
    made.program()
    made.scenario()
    yield made
    made.close()


@pytest.fixture
def rembo(capsys):
    """Runs a command here; returns its exit code, what it wrote to stdout, and to stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return run
