"""Points that a study begins with: one or several, with values where they are known."""

import numpy as np
import pytest

from rembo import BayesOpt, Bool, Box, Categorical, Float, RandomSearch, Space, maximize, minimize
from rembo.study import Study
from rembo.study.start import Start
from rembo.study.trial import Origin

BOX = Box(10)
SPACE = Space({"rate": Float(0.0, 1.0), "deep": Bool()})
SEVERAL = [[0.0] * 10, [0.5] * 10, np.linspace(-1.0, 1.0, 10)]


def bowl(x):
    return float((np.asarray(x) ** 2).sum())


def never(x):
    raise AssertionError("f is not to be evaluated at a known point")


@pytest.mark.parametrize(
    ("x0", "space", "count"),
    [
        (None, BOX, 0),
        ([0.0] * 10, BOX, 1),
        (np.zeros(10), BOX, 1),
        ([[0.0] * 10], BOX, 1),
        (np.zeros((3, 10)), BOX, 3),
        ({"rate": 0.5, "deep": True}, SPACE, 1),
        ([{"rate": 0.5, "deep": True}, {"rate": 0.1, "deep": True}], SPACE, 2),
        (0.5, Float(0.0, 1.0), 1),
        ([0.5, 0.6], Float(0.0, 1.0), 2),
        ((1, 2), Categorical([(1, 2), (3, 4)]), 1),
    ],
)
def test_list_of_points_is_told_from_a_point_that_is_a_list(x0, space, count):
    assert len(Start.of(x0, None, space).points) == count


@pytest.mark.parametrize("make", [None, BayesOpt, RandomSearch], ids=["default", "BayesOpt", "RandomSearch"])
def test_several_points_are_evaluated_first_in_their_order(make):
    optimizer = None if make is None else make(BOX, seed=0)
    result = minimize(bowl, BOX, 8, x0=SEVERAL, optimizer=optimizer)
    np.testing.assert_allclose([np.asarray(trial.x) for trial in result.trials[:3]], SEVERAL, atol=1e-12)
    assert [trial.origin is Origin.GIVEN for trial in result.trials[:4]] == [True, True, True, False]


def test_point_that_the_optimizer_cannot_represent_is_refused_with_its_number():
    scattered = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 100))
    with pytest.raises(ValueError, match=r"x0\[1\]: coordinates that share .* BayesOpt takes any point"):
        minimize(never, Box(100), 5, x0=scattered, seed=0)


def test_known_points_are_told_and_not_evaluated():
    study = Study(BOX, x0=SEVERAL, y0=[3.0, 1.0, 2.0], seed=0)
    study.optimize(never, 3)
    assert [trial.value for trial in study.trials] == [3.0, 1.0, 2.0]


def test_known_points_are_not_among_the_evaluations_of_minimize():
    result = minimize(bowl, BOX, 5, x0=SEVERAL, y0=[3.0, None, 2.0], seed=0)
    assert (result.nfev, len(result.trials)) == (5, 7)


def test_default_optimizer_is_centred_on_the_best_known_point():
    study = Study(BOX, x0=SEVERAL, y0=[3.0, 1.0, 2.0], seed=0)
    np.testing.assert_array_equal(study.optimizer.center[:], SEVERAL[1])


def test_best_known_point_of_a_maximisation_has_the_highest_value():
    study = Study(BOX, x0=SEVERAL, y0=[3.0, 1.0, None], direction="maximize", seed=0)
    np.testing.assert_array_equal(study.optimizer.center[:], SEVERAL[0])


def test_known_value_counts_as_the_best_if_nothing_is_better():
    assert maximize(lambda x: -bowl(x), BOX, 3, x0=[SEVERAL[0]], y0=7.0, seed=0).fun == 7.0


def test_known_points_are_in_the_file_and_are_not_told_again(tmp_path):
    for n_trials in (4, 6):
        with Study(BOX, x0=SEVERAL, y0=[3.0, 1.0, 2.0], storage=tmp_path / "tune.db", seed=0) as study:
            study.optimize(bowl, n_trials)
    assert [trial.origin for trial in study.trials] == [Origin.GIVEN] * 3 + [Origin.DESIGN] * 3


@pytest.mark.parametrize(
    ("x0", "y0", "words"),
    [
        (SEVERAL, [1.0], "y0 has 1 values and x0 has 3 points"),
        (SEVERAL, [1.0, float("nan"), 2.0], r"y0\[1\] is nan: give a finite number, or None"),
        ([], None, "x0 is an empty list"),
        ([[0.0] * 10, [0.0] * 9], None, r"x0\[1\]: .*must have shape \(10,\)"),
    ],
)
def test_points_that_make_no_sense_are_refused(x0, y0, words):
    with pytest.raises(ValueError, match=words):
        minimize(bowl, BOX, 3, x0=x0, y0=y0, seed=0)
