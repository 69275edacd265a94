"""Observations, and what the Gaussian process sees of their values: mean 0, variance 1, failures as the worst."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from rembo.gp import Data, LogTail, Standardized

NAN = float("nan")
BOTH = pytest.mark.parametrize("values", [Standardized(), LogTail()], ids=repr)
RAW = arrays(np.float64, st.integers(2, 30), elements=st.integers(-(10**6), 10**6).map(lambda v: v / 1000.0))


def test_data_begins_empty():
    data = Data.empty(3)
    assert (len(data), data.Y.shape, data.values.shape) == (0, (0, 3), (0,))


def test_added_observations_stand_in_order():
    data = Data.empty(2).add(np.array([1.0, 2.0]), 5.0).add(np.array([3.0, 4.0]), NAN)
    assert_array_equal(data.Y, [[1.0, 2.0], [3.0, 4.0]])
    assert_array_equal(data.values, [5.0, NAN])


def test_adding_an_observation_leaves_the_old_data_alone():
    before = Data.empty(1).add(np.array([1.0]), 5.0)
    before.add(np.array([2.0]), 6.0)
    assert len(before) == 1


def test_standardized_values_are_shifted_and_scaled():
    assert_allclose(Standardized()(np.array([10.0, 30.0])), [-1.0, 1.0])


@BOTH
@given(raw=RAW.filter(lambda raw: np.ptp(raw) > 0.0))
def test_values_have_mean_zero_and_variance_one(values, raw):
    seen = values(raw)
    assert_allclose([seen.mean(), seen.std()], [0.0, 1.0], rtol=0.0, atol=1e-8)


@BOTH
@given(raw=RAW)
def test_values_keep_their_order(values, raw):
    assert np.all(np.diff(values(raw)[np.argsort(raw, kind="stable")]) >= 0.0)


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200, 1e308])
@BOTH
def test_values_of_any_finite_size_are_standardized(values, unit):
    assert_allclose(values(unit * np.array([0.0, 0.5, 1.0])), values(np.array([0.0, 0.5, 1.0])))


@BOTH
def test_failure_counts_as_the_worst_value_seen(values):
    assert_allclose(values(np.array([3.0, NAN, 1.0, 2.0])), values(np.array([3.0, 3.0, 1.0, 2.0])))


@BOTH
@pytest.mark.parametrize("raw", [[], [4.0], [0.1] * 7, [-1e9 / 3.0] * 100, [NAN], [NAN, NAN], [NAN, 0.1, 0.1]])
def test_values_that_are_all_equal_or_failed_become_zeros(values, raw):
    assert_array_equal(values(np.array(raw)), np.zeros(len(raw)))


@BOTH
def test_raw_values_are_left_alone(values):
    raw = np.array([3.0, NAN, 1.0])
    values(raw)
    assert_array_equal(raw, [3.0, NAN, 1.0])


def test_drawn_in_tail_equals_its_formula():
    # the median is 2 and the best is 0, so the unit is 2; what stands above is drawn in, then all is standardised
    drawn = np.array([0.0, 1.0, 2.0, 2.0 + 2.0 * np.log(1.0 + 4.0 / 2.0), 2.0 + 2.0 * np.log(1.0 + 998.0 / 2.0)])
    assert_allclose(LogTail()(np.array([0.0, 1.0, 2.0, 6.0, 1000.0])), (drawn - drawn.mean()) / drawn.std())


def test_drawn_in_tail_leaves_values_below_the_median_in_proportion():
    low, middle, high = LogTail()(np.array([0.0, 1.0, 3.0, 100.0, 10000.0]))[:3]
    assert_allclose((high - middle) / (middle - low), 2.0)


@given(height=st.floats(1e4, 1e12))
def test_wall_does_not_hide_the_valley_from_a_drawn_in_tail(height):
    seen = LogTail()(np.array([0.0, 1.0, 2.0, 3.0, height]))
    assert seen[1] - seen[0] > 0.03  # of a standard deviation; the log of a wall of 1e12 is 27 units high


def test_wall_hides_the_valley_from_plain_standardizing():
    seen = Standardized()(np.array([0.0, 1.0, 2.0, 3.0, 1e6]))
    assert seen[1] - seen[0] < 1e-5


def test_tail_is_not_drawn_in_when_most_values_are_the_best():
    raw = np.array([1.0, 1.0, 1.0, 5.0])
    assert_allclose(LogTail()(raw), Standardized()(raw))
