"""Joint failures of several boxes: how they are counted, compared and drawn."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from box_simulation import failures
from failure_probability import MOST_RUNS, measure, outside_the_interval, together
from harness.measured import digits


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [1, 1, 0, 1, 1, 1, 1]), (2, [1, 0, 1]), (3, [0, 1]), (4, [0]), (7, [0])]
)
def test_runs_fail_together_when_each_of_them_does(k, expected):
    failed = np.array([1, 1, 0, 1, 1, 1, 1], dtype=bool)
    assert_array_equal(together(failed, k), np.array(expected, dtype=bool))


def test_formula_is_the_measured_rate_to_the_power_of_runs():
    found = measure(2, boxes=2000)
    assert found["formula"] == [digits(found["delta"] ** k) for k in range(1, MOST_RUNS + 1)]


def test_measured_groups_use_each_box_once():
    assert [group["of"] for group in measure(2, boxes=2000)["measured"][:3]] == [2000, 1000, 666]


def test_number_of_runs_is_named_when_its_interval_misses_the_formula():
    found = {"formula": [0.3, 0.09], "measured": [failures(300, 1000), failures(200, 1000)]}
    assert outside_the_interval(found) == [2]


def test_box_of_four_dimensions_fails_less_often_than_that_of_two():
    assert measure(4, boxes=5000)["delta"] < 0.1 * measure(2, boxes=5000)["delta"]
