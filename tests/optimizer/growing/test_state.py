"""What a state keeps when its forest grows, what it counts, and what is a gain."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from states import FOREST, SPACE, state_of

from rembo import Bool, Box, Growth, IdentityEmbedding, Integer, Point, Space, Trial
from rembo.embedding import Forest, Layout
from rembo.optimizer import Origin
from rembo.optimizer.growing.state import State, forest_of, value_of


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("split", [[0], [1, 3], [0, 1, 2, 3]], ids=str)
def test_refined_state_keeps_its_points(split, number):
    state = state_of([3.0, 1.0, math.nan])
    after = state.refined(SPACE, FOREST.split(split))
    assert_array_equal(Point(after.forest, after.data.Y[number])[:], Point(FOREST, state.data.Y[number])[:])


def mixed():
    space = Space({"w": Box(3, low=0.0, high=1.0), "n": Integer(1, 8), **{name: Bool() for name in "abcd"}})
    center = Point(Forest.planted(Layout.of(space), 4, seed=2), np.full(8, 0.3))
    return space, Forest.planted(Layout.of(space), 2, seed=1, choices=2, center=center)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_refined_state_keeps_its_points_of_a_mixed_space(number):
    space, forest = mixed()
    state = state_of([3.0, 1.0, 2.0], forest, space)
    after = state.refined(space, forest.split(np.flatnonzero(forest.sizes > 1)))
    found, told = (space.decode(Point(each.forest, each.data.Y[number])) for each in (after, state))
    assert_allclose(found.pop("w"), told.pop("w"), atol=1e-12)
    assert found == told


def test_refined_state_keeps_its_values():
    values = [3.0, math.nan, 1.0]
    assert_array_equal(state_of(values).refined(SPACE, FOREST.split([2])).data.values, values)


def test_refined_state_begins_anew_but_for_its_progress():
    worn = state_of([1.0], since_growth=9, since_progress=17, model_free=1)
    after = worn.refined(SPACE, FOREST.split([0]))
    assert (after.since_growth, after.since_progress) == (0, 17)
    assert after.model_free == 1


def test_state_refined_by_its_own_forest_is_the_same():
    state = state_of([1.0], since_growth=9)
    assert state.refined(SPACE, FOREST) is state


@pytest.mark.parametrize(
    ("parameters", "only"),
    [
        ({name: Bool() for name in "abc"}, True),
        ({"a": Bool(), "n": Integer(1, 8)}, False),
        ({"a": Bool(), "w": Box(3)}, False),
    ],
    ids=["choices", "a whole number", "numbers"],
)
@pytest.mark.parametrize("near", [None, True])
def test_whole_numbers_are_no_choices(parameters, only, near):
    space = Space(parameters)
    center = Point(IdentityEmbedding(space.size), np.zeros(space.size))
    forest = Forest.planted(Layout.of(space), 1, seed=1, choices=1, center=center, near=near)
    assert State.of(space, forest).only_choices is only


def test_state_before_any_observation_is_empty():
    state = State.of(SPACE, FOREST)
    assert (len(state.data), state.dim, state.successes, state.best) == (0, 4, 0, math.inf)


def test_best_value_and_spread_leave_out_failures():
    state = state_of([5.0, math.nan, 1.0, 4.0])
    assert (state.successes, state.best, state.spread) == (3, 1.0, 3.0)  # from 1 to the median, 4


def test_spread_leaves_out_censored_values():
    assert state_of([9.0, 9.0, 9.0, 1.0, 2.0, 4.0]).spread == 1.0  # from 1 to the median of the others, 2


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]], ids=str)
def test_state_without_a_value_has_none_that_is_best(values):
    state = state_of(values)
    assert (state.successes, state.best, state.spread) == (0, math.inf, 0.0)


@pytest.mark.parametrize("values", [[1.6e308, -1e300, 1.6e308], [1e-320, 2e-320]], ids=str)
def test_spread_of_values_of_any_finite_size_is_finite(values):
    assert 0.0 <= state_of(values).spread < math.inf


@pytest.mark.parametrize(
    ("value", "part", "improved"),
    [(0.9, 0.0, True), (1.0, 0.0, False), (0.9, 0.1, False), (0.6, 0.1, True), (math.nan, 0.0, False)],
)
def test_improvement_is_measured_by_the_way_from_the_best_to_the_median(value, part, improved):
    assert state_of([5.0, 1.0, 4.0]).improved_by(value, part) is improved  # from 1 to 4: a tenth is 0.3


@pytest.mark.parametrize(("value", "improved"), [(7.0, True), (math.nan, False)])
def test_first_value_is_an_improvement(value, improved):
    assert state_of([math.nan]).improved_by(value, 0.5) is improved


def test_improvement_from_pole_to_pole_does_not_overflow():
    assert state_of([1.7e308, 1.6e308]).improved_by(-1.7e308, 0.01)


# One observation more


def trial_at(y, value, origin=Origin.EXPLOIT, forest=FOREST):
    return Trial(0, None, Point(forest, np.asarray(y)), value=value, origin=origin)


def observed(state, trial, progress=0.01):
    """The state after a trial, its counts included."""
    return state.with_observation(trial).counted(state, trial, Growth(progress=progress))


def test_observation_of_a_coarser_forest_is_lifted():
    finer = state_of([1.0, 2.0]).refined(SPACE, FOREST.split([1]))
    after = finer.with_observation(trial_at([0.1, 0.2, 0.3, 0.4], 3.0))
    assert_array_equal(Point(after.forest, after.data.Y[-1])[:], Point(FOREST, np.array([0.1, 0.2, 0.3, 0.4]))[:])
    assert after.data.values[-1] == 3.0


@pytest.mark.parametrize(("origin", "model_free"), [(Origin.HURRIED, 1), (Origin.EXPLORE, 0), (Origin.GIVEN, 0)])
def test_model_free_observations_are_counted(origin, model_free):
    assert state_of([1.0]).with_observation(trial_at(np.zeros(4), 2.0, origin)).model_free == model_free


@pytest.mark.parametrize(("value", "since"), [(0.5, 0), (0.99, 4), (2.0, 4), (None, 4)])
def test_progress_is_an_improvement_by_a_part_of_the_spread(value, since):
    before = state_of([5.0, 1.0, 4.0], since_progress=3)
    assert observed(before, trial_at(np.zeros(4), value), progress=0.1).since_progress == since


def test_every_observation_is_counted_since_growth():
    assert observed(state_of([5.0, 1.0], since_growth=2), trial_at(np.zeros(4), None)).since_growth == 3


# What a step gained


@pytest.mark.parametrize(("value", "gains"), [(0.0, True), (0.15, False), (1.0, False), (math.nan, False)])
def test_gain_is_a_tenth_of_the_way_from_the_best_value_to_the_third_best(value, gains):
    state = state_of([1e6, 50.0, 10.0, 1.0, 5.0])  # 10, the third-best, is 9 above the best
    assert state.gained_by(value) is gains


def test_no_gain_overflows_where_values_are_huge():
    assert state_of([1.7e308, -1.7e308]).gained_by(-1.0) is False


@pytest.mark.parametrize("values", [[], [1.0], [math.nan, 1.0]], ids=str)
def test_nothing_is_gained_on_a_single_value(values):
    assert state_of(values).gained_by(-5.0) is False


@pytest.mark.parametrize("origin", [Origin.EXPLOIT, Origin.EXPLORE, Origin.GROW, Origin.MUTATE, Origin.HURRIED])
def test_polishing_comes_next_after_any_other_improvement(origin):
    before = state_of([5.0, 1.0, 4.0])
    found = [observed(before, trial_at(np.zeros(4), value, origin)).polish_next for value in (0.99, 1.0, 2.0, None)]
    assert found == [True, False, False, False]


@pytest.mark.parametrize(("value", "again"), [(0.0, True), (0.99, False), (2.0, False), (None, False)])
def test_polishing_comes_next_after_polishing_that_gained(value, again):
    before = state_of([5.0, 1.0, 4.0])
    assert observed(before, trial_at(np.zeros(4), value, Origin.POLISH)).polish_next is again


@pytest.mark.parametrize("whole", [False, True])
def test_polishing_that_gains_nothing_moves_other_bins_next_time(whole):
    before = state_of([5.0, 1.0, 4.0], polish_all=whole)
    assert observed(before, trial_at(np.zeros(4), 2.0, Origin.POLISH)).polish_all is not whole


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("value", "origin"), [(0.0, Origin.POLISH), (2.0, Origin.EXPLOIT), (None, Origin.EXPLORE)])
def test_polishing_goes_on_as_it_does_otherwise(whole, value, origin):
    before = state_of([5.0, 1.0, 4.0], polish_all=whole)
    assert observed(before, trial_at(np.zeros(4), value, origin)).polish_all is whole


def test_forest_of_a_trial_is_the_one_it_was_asked_in():
    assert forest_of(trial_at(np.zeros(4), 1.0)) == FOREST


def test_value_of_a_failed_trial_is_not_a_number():
    assert math.isnan(value_of(trial_at(np.zeros(4), None)))


def test_inherited_observations_are_known_and_not_its_own():
    told = [Trial(number, None, Point(FOREST, y), value=float(number)) for number, y in enumerate(np.eye(4) / 2.0)]
    state = State.of(SPACE, FOREST, told)
    assert_array_equal(state.known.Y, np.eye(4) / 2.0)
    assert len(state.data) == 0
    assert state.best == math.inf


def test_inherited_observations_stay_the_same_points_in_a_finer_forest():
    told = [Trial(number, None, Point(FOREST, y), value=float(number)) for number, y in enumerate(np.eye(4) / 2.0)]
    finer = FOREST.split([0, 2])
    refined = State.of(SPACE, FOREST, told).refined(SPACE, finer)
    assert_array_equal(refined.known.Y, finer.lift(np.eye(4) / 2.0, FOREST))
