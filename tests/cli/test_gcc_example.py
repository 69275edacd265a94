"""The folder examples/gcc: gcc's flags through `rembo tune`, and results that belong to its scenario."""

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from rembo.scenario import Scenario
from rembo.study import EvaluationError

EXAMPLE = Path(__file__).parents[2] / "examples" / "gcc"
RESULTS = EXAMPLE / "results"
MISSING = [tool for tool in ("gcc", "valgrind") if shutil.which(tool) is None]
needs_tools = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


@pytest.fixture
def example(tmp_path):
    """A copy of the folder, to run in."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "gcc"))


@pytest.fixture(scope="module")
def scenario():
    return Scenario.read(EXAMPLE / "scenario.toml")


def rows(name):
    """A table of results."""
    with open(RESULTS / name, newline="") as table:
        return list(csv.DictReader(table))


def test_every_flag_is_a_switch_with_a_default(scenario):
    assert {type(value) for value in scenario.space.default.values()} == {bool}
    assert (len(scenario.space.parameters), scenario.warnings) == (182, ())


def test_default_is_plain_o2(scenario):
    ((program, output),) = scenario.commands(scenario.space.default)
    assert (program, Path(output).name) == ("./count.sh", "output")


def test_changes_are_passed_as_flags_of_gcc(scenario):
    changed = {**scenario.space.default, "tree-pre": False, "unroll-loops": True}
    assert scenario.commands(changed)[0][2:] == ["-fno-tree-pre", "-funroll-loops"]


@needs_tools
def test_dry_run_counts_the_instructions_of_plain_o2(example, rembo, monkeypatch):
    monkeypatch.chdir(example)
    code, out, _ = rembo("tune", "scenario.toml", "--dry-run")
    assert (code, 1e6 < float(out.splitlines()[-1].removeprefix("the first gives ")) < 1e9) == (0, True)


@needs_tools
def test_count_is_the_same_every_time_and_another_with_another_flag(example):
    copied = Scenario.read(example / "scenario.toml")
    f, default = copied.evaluation(), copied.space.default
    assert f(default) == f(default) > f({**default, "unroll-loops": True})


@needs_tools
def test_program_that_prints_something_else_is_a_failure(example):
    (example / "expected.txt").write_text("multiply 1\n")
    copied = Scenario.read(example / "scenario.toml")
    with pytest.raises(EvaluationError, match="> bodies 6247578411320"):
        copied.evaluation()(copied.space.default)


@needs_tools
def test_flag_that_gcc_refuses_is_a_failure(example, tmp_path):
    run = subprocess.run(["./count.sh", tmp_path / "k", "-fno-such"], cwd=example, capture_output=True, text=True)
    assert (run.returncode, "no-such" in run.stderr, run.stdout) == (1, True, "")


@needs_tools
def test_scenario_can_be_made_anew_for_the_gcc_that_is_here(example):
    made = subprocess.run(["./make_scenario.py"], cwd=example, capture_output=True, text=True, check=True).stdout
    (example / "mine.toml").write_text(made)
    assert len(Scenario.read(example / "mine.toml").space.parameters) > 100


def test_stored_trials_are_those_of_the_scenario(scenario):
    trials = rows("trials.csv")
    default = "".join("01"[value] for value in scenario.space.default.values())
    assert (len(trials), trials[0]["flags"]) == (200, default)
    assert {len(trial["flags"]) for trial in trials} == {182}


def test_stored_ablation_is_that_of_the_best_stored_trial(scenario):
    found, trials = json.loads((RESULTS / "ablation.json").read_text()), rows("trials.csv")
    assert found["goal_value"] == min(int(trial["instructions"]) for trial in trials if trial["instructions"])
    best = dict(zip(scenario.space.parameters, trials[found["trial"]]["flags"], strict=True))
    changes = [change for step in [*found["steps"], found["rest"]] for change in step["changes"]]
    assert all(best[change["name"]] == "01"[change["after"]] for change in changes)


def test_stored_flips_agree_with_the_stored_ablation():
    flipped = {row["flag"]: row["flipped_at_best"] for row in rows("flips.csv")}
    found = json.loads((RESULTS / "ablation.json").read_text())
    assert [float(flipped[flip["name"]]) for flip in found["flips"]] == [flip["value"] for flip in found["flips"]]
