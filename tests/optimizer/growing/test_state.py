"""What a state keeps when its forest grows, and which of its models is in force."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from states import FOREST, SCALES, SPACE, directions, state_of

from rembo import Bool, Box, Integer, Point, Space
from rembo.embedding import Forest, Layout
from rembo.kernel import Leaves
from rembo.optimizer.trust_region import TrustRegion


def refined(state, forest, space=SPACE):
    return state.refined(forest, Leaves.of(space, forest))


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("split", [[0], [1, 3], [0, 1, 2, 3]], ids=str)
def test_refined_state_keeps_its_points(split, number):
    state = state_of([3.0, 1.0, math.nan])
    after = refined(state, FOREST.split(split))
    assert_array_equal(Point(after.forest, after.data.Y[number])[:], Point(FOREST, state.data.Y[number])[:])


def mixed():
    space = Space({"w": Box(3, low=0.0, high=1.0), "n": Integer(1, 8), **{name: Bool() for name in "abcd"}})
    center = Point(Forest.planted(Layout.of(space), 4, seed=2), np.full(8, 0.3))
    return space, Forest.planted(Layout.of(space), 2, seed=1, choices=2, center=center)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_refined_state_keeps_its_points_of_a_mixed_space(number):
    space, forest = mixed()
    state = state_of([3.0, 1.0, 2.0], forest, space)
    after = refined(state, forest.split(np.flatnonzero(forest.sizes > 1)), space)
    found, told = (space.decode(Point(each.forest, each.data.Y[number])) for each in (after, state))
    assert_allclose(found.pop("w"), told.pop("w"), atol=1e-12)
    assert found == told


def test_refined_state_keeps_its_values():
    values = [3.0, math.nan, 1.0]
    assert_array_equal(refined(state_of(values), FOREST.split([2])).data.values, values)


def test_refined_state_inherits_length_scales():
    after = refined(state_of([1.0, 2.0]), FOREST.split([0, 2]))
    assert_array_equal(after.lengths, SCALES[after.forest.ancestors(FOREST)])


def test_refined_state_begins_anew_but_for_its_progress():
    worn = state_of([1.0], trust=TrustRegion(0.1), since_growth=9, since_progress=17)
    after = refined(worn, FOREST.split([0]))
    assert (after.trust, after.since_growth, after.since_progress) == (TrustRegion(), 0, 17)


def test_refined_state_inherits_directions():
    state = state_of([1.0, 2.0], directions=directions(), advantage=1.0)
    after = refined(state, FOREST.split([0, 2]))
    assert_allclose(after.data.Y @ after.directions.W, state.data.Y @ state.directions.W, atol=1e-12)


def test_refined_state_inherits_directions_when_coordinates_become_alone():
    """A coordinate alone in its leaf sheds the sign that it had in a shared one, so its row of W must turn, too."""
    forest = Forest.planted(Layout.numbers(6), 4, seed=1)
    state = state_of([1.0, 2.0], forest, Box(6), directions=directions(), advantage=1.0)
    after = refined(state, forest.split(np.flatnonzero(forest.sizes > 1)), Box(6))
    assert_allclose(after.data.Y @ after.directions.W, state.data.Y @ state.directions.W, atol=1e-12)


def test_best_value_and_spread_leave_out_failures():
    state = state_of([5.0, math.nan, 1.0, 4.0])
    assert (state.successes, state.best, state.spread) == (3, 1.0, 3.0)  # from 1 to the median, 4


def test_spread_leaves_out_a_wall():
    assert state_of([9.0, 9.0, 9.0, 1.0, 2.0, 4.0]).spread == 1.0  # from 1 to the median beside the wall, 2


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]], ids=str)
def test_state_without_a_value_has_none_that_is_best(values):
    state = state_of(values)
    assert (state.successes, state.best, state.spread) == (0, math.inf, 0.0)


@pytest.mark.parametrize("values", [[1.6e308, -1e300, 1.6e308], [1e-320, 2e-320]], ids=str)
def test_spread_of_values_of_any_finite_size_is_finite(values):
    assert 0.0 <= state_of(values).spread < math.inf


@pytest.mark.parametrize(("advantage", "rotated"), [(-1.0, False), (0.0, False), (1.0, True)])
def test_state_is_rotated_when_directions_have_the_advantage(advantage, rotated):
    assert (state_of([1.0], directions=directions(), advantage=advantage).rotation is not None) is rotated


def test_state_without_directions_is_not_rotated():
    assert state_of([1.0], advantage=1.0).rotation is None


def test_extents_are_those_of_the_model_in_force():
    axes, turned = (state_of([1.0], directions=directions(), advantage=advantage) for advantage in (-1.0, 1.0))
    assert_array_equal(axes.extents, SCALES)
    assert_array_equal(turned.extents, directions().extents)


def test_kernel_is_that_of_the_model_in_force():
    axes, turned = (state_of([1.0], directions=directions(), advantage=advantage) for advantage in (-1.0, 1.0))
    Y = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 4))
    assert_array_equal(axes.kernel.features(Y), Y)
    assert_array_equal(turned.kernel.features(Y), Y @ directions().W)
