"""Values that say more than that a place is bad, and a wall of others that does not hide them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from rembo.gp import LogTail, Standardized, telling

FEW_LEVELS = arrays(np.float64, st.integers(0, 30), elements=st.sampled_from([0.0, 1.0, 2.0, 7.0, np.nan]))


@pytest.mark.parametrize(
    ("raw", "tells"),
    [
        ([3.0, 1.0, 2.0], [True, True, True]),
        ([3.0, 1.0, 3.0], [False, True, False]),
        ([3.0, np.nan, 1.0], [True, False, True]),
        ([3.0, np.nan, 3.0], [False, False, False]),
        ([1.0, 1.0, 3.0], [True, True, True]),
        ([np.nan], [False]),
        ([], []),
    ],
    ids=str,
)
def test_neither_failures_nor_a_wall_tell_anything(raw, tells):
    assert_array_equal(telling(np.array(raw)), np.array(tells, dtype=bool))


@pytest.mark.parametrize(("others", "tells"), [(18, False), (19, True)])
def test_fewer_than_a_tenth_of_the_values_are_no_wall(others, tells):
    raw = np.append(np.arange(others, dtype=float), [1e3, 1e3])
    assert telling(raw)[-1] == tells


@given(raw=FEW_LEVELS)
def test_best_value_tells_unless_no_value_differs(raw):
    seen = raw[~np.isnan(raw)]
    if len(np.unique(seen)) > 1:
        assert telling(raw)[np.nanargmin(raw)]


def test_wall_is_drawn_in_by_the_width_of_the_others():
    raw = np.append([0.0, 1.0, 2.0], np.full(9, 50.0))  # of median 1 beside the wall
    drawn = np.append([0.0, 1.0, 1.0 + np.log(2.0)], np.full(9, 1.0 + np.log(50.0)))
    assert_allclose(LogTail(least=1.0)(raw), Standardized()(drawn))


@given(raw=FEW_LEVELS)
def test_values_keep_their_order_beside_a_wall(raw):
    seen = np.where(np.isnan(raw), 7.0, raw)
    assert np.all(np.diff(LogTail(least=1.0)(raw)[np.argsort(np.where(np.isnan(raw), np.inf, seen))]) >= 0.0)
