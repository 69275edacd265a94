"""The folder examples/lpsolve: the same parameters and the same corridor through the door of `rembo tune`."""

import re
import shutil
from pathlib import Path

import pytest

from rembo import RandomSearch
from rembo.cli import main
from rembo.problems.lpsolve import LP_SOLVE, READY_SMALL, SPACE, parameter_text
from rembo.problems.lpsolve.flow import model_text
from rembo.scenario import Scenario
from rembo.study import open_storage

EXAMPLE = Path(__file__).parents[2] / "examples" / "lpsolve"
pytestmark = pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence)


def words(text):
    """What a parameter file says, without the blanks."""
    return {key: value.split() for key, value in re.findall(r"(?m)^(\w+) *=(.*)$", text)}


def test_example_has_the_parameters_of_the_problem():
    assert Scenario.read(EXAMPLE / "scenario.toml").space == SPACE


def test_example_has_the_corridor_of_the_problem():
    assert (EXAMPLE / "corridor.lp").read_text() == model_text(READY_SMALL)


def test_example_writes_the_parameter_file_of_the_problem(tmp_path):
    x = RandomSearch(SPACE, seed=1).ask().x
    command = Scenario.read(EXAMPLE / "scenario.toml").program.command
    command.invocation(x, None, tmp_path)
    assert words((tmp_path / "parameters" / "parameters.ini").read_text()) == words(parameter_text(x))


def test_example_is_tuned(tmp_path):
    folder = shutil.copytree(EXAMPLE, tmp_path / "copy")
    assert main(["tune", str(folder / "scenario.toml"), "--quiet", "--n-trials", "4"]) == 0
    values = [trial.value for trial in open_storage(folder / "scenario.db").read("scenario").trials]
    assert (len(values), values[0]) == (4, 0.0)
    assert max(values) <= 181.0
