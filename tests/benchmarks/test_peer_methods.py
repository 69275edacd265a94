"""What every method of the contest must do, whatever library it comes from."""

import numpy as np
import pytest

import rembo
from methods import METHODS, method
from rembo.problems import BinaryQuadratic, Branin, Padded

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

NEEDS = {"tpe": "optuna", "optuna-gp": "torch", "turbo": "botorch"}
MIXED = rembo.Space(
    {
        "rate": rembo.Float(1e-3, 1.0, log=True),
        "layers": rembo.Integer(1, 9),
        "solver": rembo.Categorical(["adam", "sgd", "lbfgs"]),
        "warm": rembo.Bool(),
        "weights": rembo.Box(3, 0.0, 2.0),
    }
)


@pytest.fixture(params=METHODS)
def searcher(request):
    needed = NEEDS.get(request.param, "numpy")
    pytest.importorskip(needed)
    return method(request.param)


@pytest.fixture(params=[name for name in METHODS if name != "paramils"])
def general_searcher(request):
    pytest.importorskip(NEEDS.get(request.param, "numpy"))
    return method(request.param)


def seen_by(searcher, f, space, n_trials=14, seed=3):
    """The points at which the method evaluates f."""
    seen = []
    searcher.minimize(lambda x: seen.append(x) or f(x), space, n_trials, seed)
    return seen


def test_method_evaluates_a_box_as_often_as_told(general_searcher):
    problem = Padded(Branin(), 5)
    assert len(seen_by(general_searcher, problem, problem.space)) == 14


def test_method_evaluates_bits_as_often_as_told(searcher):
    problem = BinaryQuadratic(6)
    assert len(seen_by(searcher, problem, problem.space)) == 14


def test_method_gives_a_box_points_inside_it(general_searcher):
    points = seen_by(general_searcher, lambda x: (x[0] - 2.5) ** 2 + x[1], rembo.Box(3, low=2.0, high=5.0))
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


def test_unknown_method_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no method 'sgd'.*random"):
        method("sgd")
