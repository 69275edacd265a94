"""The window: a part of a region, cut off where the region ends."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Region
from rembo.embedding import Window

REGION = Region(3, 1.0)
WINDOW = Window(np.array([-1.0, 0.0, 0.25]), np.array([-0.5, 1.0, 0.25]))


def test_window_reaches_as_far_as_its_half_widths():
    window = REGION.window(np.array([0.0, 0.25, -0.25]), np.array([0.125, 0.5, 0.25]))
    assert_array_equal(window.low, [-0.125, -0.25, -0.5])
    assert_array_equal(window.high, [0.125, 0.75, 0.0])


def test_window_ends_where_the_region_ends():
    window = REGION.window(np.array([0.75, -0.75, 1.0]), np.full(3, 0.5))
    assert_array_equal(window.low, [0.25, -1.0, 0.5])
    assert_array_equal(window.high, [1.0, -0.25, 1.0])


def test_wide_window_is_the_whole_region():
    window = REGION.window(np.array([0.5, -1.0, 1.0]), np.full(3, 100.0))
    assert_array_equal([window.low, window.high], [REGION.low, REGION.high])


@pytest.mark.parametrize("dim", [1, 3, 64])
def test_window_has_the_dimension_of_its_corners(dim):
    assert Region(dim, 2.0).window(np.zeros(dim), np.ones(dim)).dim == dim


def test_clipped_points_are_the_nearest_of_the_window():
    clipped = WINDOW.clip(np.array([[-9.0, 9.0, 9.0], [-0.75, 0.5, 0.25]]))
    assert_array_equal(clipped, [[-1.0, 1.0, 0.25], [-0.75, 0.5, 0.25]])
