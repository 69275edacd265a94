"""The tree of bins: what a leaf holds, how leaves split, and that no point is lost when they do."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Point, TreeEmbedding
from rembo.embedding.tree import MOST_MEMBERS

BILLION = 10**9
ALL = np.arange(1000)
TREE = TreeEmbedding(1000, (3, 3, 2, 1), seed=5)
DEEP = TreeEmbedding(BILLION, (*range(1, 26), 25), seed=5)
DIMS = [1, 2, 3, 25, 1000, BILLION, 2**63 - 1]


def y_of(tree, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, tree.embedding_dim)


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 7, 64])
@pytest.mark.parametrize("ambient_dim", DIMS)
def test_sizes_of_the_leaves_sum_to_the_dimension(ambient_dim, leaves):
    assert TreeEmbedding.grown(ambient_dim, leaves, seed=1).sizes.sum() == ambient_dim


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 7, 64])
@pytest.mark.parametrize("ambient_dim", DIMS)
def test_grown_tree_has_the_leaves_asked_for(ambient_dim, leaves):
    assert TreeEmbedding.grown(ambient_dim, leaves, seed=1).embedding_dim == min(leaves, ambient_dim)


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 7, 64])
def test_grown_tree_is_even(leaves):
    sizes = TreeEmbedding.grown(BILLION, leaves, seed=1).sizes
    # the largest leaf is split next, so it is at most twice the smallest, but for a coordinate of an odd half
    assert sizes.max() <= 2 * sizes.min() + 1


def test_leaf_of_each_depth_holds_its_share():
    assert TreeEmbedding(1024, (1, 3, 3, 2)).sizes.tolist() == [512, 128, 128, 256]


def test_leaves_are_intervals_that_follow_each_other():
    assert_array_equal(np.diff(TREE.starts), TREE.sizes[:-1])
    assert TREE.starts[0] == 0


def test_every_row_has_one_sign():
    A = TREE.rows(ALL)
    assert_array_equal(np.abs(A).sum(axis=1), np.ones(1000))
    assert set(np.unique(A)) == {-1.0, 0.0, 1.0}


def test_columns_hold_as_many_coordinates_as_the_sizes_say():
    assert_array_equal(np.abs(TREE.rows(ALL)).sum(axis=0), TREE.sizes)


def test_signs_are_balanced_within_each_leaf():
    """A sum of n signs strays by more than 5 sqrt(n) with probability 6e-7."""
    A = TreeEmbedding(BILLION, (2, 2, 2, 2), seed=5).rows(np.arange(50_000))
    assert np.all(np.abs(A.sum(axis=0)) < 5.0 * np.sqrt(np.abs(A).sum(axis=0)))


def test_leaves_of_neighbours_are_balanced():
    """A binomial count strays by more than 5 standard deviations with probability 6e-7."""
    counts = np.abs(TreeEmbedding(BILLION, (2, 2, 2, 2), seed=5).rows(np.arange(50_000))).sum(axis=0)
    assert np.abs(counts - 12_500).max() < 5.0 * np.sqrt(50_000 * 0.25 * 0.75)


def test_trees_of_other_seeds_have_other_rows():
    assert not np.array_equal(TreeEmbedding(1000, (1, 1), 1).rows(ALL), TreeEmbedding(1000, (1, 1), 2).rows(ALL))


@pytest.mark.parametrize("leaves", [[0], [3], [1, 2], [0, 1, 2, 3], []])
def test_split_makes_each_chosen_leaf_two(leaves):
    fine = TREE.split(leaves)
    assert fine.embedding_dim == 4 + len(leaves)
    assert_array_equal(np.bincount(fine.ancestors(TREE)), 1 + np.isin(np.arange(4), leaves))


def test_halves_of_a_split_leaf_differ_by_one_coordinate_at_most():
    first, second = TREE.split([0]).sizes[:2]
    assert first + second == TREE.sizes[0]
    assert abs(first - second) <= 1


@pytest.mark.parametrize("leaves", [[0], [3], [1, 2], [0, 1, 2, 3], []])
@pytest.mark.parametrize("coarse", [TREE, TreeEmbedding.grown(BILLION, 4, seed=5)], ids=["thousand", "billion"])
def test_split_keeps_every_point(coarse, leaves):
    fine, y = coarse.split(leaves), y_of(coarse)
    assert_array_equal(fine.image(y[fine.ancestors(coarse)], ALL), coarse.image(y, ALL))


def test_repeated_splits_keep_every_point():
    coarse = TreeEmbedding.grown(1000, 4, seed=5)
    fine = coarse.split([1]).split([2, 0]).split([4])
    y = y_of(coarse)
    assert_array_equal(fine.image(y[fine.ancestors(coarse)], ALL), coarse.image(y, ALL))


def test_leaves_of_a_tree_are_their_own_ancestors():
    assert_array_equal(TREE.ancestors(TREE), np.arange(4))


@pytest.mark.parametrize("leaf", range(4))
def test_members_are_the_coordinates_of_the_leafs_column(leaf):
    assert_array_equal(TREE.members(leaf), np.flatnonzero(TREE.rows(ALL)[:, leaf]))


def test_members_of_a_deep_leaf_of_a_billion_have_its_column():
    members, leaf = DEEP.members(25), 25
    assert len(members) == DEEP.sizes[leaf]
    assert_array_equal(np.flatnonzero(np.abs(DEEP.rows(members)).sum(axis=0)), [leaf])


def test_members_stand_in_increasing_order():
    assert np.all(np.diff(DEEP.members(20)) > 0)


def test_members_of_a_huge_leaf_are_refused_with_the_limit():
    with pytest.raises(ValueError, match=f"size of leaf 0 500000000 must lie between 1 and {MOST_MEMBERS}"):
        DEEP.members(0)


def test_members_of_a_leaf_at_the_limit_are_given():
    assert len(TreeEmbedding(2 * MOST_MEMBERS, (1, 1)).members(1)) == MOST_MEMBERS


@pytest.mark.parametrize(
    "depths", [(1,), (0, 0), (1, 1, 1), (1, 2), (2, 2, 2), (-1,), (2, 1, 2), (3, 1, 2, 3), (1, 3, 2, 3)], ids=str
)
def test_depths_of_no_binary_tree_are_refused(depths):
    with pytest.raises(ValueError, match="not those of a binary tree"):
        TreeEmbedding(1000, depths)


def test_deep_tree_without_its_last_leaf_is_refused():
    with pytest.raises(ValueError, match="not those of a binary tree"):
        TreeEmbedding(2**62, tuple(range(1, 56)))  # 2^-55 is missing, which a float next to 1 does not show


def test_tree_without_leaves_is_refused():
    with pytest.raises(ValueError, match="embedding_dim 0 must lie between 1 and ambient_dim 1000"):
        TreeEmbedding(1000, ())


def test_tree_with_more_leaves_than_coordinates_is_refused():
    with pytest.raises(ValueError, match="embedding_dim 4 must lie between 1 and ambient_dim 3"):
        TreeEmbedding(3, (2, 2, 2, 2))


def test_leaf_without_coordinates_is_refused():
    with pytest.raises(ValueError, match=r"depths \(1, 3, 3, 2\) leave leaves without any of the 4 coordinates"):
        TreeEmbedding(4, (1, 3, 3, 2))


@pytest.mark.parametrize("ambient_dim", [1, 2, 3, 25])
def test_leaf_of_one_coordinate_cannot_be_split(ambient_dim):
    finest = TreeEmbedding.grown(ambient_dim, ambient_dim, seed=1)
    with pytest.raises(ValueError, match=r"must lie between 1 and ambient_dim|leave leaves without any"):
        finest.split([0])


@pytest.mark.parametrize("leaf", [4, 100, -1])
def test_split_of_a_leaf_that_is_not_there_is_refused(leaf):
    with pytest.raises((ValueError, IndexError), match=str(leaf)):
        TREE.split([leaf])


@pytest.mark.parametrize("seed", range(3))
def test_preimage_of_an_image_is_exact(seed):
    y = y_of(TREE, seed)
    assert_array_equal(TREE.preimage(TREE.image(y, ALL)), y)


def test_point_outside_is_told_how_its_leaves_disagree():
    with pytest.raises(ValueError, match=r"share one of the 2 bins differ by 2 in x: .*BayesOpt takes any point"):
        TreeEmbedding(50, (1, 1)).preimage(np.ones(50))


def test_pickled_point_of_a_billion_and_64_leaves_is_small():
    tree = TreeEmbedding.grown(BILLION, 64, seed=2**64 - 1)
    assert len(pickle.dumps(Point(tree, y_of(tree)))) < 1200


def test_pickled_point_stays_small_after_it_was_read():
    tree = TreeEmbedding.grown(BILLION, 64, seed=2**64 - 1)
    x = Point(tree, y_of(tree))
    assert np.isfinite(x[17])
    assert len(pickle.dumps(x)) < 1200


def test_point_that_travelled_reads_the_same():
    x = Point(DEEP, y_of(DEEP))
    assert_array_equal(pickle.loads(pickle.dumps(x))[[0, 17, BILLION - 1]], x[[0, 17, BILLION - 1]])


def test_two_coordinates_of_a_billion_take_little_memory_in_a_tree():
    tracemalloc.start()
    x = Point(TreeEmbedding.grown(BILLION, 64, seed=1), np.full(64, 0.5))
    assert_array_equal(np.abs(x[[17, BILLION - 1]]), [0.5, 0.5])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_corner_of_the_region_needs_no_clipping():
    assert np.abs(TREE.image(TREE.region.high, ALL)).max() == 1.0


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_tree_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match=rf"seed {seed} must lie between 0 and 2\*\*64 - 1"):
        TreeEmbedding(1000, (1, 1), seed)
