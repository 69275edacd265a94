"""The scenario that users start from runs, and the page about scenarios says what is true."""

import re
import tomllib
from pathlib import Path

import pytest

import rembo
from rembo.scenario import Scenario
from rembo.scenario.option import KINDS
from rembo.scenario.scenario import KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "tune.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
KEY_CELLS = re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)
SCRIPT = 'for word in "$@"; do case $word in --rate=*) echo ${word#--rate=};; esac; done'


@pytest.fixture
def new(tmp_path, program):
    program(SCRIPT)
    (tmp_path / "scenario.toml").write_text(Scenario.new_text())
    return Scenario.read(tmp_path / "scenario.toml")


def test_new_scenario_runs_the_program(new):
    assert new.evaluation()(new.space.default) == 0.01
    assert new.warnings == ()


def test_new_scenario_can_be_minimised(new):
    result = rembo.minimize(new.evaluation(), new.space, n_trials=8, optimizer=new.optimizer())
    assert result.fun < 0.01


def test_examples_in_the_comments_of_the_new_scenario_are_known_keys():
    examples = re.findall(r"^#(\w+) = ", Scenario.new_text(), flags=re.MULTILINE)
    assert set(examples) - {"weights"} <= set(KEYS)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_of_the_page_is_read_without_a_warning(tmp_path, program, touch, example):
    touch("model.lp", "parameters.txt", "instances/a.cnf", "instances/b.cnf")
    (tmp_path / "params.in").write_text("eps = {eps:.3e}\n")
    program("echo 1.5", "solver")
    (tmp_path / "scenario.toml").write_text(example)
    made = Scenario.read(tmp_path / "scenario.toml")
    assert (made.warnings, tomllib.loads(example)["n_trials"]) == ((), made.n_trials)


def test_table_of_the_page_has_every_key_once():
    assert sorted(KEY_CELLS) == sorted(KEYS)


@pytest.mark.parametrize("kind", KINDS)
def test_page_tells_of_every_type_of_parameter(kind):
    assert f'type = "{kind}"' in PAGE
