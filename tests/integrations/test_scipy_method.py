"""A method for scipy.optimize.minimize, and results that are SciPy's."""

import re
from functools import partial

import numpy as np
import pytest
import scipy.optimize
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import Bounds, OptimizeResult

import rembo
from rembo.integrations.scipy import embedded

PAIRS = [(-1.0, 2.0), (0.0, 5.0), (3.0, 3.0), (-4.0, -3.0)]
START = np.array([0.5, 1.0, 3.0, -3.5])


def slope(x):
    return float(x.sum())


def search(f=slope, x0=START, n_trials=9, bounds=PAIRS, options=None, **arguments):
    options = {"n_trials": n_trials, "seed": 0, "optimizer": rembo.RandomSearch, **(options or {})}
    return scipy.optimize.minimize(f, x0, method=embedded, bounds=bounds, options=options, **arguments)


def seen_by(f=slope, **arguments):
    """All that f gets, (n, 4)."""
    seen = []
    search(lambda x: seen.append(x.copy()) or f(x), **arguments)
    return np.array(seen)


@pytest.mark.parametrize("result", [search(), rembo.minimize(len, rembo.Box(3), 2, seed=0)], ids=["method", "minimize"])
def test_result_is_one_of_scipys_with_its_fields(result):
    assert isinstance(result, OptimizeResult)
    assert {"x", "fun", "nfev", "nit", "success", "status", "message"} <= set(result)
    assert result.nit == result.nfev


def test_result_is_the_best_array_and_its_value():
    result = search()
    assert result.x.shape == (4,)
    assert result.fun == slope(result.x) == min(trial.value for trial in result.trials)
    assert result.success
    assert (result.status, result.message) == (0, "the number of trials was reached")


def test_start_is_evaluated_first():
    assert_allclose(seen_by()[0], START, rtol=1e-15)


def test_default_optimizer_evaluates_the_start_first_and_improves_on_it():
    result = search(options={"optimizer": None}, n_trials=12)
    assert_allclose(result.trials[0].value, slope(START), rtol=1e-15)
    assert result.fun < slope(START)


def test_coordinates_stay_within_their_own_bounds():
    low, high = np.transpose(PAIRS)
    seen = seen_by()
    assert ((low <= seen) & (seen <= high)).all()
    assert_array_equal(seen[:, 2], 3.0)


def test_corners_of_the_bounds_are_exact():
    low = np.array([0.1, -0.7])
    ranges = Bounds(low, [0.3, 1.9])
    assert_array_equal(search(lambda x: float(x @ [1, 1]), low, 1, ranges, options={"optimizer": None}).x, low)


@pytest.mark.parametrize("bounds", [Bounds(-1.0, 2.0), Bounds([-1.0] * 4, [2.0] * 4)], ids=["numbers", "arrays"])
def test_bounds_may_be_scipys(bounds):
    assert_array_equal(seen_by(x0=np.ones(4), bounds=bounds), seen_by(x0=np.ones(4), bounds=[(-1.0, 2.0)] * 4))


def test_arguments_are_passed_to_the_function():
    assert search(lambda x, factor, shift: factor * slope(x) + shift, n_trials=1, args=(2.0, 1.0)).fun == 3.0


def test_number_as_a_start_is_a_point_of_one_coordinate():
    assert search(x0=0.5, bounds=[(0.0, 1.0)], n_trials=1).x.shape == (1,)


def test_method_can_be_made_of_another_optimizer():
    result = search(options={"optimizer": partial(rembo.BayesOpt, noise="learn")}, n_trials=2)
    assert isinstance(result.optimizer, rembo.BayesOpt)


def test_other_options_are_those_of_minimize():
    with pytest.raises(TypeError, match="unexpected keyword argument 'maxiter'"):
        search(options={"maxiter": 3})


# Callbacks


def test_callback_gets_the_best_array_so_far():
    seen = []
    result = search(callback=lambda xk: seen.append(slope(xk)))
    assert_array_equal(seen, np.minimum.accumulate([trial.value for trial in result.trials]))


def test_callback_that_wants_it_gets_an_intermediate_result():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.fun - slope(intermediate_result.x))

    search(callback=callback)
    assert seen == [0.0] * 9


def test_callback_ends_the_search_with_stop_iteration():
    def callback(xk):
        raise StopIteration

    result = search(callback=callback)
    assert (result.nfev, result.message) == (1, "a callback ended the search")


def test_callback_is_not_called_before_there_is_a_value():
    seen = []
    values = iter([np.nan, np.nan, 1.0, 2.0])
    search(lambda x: next(values), n_trials=4, callback=seen.append)
    assert len(seen) == 2


# What it does not do


@pytest.mark.parametrize(
    "unused", [{"jac": lambda x: x}, {"hess": lambda x: x}, {"hessp": lambda x, p: x}, {"tol": 0.1}]
)
def test_what_is_not_used_is_warned_of(unused):
    with pytest.warns(RuntimeWarning, match=f"method embedded does not use {next(iter(unused))}"):
        search(n_trials=1, **unused)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bounds": None}, "this method searches between bounds, and there are none: give bounds=[(low, high), ...]"),
        ({"bounds": [(0.0, None)] * 4}, "bounds of coordinate 0 are (0.0, nan): they must be finite"),
        ({"bounds": Bounds()}, "bounds of coordinate 0 are (-inf, inf): they must be finite"),
        ({"bounds": [(0.0, 1.0)] * 3}, "bounds have shape (3, 2), and x0 needs 4 pairs (low, high)"),
        (
            {"bounds": [(1.0, 0.0)] * 4},
            "bounds of coordinate 0 are (1.0, 0.0): they must be finite, the lower not above",
        ),
        ({"bounds": 7}, "bounds must be pairs (low, high) or scipy.optimize.Bounds, not 7"),
        ({"x0": START + 9.0}, "coordinate 0 of x0 is 9.5, outside its bounds [-1.0, 2.0]: move it inside"),
        ({"constraints": [{"type": "eq", "fun": slope}]}, "this method knows no constraints but bounds"),
    ],
)
def test_what_cannot_be_searched_is_told_with_a_cure(arguments, message):
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        search(**arguments)
