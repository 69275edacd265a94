"""What every method of the experiments must do, whatever library it comes from."""

import sys
from functools import partial

import numpy as np
import pytest

import rembo
from harness.methods import (
    BAXUS,
    BAYES_OPT,
    BOTORCH,
    CMA_ES,
    DEFAULT,
    HD_BO,
    HILL_CLIMBER,
    OPTUNA_GP,
    PARAM_ILS,
    RANDOM,
    SI_BO,
    SMAC,
    SPARSE_MUTATION,
    TPE,
    TURBO,
    AskTell,
    Entry,
    interleaved,
    rembo_with,
    smac_for,
)
from rembo.problems import BinaryQuadratic, Branin, Padded

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

NEEDS = {"tpe": "optuna", "optuna-gp": "torch", "turbo": "botorch", "botorch": "botorch", "smac": "smac"}
DISCRETE = {"paramils": PARAM_ILS}
CONTINUOUS = {"hd-bo": HD_BO, "si-bo": SI_BO, "botorch": BOTORCH}
GENERAL = {
    "default": DEFAULT,
    "random": RANDOM,
    "bo": BAYES_OPT,
    "rembo": Entry("REMBO", partial(rembo_with, d=2, k=2)),
    "cma": CMA_ES,
    "tpe": TPE,
    "optuna-gp": OPTUNA_GP,
    "turbo": TURBO,
    "climber": HILL_CLIMBER,
    "mutation": SPARSE_MUTATION,
}
MIXED = rembo.Space(
    {
        "rate": rembo.Float(1e-3, 1.0, log=True),
        "layers": rembo.Integer(1, 9),
        "solver": rembo.Categorical(["adam", "sgd", "lbfgs"]),
        "warm": rembo.Bool(),
        "weights": rembo.Box(3, 0.0, 2.0),
    }
)


def method(name):
    needed = NEEDS.get(name, "numpy")
    pytest.importorskip(needed, reason=f"{name} needs {needed}")
    return {**GENERAL, **DISCRETE, **CONTINUOUS, "smac": SMAC}[name].load()


@pytest.fixture(params=[*GENERAL, *DISCRETE])
def searcher(request):
    return method(request.param)


@pytest.fixture(params=[*GENERAL, *CONTINUOUS])
def box_searcher(request):
    return method(request.param)


@pytest.fixture(params=GENERAL)
def general_searcher(request):
    return method(request.param)


def seen_by(searcher, f, space, n_trials=14, seed=3):
    """The points at which the method evaluates f."""
    seen = []
    searcher.minimize(lambda x: seen.append(x) or f(x), space, n_trials, seed)
    return seen


def test_method_evaluates_a_box_as_often_as_told(box_searcher):
    problem = Padded(Branin(), 5)
    assert len(seen_by(box_searcher, problem, problem.space)) == 14


def test_method_evaluates_bits_as_often_as_told(searcher):
    problem = BinaryQuadratic(6)
    assert len(seen_by(searcher, problem, problem.space)) == 14


def test_method_gives_a_box_points_inside_it(box_searcher):
    points = seen_by(box_searcher, lambda x: (x[0] - 2.5) ** 2 + x[1], rembo.Box(3, low=2.0, high=5.0))
    assert np.all(np.abs(np.array([np.asarray(point) for point in points]) - 3.5) <= 1.5)


def test_method_gives_named_parameters_legal_values(general_searcher):
    seen = seen_by(general_searcher, lambda v: v["rate"] + v["layers"] + v["warm"] + v["weights"][0], MIXED)
    assert np.array([MIXED.encode(value) for value in seen]).shape == (14, MIXED.size)  # encode refuses what is not


def test_method_repeats_itself_with_the_same_seed(searcher):
    problem = BinaryQuadratic(6)
    assert seen_by(searcher, problem, problem.space) == seen_by(searcher, problem, problem.space)


def test_method_differs_with_another_seed(searcher):
    problem = BinaryQuadratic(12)
    first, second = (seen_by(searcher, problem, problem.space, n_trials=4, seed=seed) for seed in (1, 2))
    assert first != second


def test_diagonal_strategy_serves_many_dimensions():
    problem = Padded(Branin(), 300)
    assert len(seen_by(method("cma"), problem, problem.space)) == 14


def test_strategy_starts_at_the_centre_of_the_box():
    start = np.mean([np.asarray(x) for x in seen_by(method("cma"), lambda x: 0.0, rembo.Box(2), n_trials=6)], axis=0)
    assert np.all(np.abs(start) < 0.5)  # six draws with spread 0.3: four standard errors


@pytest.mark.parametrize("name", DISCRETE)
def test_method_of_levels_does_not_serve_a_continuum(name):
    assert not method(name).serves(rembo.Box(3))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_method_of_a_continuum_does_not_serve_levels(name):
    assert not method(name).serves(BinaryQuadratic(6).space)


def test_smac_evaluates_as_often_as_told():
    pytest.importorskip("smac", reason="SMAC needs smac")
    problem = BinaryQuadratic(6)
    assert len(seen_by(smac_for(4), problem, problem.space, n_trials=4)) == 4


def test_smac_is_told_the_evaluations_of_each_search():
    problem = BinaryQuadratic(6)
    assert len(seen_by(method("smac"), problem, problem.space, n_trials=4)) == 4


@pytest.mark.parametrize(
    "name", ["bo", "hd-bo", "si-bo", "cma", "tpe", "optuna-gp", "turbo", "botorch", "smac", "climber", "mutation"]
)
def test_method_that_holds_whole_points_does_not_serve_a_billion_dimensions(name):
    assert not method(name).serves(rembo.Box(10**9))


@pytest.mark.parametrize(
    ("entry", "module", "cure"),
    [
        (BOTORCH, "botorch_default", "pip install 'torch>="),
        (BAXUS, "baxus", "in an environment of its own, pip install"),
    ],
)
def test_method_whose_package_is_missing_says_how_to_install_it(entry, module, cure, monkeypatch):
    monkeypatch.setitem(sys.modules, f"harness.methods.{module}", None)
    with pytest.raises(ModuleNotFoundError, match=cure):
        entry.load()


def test_interleaved_methods_have_seeds_of_their_own():
    runs = interleaved(rembo.Box(3), 5, lambda space, seed: rembo.RandomSearch(space, seed=seed), k=4).runs
    assert len({run.seed for run in runs}) == 4


def test_function_that_raises_ends_the_search():
    with pytest.raises(ZeroDivisionError):
        method("random").minimize(lambda x: 1 / 0, rembo.Box(3), 5, seed=0)


def test_ask_and_tell_searches_as_minimize_does():
    problem = Padded(Branin(), 5)
    seen = seen_by(AskTell(lambda space, seed: rembo.Growing(space, seed=seed)), problem, problem.space)
    trials = rembo.minimize(problem, problem.space, 14, seed=3, progress=False).trials
    assert [np.asarray(x).tolist() for x in seen] == [np.asarray(trial.x).tolist() for trial in trials]
