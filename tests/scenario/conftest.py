"""A folder with a small program, and scenarios that run it."""

import pytest

from rembo.scenario import Scenario

FLOAT = 'x = {type = "float", low = 0.0, high = 1.0}'


@pytest.fixture
def program(tmp_path):
    """Writes ./program, a script of the shell."""

    def write(script, name="program"):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    write('for argument in "$@"; do echo "$argument"; done')
    return write


@pytest.fixture
def scenario(tmp_path, program):
    """Writes and reads scenario.toml."""

    def read(top="", command="./program {x}", parameters=FLOAT, tables=""):
        text = f"command = '''{command}'''\nn_trials = 10\n{top}\n[parameters]\n{parameters}\n{tables}\n"
        (tmp_path / "scenario.toml").write_text(text)
        return Scenario.read(tmp_path / "scenario.toml")

    return read


@pytest.fixture
def touch(tmp_path):
    """Writes files with the same text, that of a parameter file of irace."""

    def write(*names):
        for name in names:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text('ants "--ants " i,log (5, 100)\n')

    return write
