"""Experiments: what is run, what is left to run, and that a kill loses nothing but the search under way."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from harness.contest import Experiment, contest, run, unfinished
from harness.methods import BAYES_OPT, PARAM_ILS, RANDOM, AskTell, Entry
from harness.search import Key, Task
from rembo.problems import BinaryQuadratic, Branin, Padded

SCRIPTS = Path(__file__).parents[2] / "experiments"


def no_optimizer(space, seed):
    raise ArithmeticError("no optimizer today")


TASKS = {
    "branin": Task("Branin", partial(Padded, Branin(), 5), 10),
    "billion": Task("Branin in a billion dimensions", partial(Padded, Branin(), 10**9), 10),
    "bits": Task("bits", partial(BinaryQuadratic, 6), 10),
}
METHODS = {
    "random": RANDOM,
    "bo": BAYES_OPT,
    "paramils": PARAM_ILS,
    "broken": Entry("broken", partial(AskTell, no_optimizer)),
}
SMALL = ["--methods", "random", "--problems", "branin", "bits", "--workers", "1"]


@pytest.fixture
def experiment(tmp_path):
    return Experiment("small", TASKS, METHODS, seeds=2, most_seeds=5, results=tmp_path, figures=tmp_path)


def ignore(experiment):
    """Present nothing."""


def found(experiment):
    return {line.key: line.gaps for line in experiment.lines}


def test_experiment_runs_every_seed_of_every_problem(experiment):
    assert contest(experiment, "", ignore, SMALL) == 0
    assert set(found(experiment)) == {Key(problem, "random", seed) for problem in ("branin", "bits") for seed in (0, 1)}


def test_finished_search_is_not_run_again(experiment):
    keys = [Key("branin", "random", seed) for seed in (0, 1)]
    run(experiment, keys[:1], 1)
    assert unfinished(experiment, keys) == keys[1:]


@pytest.mark.parametrize("kept", [0.0, 0.2, 0.5, 0.77, 0.999])
def test_killed_experiment_goes_on_to_the_same_lines(kept, experiment):
    contest(experiment, "", ignore, SMALL)
    whole, text = found(experiment), experiment.path.read_bytes()
    experiment.path.write_bytes(text[: int(kept * len(text))])
    contest(experiment, "", ignore, SMALL)
    assert found(experiment) == whole


def test_selected_searches_are_forgotten_and_run_afresh(experiment):
    contest(experiment, "", ignore, SMALL)
    contest(experiment, "", ignore, [*SMALL, "--seeds", "1", "--afresh"])
    assert [line.seed for line in experiment.lines] == [1, 1, 0, 0]


def test_showing_a_table_runs_nothing(experiment):
    assert contest(experiment, "", ignore, [*SMALL, "--table"]) == 0
    assert not experiment.path.exists()


def test_failed_search_does_not_end_the_experiment(experiment, capsys):
    assert contest(experiment, "", ignore, [*SMALL, "--methods", "broken", "random", "--seeds", "1"]) == 1
    assert {line.method for line in experiment.lines} == {"random"}
    assert "FAILED with ArithmeticError('no optimizer today')" in capsys.readouterr().out


@pytest.mark.parametrize(("method", "problem"), [("paramils", "branin"), ("bo", "billion")])
def test_search_that_a_method_cannot_do_is_left_out(method, problem, experiment):
    assert unfinished(experiment, [Key(problem, method, 0), Key("bits", method, 0)]) == [Key("bits", method, 0)]


def test_unknown_method_is_refused_with_the_known_ones(experiment, capsys):
    with pytest.raises(SystemExit):
        contest(experiment, "", ignore, ["--methods", "sgd"])
    assert "choose from" in capsys.readouterr().err


def test_pattern_selects_every_method_that_it_matches(experiment):
    contest(experiment, "", ignore, [*SMALL, "--methods", "r*", "random", "--problems", "bran*"])
    assert {line.method for line in experiment.lines} == {name for name in METHODS if name.startswith("r")}


def test_families_select_among_the_problems(experiment):
    tasks = {name: replace(task, family=f"of {name}") for name, task in TASKS.items()}
    contest(replace(experiment, tasks=tasks), "", ignore, [*SMALL, "--families", "of branin", "of billion"])
    assert {line.problem for line in experiment.lines} == {"branin"}


def test_unknown_family_is_refused_where_there_are_none(experiment, capsys):
    with pytest.raises(SystemExit):
        contest(experiment, "", ignore, ["--families", "bbob"])
    assert "unrecognized arguments" in capsys.readouterr().err


def test_more_seeds_than_were_fixed_are_refused(experiment, capsys):
    with pytest.raises(SystemExit):
        contest(experiment, "", ignore, ["--seeds", "6"])
    assert "invalid choice: 6" in capsys.readouterr().err


PATIENT = """
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs are born ignoring it
import sys, time
from functools import partial
from pathlib import Path
from harness.contest import Experiment, contest
from harness.methods import RANDOM
from harness.search import Task
from rembo.problems import Branin, Padded

class Slow(Padded):
    def __call__(self, x):
        time.sleep(600.0)

tasks = {
    "quick": Task("quick", partial(Padded, Branin(), 5), 5),
    "slow": Task("slow", partial(Slow, Branin(), 5), 5),
}
experiment = Experiment("patient", tasks, {"random": RANDOM}, 1, 1, results=Path(sys.argv[1]))

if __name__ == "__main__":
    raise SystemExit(contest(experiment, "", print, ["--workers", "1"]))
"""


def wait_for(path):
    """Until a search is finished, or for a minute."""
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.1)


def test_interrupt_keeps_what_is_finished(tmp_path):
    (tmp_path / "patient.py").write_text(PATIENT)
    command = [sys.executable, str(tmp_path / "patient.py"), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True) as child:
        wait_for(tmp_path / "patient.jsonl")
        os.killpg(child.pid, signal.SIGINT)
        _, told = child.communicate(timeout=60)
    assert (child.returncode, told) == (130, "interrupted: what is finished is kept, and the same command goes on\n")
    assert len((tmp_path / "patient.jsonl").read_text().splitlines()) == 1
