"""How far a trust region reaches, and how that changes with success."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Integer
from rembo.embedding import Region
from rembo.kernel import Leaves
from rembo.optimizer.growing.trust_region import TrustRegion


def followed(outcomes, bins=4):
    """The trust region after a row of successes and failures."""
    trust = TrustRegion()
    for improved in outcomes:
        trust = trust.after(improved, bins)
    return trust


@pytest.mark.parametrize(
    ("outcomes", "half_width"),
    [([True] * 2, 0.8), ([True] * 3, 1.6), ([True] * 6, 1.6), ([True, True, False, True], 0.8)],
)
def test_three_successes_in_a_row_double_the_trust_region(outcomes, half_width):
    assert followed(outcomes).half_width == half_width


@pytest.mark.parametrize(("bins", "failures"), [(1, 4), (4, 4), (7, 7), (10, 10), (64, 10)])
def test_as_many_failures_as_bins_halve_the_trust_region(bins, failures):
    assert followed([False] * (failures - 1), bins).half_width == 0.8
    assert followed([False] * failures, bins).half_width == 0.4


def test_trust_region_starts_again_when_it_became_too_narrow():
    assert followed([False] * 16).half_width == 0.05
    assert followed([False] * 20).half_width == 0.8  # 0.025 would lie below 2^-5


def windowed(lengths, leaves, at=0.0):
    """The trust region's window around a point whose coordinates are all alike."""
    d = len(lengths)
    return TrustRegion(0.2).window(np.full(d, at), np.array(lengths), leaves, Region(d, 1.0))


def test_window_is_longer_where_the_length_scales_are():
    window = windowed([0.5, 2.0], Leaves.numbers(2))
    assert_allclose(window.high, [0.1, 0.4])
    assert_allclose(window.low, [-0.1, -0.4])


def test_window_is_at_most_four_times_as_long():
    assert windowed([0.03, 0.03, 100.0], Leaves.numbers(3)).high[2] == pytest.approx(0.8)


def test_window_ends_at_the_border_of_the_region():
    window = windowed([1.0, 1.0], Leaves.numbers(2), at=0.9)
    assert_array_equal(window.high, [1.0, 1.0])
    assert_allclose(window.low, [0.7, 0.7])


def test_window_does_not_confine_choices_and_lone_whole_numbers():
    window = windowed([1.0, 1.0, 1.0], Leaves(np.array([0, 3, 0]), {2: Integer(0, 9)}), at=0.9)
    assert_array_equal(window.low[1:], [-1.0, -1.0])
    assert_array_equal(window.high[1:], [1.0, 1.0])
