"""The parts of a descent: its design, its forests, and what it says of f."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from states import FOREST, SPACE, directions, learned, state_of

from rembo import Categorical, Float, Growth, Point, Space, Trial
from rembo.embedding import Forest, Layout
from rembo.gp import Data, Noise
from rembo.kernel import Leaves
from rembo.optimizer import Origin
from rembo.optimizer.descent import Descent, forest_of
from rembo.optimizer.state import State


def descent(forest=FOREST):
    return Descent(SPACE, forest, Growth(), Noise(1e-8, 1e-8), seed=3)


@pytest.mark.parametrize(("bins", "design"), [(2, 6), (4, 6), (8, 8), (40, 13)])
def test_design_is_longer_where_many_bins_are_to_be_told_apart(bins, design):
    assert descent(Forest.planted(Layout.numbers(40), bins, seed=1)).design == design


def test_first_point_of_a_descent_is_the_centre():
    assert_array_equal(descent().suggest(0, []).y, FOREST.origin)


def test_design_of_a_descent_has_distinct_points():
    asked = [tuple(descent().suggest(turn, []).y) for turn in range(6)]
    assert len(set(asked)) == 6


CHOICES = Space({name: Categorical(range(9)) for name in "abcd"})
A_BIN_EACH = Forest.planted(Layout.of(CHOICES), 4, seed=1, choices=4)


def among_choices():
    return Descent(CHOICES, A_BIN_EACH, Growth(), Noise(1e-8, 1e-8), seed=3)


def told(ours, *values):
    """The descent after it was told these values at the points that it asked."""
    for number, value in enumerate(values):
        ours.observe(Trial(number, None, ours.suggest(number, []), value=None if math.isnan(value) else value))
    return ours


def in_design(make, *values):
    """Whether the next point is one of the design, which goes on while everything fails."""
    failed = told(make(), *[math.nan] * len(values))
    return np.array_equal(told(make(), *values).suggest(len(values), []).y, failed.suggest(len(values), []).y)


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ([6.0, 5.0, 4.0, 3.0, 2.0, 1.0], False),
        ([6.0, 6.0, 4.0, 3.0, 2.0, 1.0], True),
        ([6.0, math.nan, 4.0, 3.0, 2.0, 1.0], True),
        ([6.0, 6.0, 4.0, 3.0, 2.0, 1.0, 5.0], True),
        ([6.0, 6.0, 4.0, 3.0, 2.0, 1.0, 5.0, 5.5], False),
    ],
    ids=str,
)
def test_design_among_choices_goes_on_until_as_many_values_tell_something(values, more):
    assert in_design(among_choices, *values) is more


@pytest.mark.parametrize(("count", "more"), [(23, True), (24, False)])
def test_design_of_values_that_tell_nothing_ends(count, more):
    assert in_design(among_choices, 2.0, 1.0, *[3.0] * (count - 2)) is more


def test_design_among_numbers_does_not_wait_for_values_that_tell_something():
    assert not in_design(descent, 6.0, 6.0, 4.0, 3.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("scales", "dense"), [([1.0] * 4, True), ([1.0, 1.0, 1.0, 50.0], False), ([50.0] * 4, False)], ids=str
)
def test_function_is_dense_when_nearly_all_bins_matter(scales, dense):
    state = State(FOREST, Leaves.numbers(4), Data.empty(4), learned(scales))
    assert descent().dense(state) is dense


def test_function_of_few_directions_is_not_dense():
    assert not descent().dense(state_of([1.0], directions=directions(), advantage=1.0))


def test_forest_of_a_trial_is_the_one_it_was_asked_in():
    assert forest_of(Trial(0, None, Point(FOREST, np.zeros(4)))) == FOREST


def test_newest_forest_is_the_finest_of_the_pending_trials():
    finer, finest = FOREST.split([0]), FOREST.split([0, 1])
    pending = [
        Trial(number, None, Point(forest, np.zeros(forest.embedding_dim)))
        for number, forest in enumerate([finer, finest, FOREST])
    ]
    assert descent().newest_forest(pending) == finest


def observing(ours, numbers, origin):
    """A descent that is told of random points of this origin."""
    rng = np.random.default_rng(0)
    for number in numbers:
        point = Point(FOREST, rng.uniform(-1.0, 1.0, 4))
        ours.observe(Trial(number, None, point, value=float(point.y[0] ** 2), origin=origin))
    return ours.state


def test_model_is_not_learned_again_from_hurried_trials():
    ours = descent()
    assert observing(ours, range(8), Origin.ASKED).since_learning == 0
    assert observing(ours, range(8, 38), Origin.HURRIED).since_learning == 30


def test_model_is_learned_again_at_the_first_ask_after_hurried_trials():
    ours = descent()
    observing(ours, range(42), Origin.HURRIED)
    assert observing(ours, [42], Origin.ASKED).since_learning == 0


@pytest.mark.parametrize(("hurried", "most"), [(0, 512), (4, 512), (5, 128)])
def test_model_sees_fewer_observations_where_most_were_made_in_a_hurry(hurried, most):
    ours = descent()
    observing(ours, range(8 - hurried), Origin.ASKED)
    assert ours.most_data(observing(ours, range(8 - hurried, 8), Origin.HURRIED)) == most


def test_space_of_floats_leaves_nothing_to_snap():
    space = Space({"a": Float(0.0, 1.0), "b": Float(1.0, 2.0)})
    assert Leaves.of(space, Forest.planted(Layout.of(space), 2, seed=0)).continuous.all()
