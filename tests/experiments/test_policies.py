"""Linear policies of robots in MuJoCo, and the contest on them."""

import pickle
import sys

import numpy as np
import pytest

import policies
from harness.contest import contest
from harness.record import append
from harness.search import Line
from harness.suites.mujoco import SHAPES, LinearPolicy


@pytest.fixture
def mujoco():
    pytest.importorskip("gymnasium", reason="policies need gymnasium")
    pytest.importorskip("mujoco", reason="policies need MuJoCo")


def weights(problem, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, problem.space.size)


@pytest.mark.parametrize("name", ["Swimmer-v5", "Hopper-v5", "Walker2d-v5"])
def test_same_policy_has_the_same_return_twice(name, mujoco):
    problem = LinearPolicy(name, 0)
    x, other = weights(problem), weights(problem, 1)
    first = problem(x)
    assert problem(other) != first
    assert problem(x) == first


def test_seed_changes_the_return(mujoco):
    x = weights(LinearPolicy("Hopper-v5", 0))
    assert LinearPolicy("Hopper-v5", 0)(x) != LinearPolicy("Hopper-v5", 1)(x)


def test_policy_travels_to_other_processes(mujoco):
    problem = LinearPolicy("Hopper-v5", 3)
    before = problem(weights(problem))
    copy = pickle.loads(pickle.dumps(problem))
    assert (copy, copy(weights(problem))) == (problem, before)


@pytest.mark.parametrize("name", SHAPES)
def test_shape_is_that_of_the_robot(name, mujoco):
    import gymnasium

    robot = gymnasium.make(name)
    assert SHAPES[name] == (*robot.action_space.shape, *robot.observation_space.shape)


def test_robot_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="'Ant-v5' is not a robot known here: choose from Swimmer-v5"):
        LinearPolicy("Ant-v5", 0)


def test_missing_package_is_named_with_the_command_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ModuleNotFoundError, match="pip install 'gymnasium"):
        LinearPolicy("HalfCheetah-v5", 0)(np.zeros(102))  # no other test loads it: what is loaded stays


def test_policies_are_run_and_shown(shortened, tmp_path, mujoco):
    ten = shortened(policies.EXPERIMENT, 10)
    chosen = ["--problems", "hopper", "--methods", "random", "mutation", "--seeds", "1", "--workers", "1"]
    assert contest(ten, "", policies.present, chosen) == 0
    assert (tmp_path / "policies.md").read_text().count("| (1+1) sparse mutation | ") == 1


def test_highest_mean_return_on_shared_seeds_comes_first(shortened, capsys):
    experiment = shortened(policies.EXPERIMENT)
    for method, seed, gap in [("random", 0, -50.0), ("cma", 0, -70.0), ("random", 1, -900.0)]:
        append(experiment.path, Line("hopper", method, seed, 2, [(1, gap)], 1.0, {}))
    policies.present(experiment)
    rows = capsys.readouterr().out.splitlines()[2:4]
    assert [row.split()[-3:] for row in rows] == [["70.0", "70.0", "1.0"], ["50.0", "50.0", "1.0"]]


def test_nothing_finished_is_said_so(shortened, capsys):
    policies.present(shortened(policies.EXPERIMENT))
    assert capsys.readouterr().out == "policies: nothing is finished yet that methods have in common\n"
