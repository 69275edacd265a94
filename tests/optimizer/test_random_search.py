"""Random search: uniform, at any D, from the seed alone."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import kstest

from rembo import Box, Categorical, Point, RandomSearch, Rembo, Space


def uniform_p_value(numbers):
    """How probable a larger deviation from the uniform distribution on [-1, 1] is, if it is uniform."""
    return kstest(numbers, "uniform", args=(-1.0, 2.0)).pvalue


# Of six p-values of a uniform sample the lowest is below 1e-3 at one seed in 170, and not at these; one of 300 numbers
# that cover only nine tenths of the range is about 1e-3, of numbers that cover half of it 1e-50.


@pytest.mark.parametrize("coordinate", [0, 1, 299])
def test_coordinate_is_uniform_over_trials(coordinate):
    trials = RandomSearch(Box(300), seed=0).ask(300)
    assert uniform_p_value([trial.x[coordinate] for trial in trials]) > 1e-3


@pytest.mark.parametrize("turn", [0, 1, 299])
def test_trial_is_uniform_over_coordinates(turn):
    trial = RandomSearch(Box(300), seed=1).ask(300)[turn]
    assert uniform_p_value(trial.x) > 1e-3


def test_neighbouring_trials_and_coordinates_are_uncorrelated():
    X = np.array([trial.x for trial in RandomSearch(Box(100), seed=2).ask(100)])
    # 9900 pairs: a correlation of independent numbers has standard deviation 0.01, and four of them are 0.04
    assert abs(np.corrcoef(X[1:].ravel(), X[:-1].ravel())[0, 1]) < 0.04
    assert abs(np.corrcoef(X[:, 1:].ravel(), X[:, :-1].ravel())[0, 1]) < 0.04


def test_choices_are_equally_frequent():
    trials = RandomSearch(Space({"solver": Categorical(["a", "b", "c"])}), seed=3).ask(900)
    counts = [sum(trial.x["solver"] == choice for trial in trials) for choice in "abc"]
    # binomial with mean 300 and standard deviation 14: within four of them
    assert all(abs(count - 300) < 57 for count in counts)


def test_a_billion_coordinates_cost_less_than_a_megabyte():
    RandomSearch(Box(10**9), seed=0).ask().x[[0, 1]]  # what is imported at first use is not counted
    tracemalloc.start()
    trials = RandomSearch(Box(10**9), seed=0).ask(10)
    read = [trial.x[[0, 17, 999_999_999]] for trial in trials]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(read) == 10
    assert peak < 1_000_000


def test_coordinates_do_not_depend_on_the_ambient_dimension():
    few, many = (RandomSearch(Box(D), seed=0).ask(3)[2].x for D in (25, 10**9))
    assert_array_equal(few[:25], many[:25])


def test_trial_does_not_depend_on_what_was_told():
    told, silent = RandomSearch(Box(5), seed=0), RandomSearch(Box(5), seed=0)
    told.tell(told.ask(), 1.0)
    assert_array_equal(np.asarray(told.ask().x), np.asarray(silent.ask(2)[1].x))


def test_point_of_any_embedding_can_be_told_at_a_billion_dimensions():
    x = Rembo(Box(10**9), 2, seed=0).ask(2)[1].x
    told = RandomSearch(Box(10**9), seed=0).tell(x, 1.0)
    assert_array_equal(told.x[[0, 999_999_999]], x[[0, 999_999_999]])


def test_array_that_is_not_in_the_box_is_an_error():
    with pytest.raises(ValueError, match=r"coordinate 0 is 2\.0, outside \[-1\.0, 1\.0\]"):
        RandomSearch(Box(3), seed=0).tell([2.0, 0.0, 0.0], 1.0)


def test_own_point_stays_what_it_was():
    x = RandomSearch(Box(3), seed=0).ask(4)[3].x
    assert isinstance(x, Point)
    assert_array_equal(np.asarray(RandomSearch(Box(3), seed=1).adopt(x).x), np.asarray(x))
