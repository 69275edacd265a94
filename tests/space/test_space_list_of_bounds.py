"""A list of bounds is a space: each number has a range of its own, and f gets an array."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rembo import (
    BayesOpt,
    Bounds,
    Box,
    Float,
    Growing,
    IdentityEmbedding,
    Point,
    RandomSearch,
    Rembo,
    Space,
    Study,
    maximize,
    minimize,
)
from rembo.baselines import CMAES, HDBO, ParamILS
from rembo.space import check_domain, coordinate_name
from rembo.study import codec
from rembo.study.exchange import export_trials, read_csv

law = settings(deadline=None, derandomize=True, max_examples=200)
LIST = [(0, 1), (1e-5, 1e-1, "log"), (-2.0, 3.0)]
BOUNDS = Bounds(LIST)


def bowl(x):
    return (x[0] - 0.3) ** 2 + (math.log10(x[1]) + 3.0) ** 2 + x[2] ** 2


@law
@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3))
def test_each_number_is_that_of_a_float_with_its_bounds(u):
    floats = Float(0.0, 1.0), Float(1e-5, 1e-1, log=True), Float(-2.0, 3.0)
    value = BOUNDS.decode(Point(IdentityEmbedding(3), u))
    assert value.tolist() == [each.value(position) for each, position in zip(floats, u, strict=True)]


@law
@given(st.tuples(st.floats(0.0, 1.0), st.floats(1e-5, 1e-1), st.floats(-2.0, 3.0)))
def test_numbers_come_back_from_their_positions(numbers):
    value = BOUNDS.decode(Point(IdentityEmbedding(3), BOUNDS.encode(numbers)))
    assert_allclose(value, numbers, rtol=1e-14, atol=1e-15)  # roundings of the scale and of the logarithm


@pytest.mark.parametrize(
    "given",
    [
        tuple(LIST),
        [list(bound) for bound in LIST],
        Bounds(LIST),
        [(np.int64(0), np.float32(1.0)), (1e-5, 1e-1, "log"), (-2, 3)],
    ],
    ids=["tuple", "lists", "bounds", "numpy"],
)
def test_bounds_may_be_written_in_several_ways(given):
    assert check_domain(given) == BOUNDS


@pytest.mark.parametrize(
    "given",
    [np.array([[0, 1], [-2, 3]]), scipy.optimize.Bounds([0, -2], [1, 3]), [(0, 1), (-2, 3)]],
    ids=["array", "scipy", "list"],
)
def test_bounds_of_other_libraries_are_a_space(given):
    assert check_domain(given) == Bounds([(0, 1), (-2, 3)])


def test_f_gets_an_array_it_may_change():
    x = Growing(LIST, seed=0).ask().x
    x *= 2.0
    assert (type(x), x.dtype, x.shape) == (np.ndarray, np.float64, (3,))


def test_list_of_bounds_is_minimised_from_x0():
    result = minimize(bowl, LIST, 40, x0=[0.5, 1e-2, 1.0], seed=0, progress=False)
    assert_allclose(result.trials[0].x, [0.5, 1e-2, 1.0], rtol=1e-14)  # roundings of the logarithm
    assert result.fun < 0.05


def test_list_of_bounds_is_maximised():
    assert maximize(lambda x: -bowl(x), LIST, 30, seed=0, progress=False).fun > -0.05


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rembo(LIST, 2, seed=0),
        lambda: BayesOpt(LIST, seed=0),
        lambda: RandomSearch(LIST, seed=0),
        lambda: ParamILS(LIST, seed=0),
        lambda: CMAES(LIST, seed=0),
        lambda: HDBO(LIST, seed=0),
    ],
    ids=["rembo", "bayes", "random", "ils", "cma", "hdbo"],
)
def test_every_optimizer_searches_a_list_of_bounds(make):
    optimizer = make()
    for _ in range(6):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.x))
    assert all(np.all((trial.x >= [0, 1e-5, -2]) & (trial.x <= [1, 1e-1, 3])) for trial in optimizer.trials)


def test_point_of_ones_own_is_told_as_any_sequence():
    optimizer = BayesOpt(LIST, seed=0)
    assert_allclose(optimizer.tell([0.5, 1e-3, 0.5], 1.0).x, [0.5, 1e-3, 0.5], rtol=1e-14)  # roundings


def test_bounds_are_serialised_and_come_back():
    assert codec.decode(codec.encode(BOUNDS)) == BOUNDS


def test_stored_study_over_bounds_goes_on_where_it_was(tmp_path):
    for n_trials in (5, 8):
        result = minimize(bowl, LIST, n_trials, seed=0, storage=tmp_path / "tune.db", progress=False)
    whole = minimize(bowl, LIST, 8, seed=0, progress=False)
    assert [trial.x.tolist() for trial in result.trials] == [trial.x.tolist() for trial in whole.trials]


def test_trials_over_bounds_are_exported_and_read_again(tmp_path):
    study = Study(LIST, seed=0)
    study.optimize(bowl, 3, progress=False)
    export_trials(study.trials, tmp_path / "trials.csv")
    assert [past.x for past in read_csv(tmp_path / "trials.csv", BOUNDS)] == [each.x.tolist() for each in study.trials]


def test_table_of_trials_has_a_column_for_each_bound():
    pytest.importorskip("pandas")
    study = Study(Space({"a": Float(0.0, 1.0), "w": Bounds(LIST)}), seed=0)
    study.optimize(lambda x: x["a"] + x["w"][0], 2, progress=False)
    columns = [name for name in study.trials_dataframe().columns if name.startswith("params_")]
    assert columns == ["params_a", *(f"params_w[{number}]" for number in range(len(LIST)))]


def test_coordinates_of_bounds_are_named_by_their_place():
    assert coordinate_name(BOUNDS, 2) == "x[2]"


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ([(0, 1), (5, 2)], ValueError, r"bound 1, \(5, 2\): low 5 must be below high 2; swap them"),
        ([(0, 1), (2, 2)], ValueError, r"bound 1, \(2, 2\): .* leave a fixed parameter out"),
        ([(0, math.inf)], ValueError, r"bound 0, \(0, inf\): both bounds must be finite numbers"),
        ([(0, None)], ValueError, r"bound 0, \(0, None\): both bounds must be finite numbers"),
        ([(0, 1), (0, 1, "log")], ValueError, "bound 1, .* a log scale needs low above 0"),
        ([(0, 1), (1, 8, "int")], ValueError, r"bound 1 must be .*: name whole numbers .* rembo\.Integer\(1, 8\)"),
        ([(0, 1), (1, 2, 3, 4)], TypeError, r"bound 1 must be \(low, high\) or \(low, high, 'log'\)"),
        ([], ValueError, "needs at least one pair"),
    ],
    ids=str,
)
def test_wrong_bound_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        Bounds(wrong)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0.5, 1e-3, 4.0], r"number 2 is 4\.0, outside its bounds \[-2\.0, 3\.0\]"),
        ([0.5, math.nan, 0.0], "number 1 is nan, outside its bounds"),
        ([0.5], r"must have shape \(3,\), not \(1,\)"),
        (["a", "b", "c"], "must be an array of 3 numbers"),
    ],
    ids=str,
)
def test_value_outside_the_bounds_has_no_position(value, message):
    with pytest.raises(ValueError, match=message):
        BOUNDS.encode(value)


def test_bounds_show_the_first_few_when_printed():
    assert repr(Bounds([(0, 1)] * 300)) == "Bounds([(0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), ... 300 in all])"


def test_alike_bounds_search_as_a_box_does():
    bounds, box = Growing([(-1.0, 1.0)] * 20, seed=3), Growing(Box(20), seed=3)
    for _ in range(15):
        first, second = bounds.ask(), box.ask()
        assert first.x.tolist() == second.x.tolist()
        bounds.tell(first, (first.x[3] - 0.2) ** 2)
        box.tell(second, (second.x[3] - 0.2) ** 2)
