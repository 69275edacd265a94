"""The floor under the width of the drawn-in tail: what `least` keeps in view when copies of the best abound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from rembo.gp import LogTail, Standardized

RAW = arrays(np.float64, st.integers(2, 30), elements=st.integers(-(10**6), 10**6).map(lambda v: v / 1000.0))
DESIGN = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0])  # of median 3
EXPLOITED = np.append(DESIGN, np.zeros(20))  # so many copies of the best that the median is the best
EVERY_FLOOR = pytest.mark.parametrize("least", [0.0, 1e-3, 0.5, 1.0])


def drawn_in(values, width):
    """The documented curve, for values whose best is 0, standardised."""
    above = np.maximum(values - width, 0.0)
    return Standardized()(np.minimum(values, width) + width * np.log1p(above / width))


@pytest.mark.parametrize("least", [1e-3, 0.1, 1.0])
def test_width_stays_above_its_share_of_the_first_values(least):
    assert_allclose(LogTail(least=least)(EXPLOITED), drawn_in(EXPLOITED, 3.0 * least))


def test_floor_changes_nothing_where_the_median_is_wider():
    values = np.append([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [5.0, 9.0, 10.0, 20.0, 30.0, 40.0, 50.0])
    assert_array_equal(LogTail(least=1.0)(values), LogTail()(values))


@pytest.mark.parametrize(("design", "width"), [(1, 0.5), (3, 1.0), (5, 2.0), (6, 3.0)])
def test_first_values_are_as_many_as_the_design(design, width):
    assert_allclose(LogTail(least=1.0, design=design)(EXPLOITED), drawn_in(EXPLOITED, width))


def test_higher_floor_draws_the_tail_in_less():
    low, high = LogTail(least=1e-3)(EXPLOITED), LogTail(least=1.0)(EXPLOITED)
    # the two worst values lie a factor 2 apart: the more linear the curve, the further apart on the scale of all
    assert high[5] - high[4] > low[5] - low[4]


def test_failure_among_the_first_values_counts_as_the_worst():
    failed = EXPLOITED.copy()
    failed[0] = np.nan
    assert_allclose(LogTail(least=1.0)(failed), LogTail(least=1.0)(np.append(16.0, EXPLOITED[1:])))


@EVERY_FLOOR
@given(raw=RAW)
def test_values_keep_their_order_above_any_floor(least, raw):
    assert np.all(np.diff(LogTail(least=least)(raw)[np.argsort(raw, kind="stable")]) >= 0.0)


@EVERY_FLOOR
@given(raw=RAW.filter(lambda raw: np.ptp(raw) > 0.0))
def test_values_have_mean_zero_and_variance_one_above_any_floor(least, raw):
    seen = LogTail(least=least)(raw)
    assert_allclose([seen.mean(), seen.std()], [0.0, 1.0], rtol=0.0, atol=1e-8)


@EVERY_FLOOR
@pytest.mark.parametrize("unit", [1e-200, 1e12, 1e308])
def test_values_of_any_finite_size_have_the_same_floor(least, unit):
    values = EXPLOITED / 16.0
    assert_allclose(LogTail(least=least)(unit * values), LogTail(least=least)(values))


@EVERY_FLOOR
@pytest.mark.parametrize("raw", [np.full(9, 3.0), np.full(9, np.nan), np.zeros(0), np.ones(1)], ids=repr)
def test_values_without_a_difference_are_zeros_above_any_floor(least, raw):
    assert_array_equal(LogTail(least=least)(raw), np.zeros(len(raw)))


def test_design_without_values_is_refused():
    with pytest.raises(ValueError, match="design 0"):
        LogTail(least=1.0, design=0)


WIDE_THEN_NARROW = np.append(DESIGN, np.geomspace(1e-3, 0.9, 4000))


def slopes_between_neighbours(tail, raw):
    """The mean log of dz/dv, by differences of neighbouring values: numbers that know nothing of the formula."""
    order = np.argsort(raw)
    return np.mean(np.log(np.diff(tail(raw)[order]) / np.diff(raw[order])))


def test_log_jacobian_sums_the_log_slopes():
    first, whole = LogTail(least=1.0), LogTail(least=0.0)
    by_formula = first.log_jacobian(WIDE_THEN_NARROW) - whole.log_jacobian(WIDE_THEN_NARROW)
    by_differences = slopes_between_neighbours(first, WIDE_THEN_NARROW) - slopes_between_neighbours(
        whole, WIDE_THEN_NARROW
    )
    assert abs(by_differences) > 0.1
    assert_allclose(by_formula / len(WIDE_THEN_NARROW), by_differences, atol=5e-3)  # neighbours are a little apart


@pytest.mark.parametrize(("unit", "zero"), [(1e-6, 0.0), (1e9, 0.0), (3.0, -50.0)])
def test_difference_of_log_jacobians_does_not_depend_on_the_unit(unit, zero):
    raw = np.append(DESIGN, np.geomspace(1e-3, 1.0, 30))
    first, whole = LogTail(least=1.0), LogTail(least=0.0)
    seen, told = (first.log_jacobian(values) - whole.log_jacobian(values) for values in (raw, unit * raw + zero))
    assert_allclose(told, seen, rtol=1e-8)


@EVERY_FLOOR
@pytest.mark.parametrize("raw", [[], [3.0], [2.0, 2.0], [np.nan, np.nan], [np.nan, 1.0]], ids=str)
def test_log_jacobian_of_equal_values_is_zero(least, raw):
    assert LogTail(least=least).log_jacobian(np.array(raw)) == 0.0
