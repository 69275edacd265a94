"""The bounded region Y: the paper's box, the epsilon rule and the radius of Theorem 3."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Region, epsilon_region, paper_region, theorem_radius


@pytest.mark.parametrize("d", [1, 2, 4, 9, 50])
def test_paper_region_is_the_root_of_d_wide(d):
    assert paper_region(d) == Region(d, math.sqrt(d))


@pytest.mark.parametrize(("effective_dim", "epsilon", "half_width"), [(1, 0.5, 2.0), (2, 0.1, 10.0), (1, 1.0, 1.0)])
def test_epsilon_region_is_one_over_epsilon_below_three_dimensions(effective_dim, epsilon, half_width):
    assert epsilon_region(effective_dim, epsilon) == Region(effective_dim, half_width)


@pytest.mark.parametrize("effective_dim", [3, 10, 50])
def test_epsilon_region_grows_with_the_logarithm_of_the_dimension(effective_dim):
    assert epsilon_region(effective_dim, 0.25).half_width == pytest.approx(4.0 * math.log(effective_dim))


@pytest.mark.parametrize("d", [3, 4, 10, 50])
def test_epsilon_rule_gives_the_papers_region_at_its_epsilon(d):
    assert epsilon_region(d, math.log(d) / math.sqrt(d)).half_width == pytest.approx(paper_region(d).half_width)


@pytest.mark.parametrize(("effective_dim", "epsilon", "radius"), [(1, 0.5, 2.0), (4, 0.5, 8.0), (10, 0.1, 100.0)])
def test_theorem_radius_is_the_dimension_over_epsilon(effective_dim, epsilon, radius):
    assert theorem_radius(effective_dim, epsilon) == pytest.approx(radius)


@pytest.mark.parametrize(("norm", "radius"), [(0.0, 0.0), (1.0, 4.0), (0.5, 2.0)])
def test_theorem_radius_is_proportional_to_the_norm_of_the_optimum(norm, radius):
    assert theorem_radius(4, 0.5, optimum_norm=norm) == pytest.approx(radius)


@pytest.mark.parametrize(
    ("y", "inside"),
    [
        ([0.0, 0.0], True),
        ([1.5, -1.5], True),
        ([1.5000001, 0.0], False),
        ([0.0, -2.0], False),
        ([math.nan, 0.0], False),
    ],
)
def test_region_contains_its_own_points_border_included(y, inside):
    assert Region(2, 1.5).contains(np.array(y)) is inside


def test_center_of_the_region_is_the_origin():
    assert_array_equal(Region(3, 2.0).center, np.zeros(3))


def test_clipped_points_are_the_nearest_of_the_region():
    clipped = Region(2, 1.5).clip(np.array([[0.5, -9.0], [1.6, 1.5]]))
    assert clipped.tolist() == [[0.5, -1.5], [1.5, 1.5]]


@pytest.mark.parametrize("dim", [1, 2, 20])
def test_sobol_points_fill_the_region(dim):
    points = Region(dim, 3.0).sobol(256, np.random.default_rng(0))
    assert points.shape == (256, dim)
    assert np.abs(points).max() <= 3.0
    assert np.abs(points).max() > 2.9


def test_sobol_points_put_equal_numbers_into_halves():
    points = Region(3, 3.0).sobol(256, np.random.default_rng(0))
    assert (points < 0.0).sum(axis=0).tolist() == [128, 128, 128]


def test_sobol_points_are_those_of_the_generator():
    region = Region(2, 1.0)
    first, again, other = (region.sobol(8, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("half_width", [0.0, -1.0, math.inf, math.nan])
def test_region_without_an_inside_is_refused(half_width):
    with pytest.raises(ValueError, match=f"half_width {half_width} must be positive and finite"):
        Region(2, half_width)


@pytest.mark.parametrize("dim", [0, -1])
def test_region_without_dimensions_is_refused(dim):
    with pytest.raises(ValueError, match=f"Region dim {dim} must be at least 1"):
        Region(dim, 1.0)


@pytest.mark.parametrize("rule", [epsilon_region, theorem_radius])
@pytest.mark.parametrize("epsilon", [0.0, -0.1, 1.1, math.nan])
def test_epsilon_that_is_no_probability_is_refused(rule, epsilon):
    with pytest.raises(ValueError, match=f"epsilon {epsilon} is a probability: it must lie above 0 and not above 1"):
        rule(4, epsilon)


@pytest.mark.parametrize("rule", [epsilon_region, theorem_radius])
@pytest.mark.parametrize("effective_dim", [0, -4])
def test_effective_dimension_below_one_is_refused_by_name(rule, effective_dim):
    with pytest.raises(ValueError, match=f"dim.*{effective_dim}"):
        rule(effective_dim, 0.5)


def test_paper_region_without_dimensions_is_refused():
    with pytest.raises(ValueError, match="Region dim 0 must be at least 1"):
        paper_region(0)
