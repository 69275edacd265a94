"""Forests near their centre: where |y| is small few coordinates change, and growing loses no point all the same."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Bool, Box, Categorical, Float, IdentityEmbedding, Integer, Point, Space
from rembo.embedding import Forest, Layout
from rembo.embedding.layout import Block
from rembo.kernel import Leaves
from rembo.study.codec import decode, encode

MIXED = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "weights": Box(9),
        "layers": Integer(1, 8),
        "width": Integer(1, 4096, log=True),
        **{f"bit{number}": Bool() for number in range(9)},
        **{f"solver{number}": Categorical(["adam", "sgd", "lbfgs", "none"]) for number in range(7)},
    }
)
D = MIXED.size
ALL = np.arange(D)


def written(x):
    """The configuration of a position, as a position again: choices stand in the middle of their shares."""
    return Point(IdentityEmbedding(D), MIXED.encode(MIXED.decode(Point(IdentityEmbedding(D), x))))


CENTERS = {
    "anywhere": written(np.random.default_rng(0).uniform(-1.0, 1.0, D)),
    "a corner": written(np.where(ALL % 2, 1.0, -1.0)),
}
every_center = pytest.mark.parametrize("center", CENTERS.values(), ids=CENTERS.keys())
every_seed = pytest.mark.parametrize("seed", range(5))


def mixed(center=CENTERS["anywhere"], seed=3):
    return Forest.planted(Layout.of(MIXED), 1, seed, choices=1, center=center, near=True)


def alike(choices=0, size=4000, at=0.1):
    """A forest of one bin of coordinates of one kind, all of them at the same position."""
    center = Point(IdentityEmbedding(size), np.full(size, at))
    return Forest.planted(Layout((Block(0, size, choices),)), 1, seed=1, choices=1, center=center, near=True)


def points(forest, n=20, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, forest.embedding_dim))


def images(forest, Y):
    return np.array([forest.image(y, np.arange(forest.ambient_dim)) for y in np.asarray(Y)])


def grown_out(forest, seed=0):
    """The forest and what grows from it, a random part of the shared leaves at a time, down to single coordinates."""
    rng, forests = np.random.default_rng(seed), [forest]
    while (forests[-1].sizes > 1).any():
        shared = np.flatnonzero(forests[-1].sizes > 1)
        forests.append(forests[-1].split(rng.permutation(shared)[: rng.integers(1, len(shared) + 1)].tolist()))
    return forests


def changed(forest, u):
    """Which part of the coordinates leaves the centre where all leaves say u."""
    y = np.full(forest.embedding_dim, u)
    return np.mean(np.abs(images(forest, [y])[0] - images(forest, [forest.origin])[0]) > 1e-12)


@pytest.mark.parametrize("u", [0.25, -0.5, 0.5, 0.75, 1.0])
def test_part_of_the_numbers_that_changes_is_the_fourth_power(u):
    """A binomial count of 4000 strays by more than 5 standard deviations, 0.04 at most, with probability 6e-7."""
    assert changed(alike(), u) == pytest.approx(u**4, abs=0.04)


@pytest.mark.parametrize("choices", [2, 3, 5])
@pytest.mark.parametrize("u", [0.5, -0.5, 1.0])
def test_part_of_the_choices_that_changes_is_half_the_fourth_power(choices, u):
    assert changed(alike(choices), u) == pytest.approx(u**4 / 2.0, abs=0.04)


def test_zero_changes_nothing():
    forest = mixed()
    assert_array_equal(forest.origin, 0.0)
    assert changed(forest, 0.0) == 0.0


def test_ends_of_the_bin_are_the_ends_of_the_range():
    up, down = images(alike(size=100), [[1.0], [-1.0]])
    assert_array_equal(np.abs(up), 1.0)
    assert_array_equal(up, -down)


def test_numbers_leave_the_centre_without_a_jump():
    """Those that leave it below 0.6 go 1.1 / (1 - 0.6) times as far as y at most."""
    before, after = images(alike(), [[0.6], [0.6 + 1e-6]])
    assert 0.0 < np.abs(after - before).max() < 3e-6


@pytest.mark.parametrize("choices", [2, 3, 5])
def test_choices_visit_every_place_on_one_side(choices):
    u = 1.0 - np.geomspace(1e-9, 1.0, 200)
    x = images(alike(choices, 20), np.append(u, -u)[:, None])
    assert [len(np.unique(column.round(9))) for column in x.T] == [choices] * 20


@every_center
@every_seed
def test_lift_near_a_centre_keeps_every_point_at_every_split(center, seed):
    coarse = mixed(center, seed)
    Y, finer = points(coarse), grown_out(coarse, seed)
    assert_array_equal([images(fine, fine.lift(Y, coarse)) for fine in finer], [images(coarse, Y)] * len(finer))


@every_center
@pytest.mark.parametrize("stage", [0, 1, 2, 3, -1])
def test_origin_near_a_centre_stands_for_it_at_every_stage(center, stage):
    forest = grown_out(mixed(center))[stage]
    there, expected = MIXED.decode(Point(forest, forest.origin)), MIXED.decode(center)
    assert {name: np.asarray(value).tolist() for name, value in there.items()} == {
        name: np.asarray(value).tolist() for name, value in expected.items()
    }


@every_center
@every_seed
@pytest.mark.parametrize("stage", [0, 2, -1])
def test_preimage_near_a_centre_has_the_same_image(center, seed, stage):
    forest = grown_out(mixed(center, seed))[stage]
    X = images(forest, points(forest))
    assert_allclose(images(forest, [forest.preimage(x) for x in X]), X, rtol=0.0, atol=1e-12)  # divided by its room


@every_center
@every_seed
def test_few_changes_are_separated_with_few_splits(center, seed):
    coordinate, x = 6 * seed, center[:]
    x[coordinate] = -0.99 * np.sign(x[coordinate])
    x = written(x)[:]
    finer = mixed(center, seed).separating(x, D)
    assert finer.embedding_dim <= 8  # 3, and as many as halvings leave the coordinate alone
    assert_allclose(finer.image(finer.preimage(x), ALL), x, rtol=0.0, atol=1e-12)


def test_lone_leaf_has_no_threshold():
    forest = grown_out(mixed())[-1]
    y = points(forest)[0]
    assert_array_equal(forest.image(y, np.concatenate([forest.members(leaf) for leaf in range(D)])), y)


def test_shared_choices_near_a_centre_are_measured_as_numbers():
    coarse, finest = mixed(), grown_out(mixed())[-1]
    assert Leaves.of(MIXED, coarse).continuous.all()
    assert_array_equal(np.unique(finest.choices), [0, 2, 4])


def test_forest_near_its_centre_does_not_refine_one_that_is_not():
    coarse = mixed()
    assert coarse.split([0]).refines(coarse)
    assert not coarse.split([0]).refines(replace(coarse, near=None))


@pytest.mark.parametrize("travel", [lambda f: pickle.loads(pickle.dumps(f)), lambda f: decode(encode(f))])
def test_forest_near_its_centre_travels(travel):
    assert travel(mixed()) == mixed()


def test_forest_stored_before_there_were_thresholds_has_none():
    stored = encode(replace(mixed(), near=None))
    assert "near" not in stored
    assert_array_equal(np.abs(decode(stored).image(np.ones(3), np.arange(11))), 1.0)


def test_thresholds_depend_on_seed_and_coordinate_alone():
    small, large = (alike(size=size) for size in (100, 1000))
    assert_array_equal(images(small, [[0.6]])[0] != 0.1, images(large, [[0.6]])[0][:100] != 0.1)
