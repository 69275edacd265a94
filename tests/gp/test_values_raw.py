"""Values as they are."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Box, Raw, Rembo, Standardized


def test_raw_values_are_as_they_were():
    assert_array_equal(Raw()(np.array([3.0, -1e6, 0.5])), [3.0, -1e6, 0.5])


def test_failure_counts_as_the_worst_raw_value():
    assert_array_equal(Raw()(np.array([3.0, math.nan, 7.0])), [3.0, 7.0, 7.0])


@pytest.mark.parametrize("raw", [[], [math.nan], [math.nan, math.nan]], ids=str)
def test_raw_values_are_zero_where_nothing_is_known(raw):
    assert_array_equal(Raw()(np.array(raw, dtype=float)), np.zeros(len(raw)))


def test_squares_of_raw_values_do_not_overflow():
    assert np.isfinite(Raw()(np.array([1e308, -1e308])) ** 2).all()


def asked(values, unit):
    """The points of a search, of which f is told in this unit."""
    optimizer = Rembo(Box(10), 2, values=values, seed=0)
    for _ in range(8):
        trial = optimizer.ask()
        optimizer.tell(trial, unit * float(np.sin(3.0 * trial.x[1]) + trial.x[7] ** 2))
    return np.array([trial.y for trial in optimizer.trials])


def test_search_with_raw_values_depends_on_their_unit_and_with_standardised_ones_it_does_not():
    assert np.abs(asked(Raw(), 1.0) - asked(Raw(), 64.0)).max() > 0.01
    assert_array_equal(asked(Standardized(), 1.0), asked(Standardized(), 64.0))
