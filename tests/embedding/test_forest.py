"""Forests: a tree for each kind of parameter, that moves its coordinates away from a centre and loses no point."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Bool, Box, Categorical, Float, IdentityEmbedding, Integer, Point, Space, TreeEmbedding
from rembo.embedding import Forest, GaussianEmbedding, Layout
from rembo.kernel import Leaves

BILLION = 10**9
MIXED = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "weights": Box(5),
        "solver": Categorical(["adam", "sgd", "lbfgs"]),
        "layers": Integer(1, 8),
        "warm": Bool(),
        "cold": Bool(),
        "width": Integer(1, 4096, log=True),
        "loss": Categorical(["l1", "l2", "huber"]),
        "mode": Categorical(["on", "off"]),
        "biases": Box(3, low=-5.0, high=10.0),
        "kind": Categorical(range(5)),
        "sort": Categorical(range(5)),
    }
)
DEFAULT = {
    "rate": 1e-3, "weights": [0.0, -1.0, 1.0, 0.3, -0.7], "solver": "sgd", "layers": 3, "warm": True, "cold": False,
    "width": 100, "loss": "huber", "mode": "off", "biases": [9.0, 0.0, -5.0], "kind": 4, "sort": 2,
}  # fmt: skip
D = MIXED.size
ALL = np.arange(D)
LAYOUT = Layout.of(MIXED)
START = Point(IdentityEmbedding(D), MIXED.encode(DEFAULT))
CORNER = Point(IdentityEmbedding(D), np.where(ALL % 2, 1.0, -1.0))
CENTERS = {"no centre": None, "a default": START, "a corner": CORNER}
every_center = pytest.mark.parametrize("center", CENTERS.values(), ids=CENTERS.keys())
THREES = Layout.of(Space({f"c{number}": Categorical(["a", "b", "c"]) for number in range(40)}))


def mixed(center=None, leaves=1, seed=3):
    return Forest.planted(LAYOUT, leaves, seed, choices=1, center=center)


def points(forest, n=20, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, forest.embedding_dim))


def images(forest, Y):
    index = np.arange(forest.ambient_dim)
    return np.array([forest.image(y, index) for y in np.asarray(Y)])


def grown_out(forest, seed=0):
    """The forest and what grows from it, a random part of the shared leaves at a time, down to single coordinates."""
    rng, forests = np.random.default_rng(seed), [forest]
    while (forests[-1].sizes > 1).any():
        shared = np.flatnonzero(forests[-1].sizes > 1)
        forests.append(forests[-1].split(rng.permutation(shared)[: rng.integers(1, len(shared) + 1)].tolist()))
    return forests


def levels(x, choices):
    return np.floor((x + 1.0) * choices / 2.0).astype(int)


@every_center
@pytest.mark.parametrize("stage", [0, 3, -1])
def test_image_lies_in_the_cube(center, stage):
    forest = grown_out(mixed(center))[stage]
    assert np.abs(images(forest, points(forest, 100))).max() <= 1.0


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_image_of_a_corner_lies_in_the_cube(end, seed):
    center = Point(IdentityEmbedding(D), np.random.default_rng(seed).uniform(-1.0, 1.0, D))
    forest = mixed(center, seed=seed)
    assert np.abs(forest.image(np.full(forest.embedding_dim, end), ALL)).max() <= 1.0


@every_center
def test_image_does_not_depend_on_the_order_of_reading(center):
    forest = mixed(center, leaves=3)
    y, order = points(forest)[0], np.random.default_rng(1).permutation(D)
    assert_array_equal(forest.image(y, order), forest.image(y, ALL)[order])


def test_image_of_no_coordinates_is_empty():
    assert mixed().image(np.zeros(4), np.arange(0)).shape == (0,)


@every_center
@pytest.mark.parametrize("seed", range(5))
def test_lift_keeps_every_point_at_every_split(center, seed):
    coarse = mixed(center, seed=seed)
    Y = points(coarse)
    finer = grown_out(coarse, seed)
    assert_array_equal([images(fine, fine.lift(Y, coarse)) for fine in finer], [images(coarse, Y)] * len(finer))


@every_center
def test_lift_keeps_the_decoded_configuration(center):
    coarse = mixed(center)
    y = points(coarse)[0]
    finest = grown_out(coarse)[-1]
    there = MIXED.decode(Point(finest, finest.lift(y[None, :], coarse)[0]))
    here = MIXED.decode(Point(coarse, y))
    assert {name: repr(np.asarray(value)) for name, value in there.items()} == {
        name: repr(np.asarray(value)) for name, value in here.items()
    }


@every_center
def test_lift_in_steps_is_lift_at_once(center):
    first, *_, middle, last = grown_out(mixed(center))
    Y = points(first)
    assert_array_equal(last.lift(middle.lift(Y, first), middle), last.lift(Y, first))


def test_lift_to_the_same_forest_changes_nothing():
    forest = mixed(START, leaves=3)
    assert_array_equal(forest.lift(points(forest), forest), points(forest))


def test_lift_leaves_its_points_as_they_were():
    coarse = mixed(START)
    Y = points(coarse)
    grown_out(coarse)[-1].lift(Y, coarse)
    assert_array_equal(Y, points(coarse))


def test_lift_of_no_points_is_empty():
    fine = grown_out(mixed(START))[-1]
    assert fine.lift(np.zeros((0, 4)), mixed(START)).shape == (0, D)


def test_lifted_points_stay_in_the_region():
    coarse = mixed(CORNER)
    fine = grown_out(coarse)[-1]
    assert np.abs(fine.lift(points(coarse, 100), coarse)).max() <= 1.0


@pytest.mark.parametrize("stage", [0, 1, 2, 3, 4, -1])
def test_origin_stands_for_the_centre_at_every_stage(stage):
    forest = grown_out(mixed(START))[stage]
    x = forest.image(forest.origin, ALL)
    assert_array_equal(x[LAYOUT.locate(ALL).kinds == 0], START[:][LAYOUT.locate(ALL).kinds == 0])
    assert_allclose(x, START[:], rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("stage", [0, 1, 2, 3, 4, -1])
def test_origin_decodes_to_the_default_of_the_user(stage):
    forest = grown_out(mixed(START))[stage]
    there = MIXED.decode(Point(forest, forest.origin))
    expected = MIXED.decode(START)
    assert {name: np.asarray(value).tolist() for name, value in there.items()} == {
        name: np.asarray(value).tolist() for name, value in expected.items()
    }


@pytest.mark.parametrize("value", [{"rate": 0.9, "solver": "c"}, {"rate": 0.0, "solver": "b"}], ids=str)
def test_origin_decodes_to_the_default_when_it_is_the_only_parameter_of_its_kind(value):
    space = Space({"rate": Float(0.0, 1.0), "solver": Categorical(["a", "b", "c"])})
    forest = Forest.planted(Layout.of(space), 1, seed=0, center=Point(IdentityEmbedding(2), space.encode(value)))
    there = space.decode(Point(forest, forest.origin))
    assert (there["rate"], there["solver"]) == (pytest.approx(value["rate"]), value["solver"])


def test_origin_without_a_centre_is_random_when_a_choice_is_the_only_one_of_its_kind():
    """Twenty fair draws among three choices are all alike with probability 3^-19."""
    layout = Layout.of(Categorical(["a", "b", "c"]))
    forests = [Forest.planted(layout, 1, seed) for seed in range(20)]
    assert len({levels(forest.image(forest.origin, np.arange(1)), 3)[0] for forest in forests}) > 1


@pytest.mark.parametrize("stage", [0, 2, -1])
def test_origin_without_a_centre_has_numbers_in_the_middle(stage):
    forest = grown_out(mixed())[stage]
    x = forest.image(forest.origin, ALL)
    assert_array_equal(x[LAYOUT.locate(ALL).kinds == 0], np.zeros(11))


def test_origin_without_a_centre_makes_each_choice_about_as_often():
    """A binomial count of 3000 draws strays from 1000 by more than 5 standard deviations with probability 6e-7."""
    layout = Layout.of(Space({f"c{number}": Categorical(["a", "b", "c"]) for number in range(3000)}))
    forest = Forest.planted(layout, 1, seed=7)
    counts = np.bincount(levels(forest.image(forest.origin, np.arange(3000)), 3))
    assert np.abs(counts - 1000).max() < 5.0 * np.sqrt(3000 * 2.0 / 9.0)


def test_origin_without_a_centre_depends_on_the_seed():
    first, second = (Forest.planted(THREES, 1, seed) for seed in (1, 2))
    assert not np.array_equal(images(first, [first.origin]), images(second, [second.origin]))


def test_numbers_go_the_same_part_of_the_way_to_an_end():
    x0 = np.linspace(-0.9, 0.9, 10)
    forest = Forest.planted(Layout.numbers(10), 1, seed=2, center=Point(IdentityEmbedding(10), x0))
    quarter, whole = images(forest, [[0.25], [1.0]])
    assert_allclose(np.abs(whole), 1.0, rtol=0.0, atol=1e-15)
    assert_allclose(quarter, x0 + 0.25 * (whole - x0), rtol=0.0, atol=1e-15)


def test_numbers_of_a_leaf_go_both_ways():
    (x,) = images(Forest.planted(Layout.numbers(50), 1, seed=2), [[0.5]])
    assert set(x) == {-0.5, 0.5}


def test_opposite_numbers_go_to_opposite_ends():
    forest = Forest.planted(Layout.numbers(50), 1, seed=2, center=Point(IdentityEmbedding(50), np.linspace(-1, 1, 50)))
    up, down = images(forest, [[1.0], [-1.0]])
    assert_allclose(up, -down, rtol=0.0, atol=1e-15)
    assert_allclose(np.abs(up), 1.0, rtol=0.0, atol=1e-15)


def test_number_without_a_centre_is_that_of_the_tree():
    forest, tree = Forest.planted(Layout.numbers(1000), 8, seed=5), TreeEmbedding.grown(1000, 8, seed=5)
    y = points(forest)[0]
    assert_array_equal(forest.image(y, np.arange(1000)), tree.image(y, np.arange(1000)))


@pytest.mark.parametrize("center", [None, Point(IdentityEmbedding(40), np.tile([-2.0, 0.0, 2.0, 2.0], 10) / 3.0)])
def test_choices_of_a_leaf_go_round_one_place_at_a_time(center):
    forest = Forest.planted(THREES, 1, seed=2, center=center)
    first, second, third = levels(images(forest, [[-2.0 / 3.0], [0.0], [2.0 / 3.0]]), 3)
    assert set((second - first) % 3) == {1, 2}  # forth or back, by the sign
    assert_array_equal((third - second) % 3, (second - first) % 3)
    assert_array_equal((first - third) % 3, (second - first) % 3)


@pytest.mark.parametrize("choices", [2, 3, 5, 7])
def test_choices_of_a_leaf_visit_every_place(choices):
    layout = Layout.of(Space({f"c{number}": Categorical(range(choices)) for number in range(10)}))
    places = (2.0 * np.arange(choices) + 1.0) / choices - 1.0
    x = images(Forest.planted(layout, 1, seed=0), places[:, None])
    assert_array_equal(np.sort(levels(x, choices), axis=0), np.tile(np.arange(choices)[:, None], (1, 10)))


def test_shared_choices_stand_in_the_middle_of_their_shares():
    x = images(Forest.planted(THREES, 4, seed=2), np.random.default_rng(0).uniform(-1.0, 1.0, (50, 4)))
    assert_allclose(np.unique(x.round(12)), [-2.0 / 3.0, 0.0, 2.0 / 3.0], atol=1e-12)


def test_bits_of_a_leaf_flip_together():
    layout = Layout.of(Space({f"b{number}": Bool() for number in range(30)}))
    low, high = images(Forest.planted(layout, 1, seed=4), [[-0.3], [0.7]])
    assert_array_equal(low, -high)
    assert set(low) == {-0.5, 0.5}


@every_center
def test_lone_leaf_is_the_parameter_itself(center):
    forest = grown_out(mixed(center))[-1]
    y = points(forest)[0]
    assert forest.embedding_dim == D
    assert_array_equal(forest.image(y, np.concatenate([forest.members(leaf) for leaf in range(D)])), y)


@every_center
@pytest.mark.parametrize("stage", [0, 2, 4, -1])
def test_preimage_of_an_image_has_the_same_image(center, stage):
    forest = grown_out(mixed(center))[stage]
    X = images(forest, points(forest))
    assert_allclose(images(forest, [forest.preimage(x) for x in X]), X, rtol=0.0, atol=1e-12)  # divided by its room


@pytest.mark.parametrize("center", [None, START], ids=["no centre", "a default"])
@pytest.mark.parametrize("stage", [0, 2, 4, -1])
def test_preimage_inverts_the_image(center, stage):
    forest = grown_out(mixed(center))[stage]
    Y = Leaves.of(MIXED, forest).snap(points(forest))
    back = [forest.preimage(x) for x in images(forest, Y)]
    assert_allclose(back, Y, rtol=0.0, atol=1e-12)  # a number is divided by its room again


@pytest.mark.parametrize("nearly_one", [np.nextafter(1.0, 0.0), 1.0 - 1e-13])
@pytest.mark.parametrize("u", [0.6, -0.6])
def test_preimage_survives_a_centre_that_rounding_took_off_an_end(u, nearly_one):
    center = Point(IdentityEmbedding(4), np.array([nearly_one, -nearly_one, 0.1, -0.2]))
    forest = Forest(Layout.numbers(4), (TreeEmbedding(4, (0,), 1),), center)
    assert_allclose(forest.preimage(forest.image(np.array([u]), np.arange(4))), [u], rtol=0.0, atol=1e-12)


def test_numbers_that_contradict_each_other_have_no_preimage():
    forest = Forest.planted(Layout.numbers(50), 2, seed=0)
    with pytest.raises(ValueError, match=r"share one of the 2 bins differ by 2 in x: .*BayesOpt takes any point"):
        forest.preimage(np.ones(50))


def test_choices_that_contradict_each_other_have_no_preimage():
    with pytest.raises(ValueError, match=r"share one of the 4 bins differ by"):
        Forest.planted(THREES, 4, seed=0).preimage(np.full(40, 2.0 / 3.0))


def test_point_that_is_no_number_has_no_preimage():
    with pytest.raises(ValueError, match="share one of the 2 bins differ by nan"):
        Forest.planted(Layout.numbers(5), 2, seed=0).preimage(np.full(5, np.nan))


@pytest.mark.parametrize("center", [None, CORNER], ids=["no centre", "a corner"])
def test_every_point_has_a_preimage_where_all_leaves_are_single(center):
    forest = grown_out(mixed(center))[-1]
    x = np.random.default_rng(5).uniform(-1.0, 1.0, D)
    assert_array_equal(forest.image(forest.preimage(x), ALL), x)


@pytest.mark.parametrize("leaves", [[], [0], [3], [0, 1, 2, 3]])
def test_split_makes_each_chosen_leaf_of_the_forest_two(leaves):
    coarse = mixed()
    fine = coarse.split(leaves)
    assert fine.embedding_dim == 4 + len(leaves)
    assert_array_equal(np.bincount(fine.ancestors(coarse)), 1 + np.isin(np.arange(4), leaves))


def test_every_coordinate_of_a_resolved_forest_is_alone():
    assert_array_equal(mixed().resolved.sizes, np.ones(D))


def test_split_keeps_the_centre():
    assert mixed(START).split([0, 2]).center == START


def test_split_of_a_lone_leaf_is_refused():
    with pytest.raises(ValueError, match=r"must lie between 1 and ambient_dim|leave leaves without any"):
        grown_out(mixed())[-1].split([0])


@pytest.mark.parametrize("leaf", [4, 100, -1])
def test_split_of_a_leaf_that_the_forest_lacks_is_refused(leaf):
    with pytest.raises((ValueError, IndexError), match=str(leaf)):
        mixed().split([leaf])


def test_sizes_of_the_ancestors_are_those_of_their_leaves():
    coarse = mixed(START)
    fine = grown_out(coarse)[3]
    assert_array_equal(np.bincount(fine.ancestors(coarse), fine.sizes), coarse.sizes)


def test_members_of_a_leaf_are_members_of_its_ancestor():
    coarse = mixed(START)
    fine = grown_out(coarse)[3]
    theirs = [set(coarse.members(int(leaf))) for leaf in fine.ancestors(coarse)]
    assert all(set(fine.members(leaf)) <= theirs[leaf] for leaf in range(fine.embedding_dim))


@pytest.mark.parametrize("stage", [0, 2, -1])
def test_every_coordinate_is_the_member_of_one_leaf(stage):
    forest = grown_out(mixed())[stage]
    members = [forest.members(leaf) for leaf in range(forest.embedding_dim)]
    assert_array_equal([len(of_leaf) for of_leaf in members], forest.sizes)
    assert_array_equal(np.sort(np.concatenate(members)), ALL)


@pytest.mark.parametrize("stage", [0, 2, -1])
def test_members_of_a_leaf_are_of_one_kind(stage):
    forest = grown_out(mixed())[stage]
    kinds = [set(LAYOUT.locate(forest.members(leaf)).kinds) for leaf in range(forest.embedding_dim)]
    assert [{LAYOUT.kinds[kind] for kind in of_leaf} for of_leaf in kinds] == [{count} for count in forest.choices]


@pytest.mark.parametrize("leaf", range(7))
def test_members_are_the_coordinates_that_a_leaf_moves(leaf):
    forest = mixed(START, leaves=4)
    low, high = np.zeros(7) - 0.9, np.zeros(7) - 0.9
    high[leaf] = 0.9
    assert_array_equal(np.flatnonzero(forest.image(low, ALL) != forest.image(high, ALL)), forest.members(leaf))


def test_members_stand_in_increasing_order_across_blocks():
    assert np.all(np.diff(mixed().members(0)) > 0)


def test_forest_refines_all_that_it_grew_from():
    *coarser, finest = grown_out(mixed(START))
    assert finest.refines(finest)
    assert all(finest.refines(forest) for forest in coarser)


def test_coarser_forest_does_not_refine_a_finer_one():
    assert not mixed(START).refines(mixed(START).split([1]))


def test_forests_split_elsewhere_do_not_refine_each_other():
    first, second = mixed().split([0]), mixed().split([1])
    assert not first.refines(second)
    assert not second.refines(first)


@pytest.mark.parametrize(
    "other",
    [mixed(START, seed=4), mixed(), mixed(CORNER), Forest.planted(Layout.numbers(D), 1, seed=3, center=START)],
    ids=["seed", "no centre", "centre", "layout"],
)
def test_forest_of_another_seed_centre_or_layout_is_not_refined(other):
    assert not mixed(START).split([0]).refines(other)


def test_forest_refines_one_whose_centre_travelled():
    coarse = mixed(START)
    assert coarse.split([0]).refines(pickle.loads(pickle.dumps(coarse)))


@pytest.mark.parametrize(
    ("leaves", "choices", "expected"),
    [
        (4, 8, [4, 6, 2]),
        (4, None, [4, 3, 1]),
        (4, 40, [4, 30, 10]),
        (4, 1, [4, 1, 1]),
        (1, 8, [1, 6, 2]),
        (64, 400, [20, 30, 10]),
    ],
)
def test_planted_trees_have_the_leaves_asked_for(leaves, choices, expected):
    bits = {f"b{number}": Bool() for number in range(30)}
    threes = {f"c{number}": Categorical(["a", "b", "c"]) for number in range(10)}
    forest = Forest.planted(Layout.of(Space({"x": Box(20)} | bits | threes)), leaves, seed=0, choices=choices)
    assert [tree.embedding_dim for tree in forest.trees] == expected
    assert_array_equal(forest.choices, np.repeat([0, 2, 3], expected))


def test_region_is_the_cube_of_the_leaves():
    region = mixed(leaves=4).region
    assert (region.dim, region.half_width) == (7, 1.0)


def test_trees_that_do_not_fit_the_layout_are_refused_with_both_sizes():
    with pytest.raises(ValueError, match=r"trees over \(5,\) coordinates do not fit a layout of \(6,\)"):
        Forest(Layout.numbers(6), (TreeEmbedding(5),))


def test_forest_that_lacks_a_tree_is_refused():
    with pytest.raises(ValueError, match=r"trees over \(11, 3\) coordinates do not fit a layout of \(11, 3, 2, 2\)"):
        Forest(LAYOUT, (TreeEmbedding(11), TreeEmbedding(3)))


def test_centre_of_another_length_is_refused_with_both_lengths():
    with pytest.raises(ValueError, match="the centre has 5 coordinates, the layout 6"):
        Forest.planted(Layout.numbers(6), 2, seed=0, center=Point(IdentityEmbedding(5), np.zeros(5)))


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_forest_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match=rf"seed {seed} must lie between 0 and 2\*\*64 - 1"):
        Forest.planted(LAYOUT, 2, seed)


HUGE = Space({"x": Box(BILLION), "warm": Bool(), "cold": Bool(), "z": Box(BILLION)})
FAR = Point(GaussianEmbedding(HUGE.size, 3, seed=1), np.full(3, 0.1))


@pytest.mark.parametrize("center", [None, FAR], ids=["no centre", "a centre"])
def test_forest_of_a_billion_grows_and_is_read_in_little_memory(center):
    tracemalloc.start()
    coarse = Forest.planted(Layout.of(HUGE), 16, seed=1, choices=1, center=center)
    fine = coarse.split(range(17))
    Y = fine.lift(np.full((3, 17), 0.5), coarse)
    read = [forest.image(y, np.array([0, BILLION, 2 * BILLION])) for forest, y in ((fine, Y[0]), (fine, fine.origin))]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.abs(read).max() <= 1.0
    assert peak < 1_000_000


@pytest.mark.parametrize("center", [None, FAR], ids=["no centre", "a centre"])
def test_lift_keeps_points_of_a_billion(center):
    coarse = Forest.planted(Layout.of(HUGE), 16, seed=1, choices=1, center=center)
    fine, some = coarse.split([0, 5, 16]), np.array([0, 17, BILLION - 1, BILLION, BILLION + 1, BILLION + 2])
    (y,) = points(coarse, 1)
    assert_array_equal(fine.image(fine.lift(y[None, :], coarse)[0], some), coarse.image(y, some))


@pytest.mark.parametrize("center", [None, FAR], ids=["no centre", "a centre"])
def test_pickled_forest_of_a_billion_is_below_a_kilobyte(center):
    forest = Forest.planted(Layout.of(HUGE), 64, seed=2**64 - 1, center=center)
    forest.image(forest.origin, np.array([17]))  # what is cached does not travel
    assert len(pickle.dumps(forest)) < 1000


def test_pickled_point_of_a_billion_is_below_a_kilobyte():
    forest = Forest.planted(Layout.numbers(BILLION), 32, seed=2**64 - 1)
    assert len(pickle.dumps(Point(forest, points(forest, 1)[0]))) < 1000


def test_forest_that_travelled_reads_the_same():
    forest = Forest.planted(Layout.of(HUGE), 16, seed=1, center=FAR)
    (y,) = points(forest, 1)
    there = pickle.loads(pickle.dumps(Point(forest, y)))
    some = [0, 17, BILLION, 2 * BILLION + 1]
    assert there.embedding == forest
    assert_array_equal(there[some], Point(forest, y)[some])
