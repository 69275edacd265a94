"""The parts of a descent: what Growth refuses, how far a trust region reaches, what a state keeps when it grows."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Bool, Box, Float, Growth, Integer, LogExpectedImprovement, Point, Space, Trial, condition
from rembo.embedding import Forest, Layout, Region
from rembo.gp import Data, Noise
from rembo.kernel import Leaves
from rembo.learning import Hyperparameters, LengthScale
from rembo.optimizer.descent import Descent, State, Unseen, axes_kernel, forest_of
from rembo.optimizer.directions import Directions
from rembo.optimizer.growing import Growth as GrowthOfTheOptimizer
from rembo.optimizer.trust_region import TrustRegion

# Growth


def test_growth_stands_in_the_package():
    assert GrowthOfTheOptimizer is Growth


COUNTS = (
    "bins",
    "least_shared",
    "choices",
    "design",
    "explore_every",
    "polish_every",
    "stuck",
    "stalled",
    "least_splits",
)


@pytest.mark.parametrize("name", COUNTS)
def test_growth_of_a_count_below_one_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} 0 must be at least 1"):
        Growth(**{name: 0})


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"most_bins": 7}, "most_bins 7 must be at least 8"),
        ({"bins": 65}, "most_bins 64 must be at least 65"),
        ({"patience": -1}, "patience -1 must be at least 0"),
        ({"most_data": 7}, "most_data 7 must be at least 8"),
        ({"share": 0.0}, r"share 0\.0 .* must lie above 0 and not above 1"),
        ({"share": 1.5}, r"share 1\.5 .* must lie above 0 and not above 1"),
        ({"share": math.nan}, "share nan .* must lie above 0 and not above 1"),
        ({"exhausted": math.nan}, "exhausted nan must be a logarithm of an expected improvement"),
        ({"hopeless": math.nan}, "hopeless nan must be a logarithm of an expected improvement"),
    ],
    ids=str,
)
def test_growth_out_of_range_is_refused(settings, named):
    with pytest.raises(ValueError, match=named):
        Growth(**settings)


@pytest.mark.parametrize("value", [-0.5, math.nan])
@pytest.mark.parametrize("name", ["dense", "collision", "coarse", "polished", "progress", "polishing"])
def test_growth_of_a_negative_part_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} {value} must not be negative"):
        Growth(**{name: value})


@pytest.mark.parametrize("name", [*COUNTS, "most_bins", "patience", "most_data"])
def test_growth_that_is_no_whole_number_is_refused(name):
    with pytest.raises(TypeError, match=rf"{name} must be a whole number, not 8\.5"):
        Growth(**{name: 8.5})


# The trust region


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


def windowed(extents, leaves, at=0.0):
    """The trust region's window around a point whose coordinates are all alike."""
    d = len(extents)
    return TrustRegion(0.2).window(np.full(d, at), np.array(extents), leaves, Region(d, 1.0))


def test_window_is_longer_where_the_extents_are():
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


# The state

FOREST = Forest.planted(Layout.numbers(40), 4, seed=1)
SPACE = Box(40)
SCALES = np.array([0.5, 1.0, 2.0, 4.0])


def learned(lengths):
    """Length scales, and any c, a and b."""
    return Hyperparameters(LengthScale(np.append(lengths, [2.0, 0.5, 0.5])), 1e-6)


def state_of(values, forest=FOREST, space=SPACE, **settings):
    """A state that has seen these values at random points."""
    d = forest.embedding_dim
    leaves = Leaves.of(space, forest)
    data = Data(leaves.snap(np.random.default_rng(0).uniform(-1.0, 1.0, (len(values), d))), np.array(values))
    return State(forest, leaves, data, learned(np.resize(SCALES, d)), **settings)


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


def directions(d=4):
    return Directions(np.random.default_rng(4).normal(size=(d, 2)), -3.0, 1e-8)


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


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]], ids=str)
def test_state_without_a_value_has_none_that_is_best(values):
    state = state_of(values)
    assert (state.successes, state.best, state.spread) == (0, math.inf, 0.0)


@pytest.mark.parametrize("values", [[1.6e308, -1e300, 1.6e308], [1e-320, 2e-320]], ids=str)
def test_spread_of_values_of_any_finite_size_is_finite(values):
    assert 0.0 <= state_of(values).spread < math.inf


@pytest.mark.parametrize(("advantage", "rotated"), [(-1.0, False), (0.0, False), (1.0, True)])
def test_state_is_rotated_when_directions_have_the_advantage(advantage, rotated):
    assert state_of([1.0], directions=directions(), advantage=advantage).rotated is rotated


def test_state_without_directions_is_not_rotated():
    assert not state_of([1.0], advantage=1.0).rotated


def test_extents_are_those_of_the_model_in_force():
    axes, turned = (state_of([1.0], directions=directions(), advantage=advantage) for advantage in (-1.0, 1.0))
    assert_array_equal(axes.extents, SCALES)
    assert_array_equal(turned.extents, directions().extents)


def test_kernel_is_that_of_the_model_in_force():
    axes, turned = (state_of([1.0], directions=directions(), advantage=advantage) for advantage in (-1.0, 1.0))
    Y = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 4))
    assert_array_equal(axes.kernel.features(Y), Y)
    assert_array_equal(turned.kernel.features(Y), Y @ directions().W)


# A descent


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


def test_shares_sum_to_one_within_their_range():
    ours = descent()
    for number in range(8):
        point = ours.suggest(number, [])
        ours.observe(Trial(number, None, point, value=float(point.y[0])))
    shares = ours.shares()
    assert shares.share.sum() == pytest.approx(1.0)
    assert (shares.low <= shares.share).all()
    assert (shares.share <= shares.high).all()


# Unseen


def improvement(Y):
    """Log expected improvement after two bits were tried."""
    kernel = axes_kernel(Leaves(np.array([2, 2]), {}))
    posterior = condition(kernel, Y, np.array([0.3, -0.2]), 1e-6)
    return LogExpectedImprovement().score(posterior, -0.2, Region(2, 1.0), np.random.default_rng(0))


SEEN = np.array([[-0.5, -0.5], [0.5, -0.5]])
OTHERS = np.array([[-0.5, 0.5], [0.5, 0.5]])


def test_score_is_minus_infinity_where_f_was_asked():
    unseen = Unseen(improvement(SEEN), frozenset(row.tobytes() for row in SEEN))
    assert_array_equal(unseen(SEEN), [-np.inf, -np.inf])


def test_score_is_as_it_was_where_f_was_not_asked():
    score = improvement(SEEN)
    assert_array_equal(Unseen(score, frozenset(row.tobytes() for row in SEEN))(OTHERS), score(OTHERS))


def test_gradient_of_an_unseen_score_leads_nowhere_among_choices():
    unseen = Unseen(improvement(SEEN), frozenset())
    assert not unseen.with_gradient(OTHERS).gradients.any()


def test_space_of_floats_leaves_nothing_to_snap():
    space = Space({"a": Float(0.0, 1.0), "b": Float(1.0, 2.0)})
    assert Leaves.of(space, Forest.planted(Layout.of(space), 2, seed=0)).continuous.all()
