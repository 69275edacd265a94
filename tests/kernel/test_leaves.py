"""Leaves: choices are the same or not, whole numbers lie where they round to, and neighbours are one exchange away."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Bool, Box, Categorical, Float, Integer, Point, Space
from rembo.embedding import Forest, Layout
from rembo.kernel import Leaves

SPACE = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "solver": Categorical(["adam", "sgd", "lbfgs"]),
        "layers": Integer(1, 8),
        "warm": Bool(),
        "width": Integer(1, 4096, log=True),
        "weights": Box(3),
        "loss": Categorical(["l1", "l2", "huber"]),
        "cold": Bool(),
        "kind": Categorical(range(5)),
    }
)
FINEST = Forest.planted(Layout.of(SPACE), SPACE.size, seed=2)
SHARED = Forest.planted(Layout.of(SPACE), 2, seed=2, choices=1)
every_forest = pytest.mark.parametrize("forest", [FINEST, SHARED], ids=["single leaves", "shared leaves"])
MIXED = Leaves(np.array([0, 3, 0, 2, 0, 5, 0]), {2: Integer(1, 8), 4: Integer(1, 4096, log=True)})
CHOICES = [2, 3, 4, 5, 10, 64]


def points(dim, n=50, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, dim))


def squared_distances(Z):
    return ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)


def middles(choices):
    return (2.0 * np.arange(choices) + 1.0) / choices - 1.0


def decoded(forest, y):
    value = SPACE.decode(Point(forest, y))
    return {name: np.asarray(entry).tolist() for name, entry in value.items()}


def lone(parameter):
    return Leaves(np.zeros(1, dtype=np.int64), {0: parameter})


def whole_neighbours(parameter, value):
    """The whole numbers that neighbours of a lone one stand for."""
    y = lone(parameter).snap(np.array([[parameter.position(value)]]))[0]
    return [parameter.value(u) for u in lone(parameter).neighbours(y)[:, 0]]


@pytest.mark.parametrize("choices", CHOICES)
def test_different_choices_have_distance_one(choices):
    Z = Leaves(np.array([choices]), {})(middles(choices)[:, None])
    assert_allclose(squared_distances(Z), 1.0 - np.eye(choices), rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("choices", CHOICES)
def test_distance_is_exactly_zero_anywhere_in_the_share_of_a_choice(choices):
    within = np.array([[-0.99], [0.0], [0.99]]) / choices + middles(choices)[-1]
    assert_array_equal(squared_distances(Leaves(np.array([choices]), {})(within)), np.zeros((3, 3)))


def test_distance_counts_the_choices_that_differ():
    leaves = Leaves(np.array([2, 3, 5]), {})
    Y = leaves.snap(points(3))
    differing = (Y[:, None, :] != Y[None, :, :]).sum(axis=2)
    assert_allclose(squared_distances(leaves(Y)), differing, rtol=0.0, atol=1e-14)


def test_choices_do_not_disturb_the_features_of_numbers():
    Y = points(7)
    assert_array_equal(MIXED(Y)[:, np.isin(MIXED.groups, [0, 6])], Y[:, [0, 6]])


def test_leaves_that_take_any_number_are_their_own_features():
    Y = points(4)
    assert_array_equal(Leaves.numbers(4)(Y), Y)


@pytest.mark.parametrize("parameter", [Integer(1, 8), Integer(-3, 3), Integer(1, 4096, log=True)], ids=str)
def test_whole_numbers_are_measured_where_they_round_to(parameter):
    u = points(1)
    expected = [[parameter.position(parameter.value(float(position)))] for (position,) in u]
    assert_allclose(lone(parameter)(u), expected, rtol=0.0, atol=1e-14)


def test_positions_of_one_whole_number_have_distance_zero():
    u = np.linspace(-0.999, -0.751, 5)[:, None]  # eight values have a share of 1/4 each
    assert_array_equal(squared_distances(lone(Integer(1, 8))(u)), np.zeros((5, 5)))


def test_groups_name_the_leaf_of_each_feature():
    assert_array_equal(MIXED.groups, [0, 1, 1, 1, 2, 3, 4, 5, 5, 5, 5, 5, 6])


def test_features_are_as_many_as_the_groups():
    assert MIXED(points(7)).shape == (50, len(MIXED.groups))


def test_features_of_no_points_are_none():
    assert MIXED(np.zeros((0, 7))).shape == (0, 13)


def test_features_leave_the_points_as_they_were():
    Y = points(7)
    MIXED(Y)
    assert_array_equal(Y, points(7))


def test_continuous_leaves_are_those_of_any_number():
    assert_array_equal(MIXED.continuous, [True, False, False, False, False, False, True])


@pytest.mark.parametrize("leaf", [0, 6])
def test_pull_back_equals_finite_differences_on_continuous_leaves(leaf):
    Y, weights, step = points(7), points(13, seed=1), 1e-6 * np.eye(7)[leaf]
    numeric = ((MIXED(Y + step) ** 2 - MIXED(Y - step) ** 2) * weights).sum(axis=1) / 2e-6
    pulled = MIXED.pull_back(Y, 2.0 * weights * MIXED(Y))[:, leaf]
    assert_allclose(pulled, numeric, rtol=0.0, atol=1e-9)  # rounding of 1e-16 divided by the step


def test_pull_back_is_zero_on_choices_and_whole_numbers():
    pulled = MIXED.pull_back(points(7), np.ones((50, 13)))
    assert_array_equal(pulled[:, 1:6], np.zeros((50, 5)))


def test_pull_back_passes_gradients_of_numbers_as_they_are():
    G = points(4, seed=1)
    assert_array_equal(Leaves.numbers(4).pull_back(points(4), G), G)


@every_forest
def test_snap_twice_is_snap_once(forest):
    leaves = Leaves.of(SPACE, forest)
    once = leaves.snap(points(forest.embedding_dim, 200))
    assert_array_equal(leaves.snap(once), once)


def test_snap_keeps_the_configuration_where_leaves_are_single():
    Y = points(FINEST.embedding_dim, 200)
    snapped = Leaves.of(SPACE, FINEST).snap(Y)
    assert [decoded(FINEST, y) for y in snapped] == [decoded(FINEST, y) for y in Y]


def test_snap_keeps_the_configuration_where_leaves_are_shared():
    Y = points(SHARED.embedding_dim, 200)
    snapped = Leaves.of(SPACE, SHARED).snap(Y)
    assert [decoded(SHARED, y) for y in snapped] == [decoded(SHARED, y) for y in Y]


def test_snap_leaves_continuous_leaves_alone():
    Y = points(7)
    assert_array_equal(MIXED.snap(Y)[:, MIXED.continuous], Y[:, MIXED.continuous])


def test_snap_makes_one_point_of_each_configuration():
    leaves = Leaves(np.array([2, 3, 0]), {2: Integer(1, 4)})
    assert len(np.unique(leaves.snap(points(3, 2000)), axis=0)) == 2 * 3 * 4


def test_snap_leaves_the_given_points_as_they_were():
    Y = points(7)
    MIXED.snap(Y)
    assert_array_equal(Y, points(7))


@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_snap_at_an_end_stays_in_the_cube(end):
    assert np.abs(MIXED.snap(np.full((1, 7), end))).max() <= 1.0


def test_leaves_of_a_space_know_its_lone_whole_numbers():
    leaves = Leaves.of(SPACE, FINEST)
    owners = {int(FINEST.members(leaf)[0]): parameter for leaf, parameter in leaves.whole.items()}
    assert owners == {2: Integer(1, 8), 4: Integer(1, 4096, log=True)}


def test_whole_numbers_that_share_a_leaf_are_continuous():
    leaves = Leaves.of(SPACE, SHARED)
    assert leaves.whole == {}
    assert_array_equal(leaves.continuous, [True, True, False, False, False])


def test_choices_of_the_leaves_are_those_of_the_forest():
    assert_array_equal(Leaves.of(SPACE, FINEST).choices, FINEST.choices)


def test_leaves_of_a_single_parameter_are_its_own():
    leaves = Leaves.of(Integer(3, 9), Forest.planted(Layout.of(Integer(3, 9)), 1, seed=0))
    assert leaves.whole == {0: Integer(3, 9)}


@every_forest
@pytest.mark.parametrize("seed", range(3))
def test_neighbours_differ_in_exactly_one_leaf(forest, seed):
    leaves = Leaves.of(SPACE, forest)
    y = leaves.snap(points(forest.embedding_dim, 1, seed))[0]
    assert_array_equal((leaves.neighbours(y) != y).sum(axis=1), 1)


@every_forest
@pytest.mark.parametrize("seed", range(3))
def test_neighbours_are_points_that_snap_leaves_alone(forest, seed):
    leaves = Leaves.of(SPACE, forest)
    Y = leaves.neighbours(leaves.snap(points(forest.embedding_dim, 1, seed))[0])
    assert_array_equal(leaves.snap(Y), Y)


@every_forest
def test_neighbours_lie_in_the_region(forest):
    leaves = Leaves.of(SPACE, forest)
    assert np.abs(leaves.neighbours(leaves.snap(np.ones((1, forest.embedding_dim)))[0])).max() <= 1.0


def test_neighbours_decode_to_legal_configurations_that_all_differ():
    leaves = Leaves.of(SPACE, FINEST)
    y = leaves.snap(points(FINEST.embedding_dim, 1))[0]
    known = [repr(decoded(FINEST, other)) for other in (y, *leaves.neighbours(y))]
    assert len(set(known)) == len(known)


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_are_all_other_choices_of_every_leaf(seed):
    leaves = Leaves(np.array([2, 3, 0, 5]), {})
    y = leaves.snap(points(4, 1, seed))[0]
    Y = leaves.neighbours(y)
    assert_array_equal((y != Y).sum(axis=0), [1, 2, 0, 4])
    assert len(np.unique(Y, axis=0)) == 1 + 2 + 4


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, [2, 3, 5, 9, 17, 33, 65]),
        (100, [36, 68, 84, 92, 96, 98, 99]),
        (50, [18, 34, 42, 46, 48, 49, 51, 52, 54, 58, 66, 82]),
    ],
)
def test_neighbours_of_a_whole_number_are_powers_of_two_away(value, expected, log):
    assert sorted(whole_neighbours(Integer(1, 100, log=log), value)) == expected


@pytest.mark.parametrize(("value", "expected"), [(4, [5]), (5, [4])])
def test_neighbour_of_one_of_two_whole_numbers_is_the_other(value, expected):
    assert whole_neighbours(Integer(4, 5), value) == expected


@pytest.mark.parametrize("log", [False, True])
def test_neighbours_of_the_widest_whole_number_stay_few_and_exact(log):
    steps = [2**power for power in range(40)]
    assert sorted(whole_neighbours(Integer(1, 2**40, log=log), 1)) == [1 + step for step in steps]


@pytest.mark.parametrize("low", [1, 5, 1000])
def test_neighbours_of_log_integers_are_snapped_exactly(low):
    leaves = lone(Integer(low, low + 3000, log=True))
    Y = leaves.neighbours(leaves.snap(np.array([[0.3]]))[0])
    assert_array_equal(leaves.snap(Y), Y)


def test_neighbours_among_very_many_choices_are_few_and_all_elsewhere():
    leaves = Leaves(np.array([20_000, 2]), {})
    y = leaves.snap(np.array([[0.3, 0.3]]))[0]
    Y = leaves.neighbours(y)
    assert len(Y) == 15 + 1  # powers of two below twenty thousand, and the other of two
    assert_array_equal((y != Y).sum(axis=1), 1)
    assert_array_equal(leaves.snap(Y), Y)


def test_every_choice_is_a_neighbour_up_to_a_thousand():
    leaves = Leaves(np.array([1000]), {})
    assert len(leaves.neighbours(leaves.snap(np.zeros((1, 1)))[0])) == 999


@pytest.mark.parametrize(("choices", "most"), [(64, 64), (100, 1), (1000, 1)])
def test_choices_beyond_64_take_one_feature(choices, most):
    assert Leaves(np.array([choices]), {})(np.zeros((1, 1))).shape == (1, most)


@pytest.mark.parametrize(("leaves", "features"), [(16, 16 * 64), (17, 17)])
def test_features_of_many_leaves_are_at_most_a_thousand(leaves, features):
    assert Leaves(np.full(leaves, 64), {})(np.zeros((1, leaves))).shape == (1, features)


@pytest.mark.parametrize(("choices", "moves"), [(64, 63), (65, 7), (1000, 10)])
def test_neighbours_of_many_leaves_are_few_where_choices_are_many(choices, moves):
    leaves = Leaves(np.full(128, choices), {})
    assert len(leaves.neighbours(leaves.snap(np.zeros((1, 128)))[0])) == 128 * moves


def test_whole_number_beyond_all_levels_is_a_number_like_any_other():
    wide = Integer(1, 10**18, log=True)
    assert Leaves.of(wide, Forest.planted(Layout.of(wide), 1, seed=0)).whole == {}


def test_numbers_have_no_neighbours():
    assert Leaves.numbers(3).neighbours(np.zeros(3)).shape == (0, 3)


def test_neighbours_leave_the_point_as_it_was():
    y = MIXED.snap(points(7, 1))[0]
    before = y.copy()
    MIXED.neighbours(y)
    assert_array_equal(y, before)
