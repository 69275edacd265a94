"""Permutations that are computed, not stored: bijections of any size, frozen by golden numbers, evenly spread."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from rembo.embedding import Permutation

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "permutation.json").read_text())
SIZES = [1, 2, 3, 4, 5, 16, 17, 25, 1000, 2**16, 2**16 + 1]
HUGE = [10**9, 2**62, 2**62 + 1, 2**63 - 1]


def some_indices(size):
    inner = np.random.default_rng(0).integers(0, size, 1000, dtype=np.int64)
    return np.concatenate([[0, size - 1], inner])


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
@pytest.mark.parametrize("size", SIZES)
def test_permutation_is_a_bijection(size, seed):
    ranks = Permutation(size, seed).rank(np.arange(size))
    assert_array_equal(np.sort(ranks), np.arange(size))


@pytest.mark.parametrize("size", SIZES + HUGE)
def test_index_of_a_rank_is_where_it_came_from(size):
    permutation, index = Permutation(size, 3), some_indices(size)
    assert_array_equal(permutation.index(permutation.rank(index)), index)


@pytest.mark.parametrize("size", SIZES + HUGE)
def test_rank_of_an_index_is_where_it_goes(size):
    permutation, rank = Permutation(size, 3), some_indices(size)
    assert_array_equal(permutation.rank(permutation.index(rank)), rank)


@pytest.mark.parametrize("size", HUGE)
def test_ranks_of_a_huge_permutation_lie_in_range(size):
    ranks = Permutation(size, 3).rank(some_indices(size))
    assert ranks.dtype == np.int64
    assert ranks.min() >= 0
    assert ranks.max() <= size - 1


@pytest.mark.parametrize("size", [25, 1000, 10**9])
def test_permutations_of_other_seeds_differ(size):
    index = np.arange(25)
    assert not np.array_equal(Permutation(size, 1).rank(index), Permutation(size, 2).rank(index))


def test_rank_does_not_depend_on_what_is_read_with_it():
    permutation, order = Permutation(1000, 3), np.random.default_rng(0).permutation(1000)
    assert_array_equal(permutation.rank(order), permutation.rank(np.arange(1000))[order])


def test_no_indices_have_no_ranks():
    assert Permutation(1000).rank(np.arange(0)).shape == (0,)


def test_ranking_leaves_the_indices_alone():
    index = np.arange(25)
    Permutation(25, 3).rank(index)
    assert_array_equal(index, np.arange(25))


@pytest.mark.parametrize("case", GOLDEN["ranks"], ids=lambda case: f"{case['size']}-{case['seed']}")
def test_ranks_are_the_frozen_ones(case):
    ranks = Permutation(case["size"], case["seed"]).rank(np.array(case["index"], dtype=np.int64))
    assert ranks.tolist() == case["rank"]


@pytest.mark.parametrize("size", [10**9, 2**62])
def test_neighbours_are_spread_evenly(size):
    """By the chi-square test over 64 intervals; a true permutation falls below p = 1e-4 for one seed in 10^4."""
    ranks = Permutation(size, 5).rank(np.arange(64_000))
    counts, _ = np.histogram(ranks.astype(np.float64), bins=64, range=(0.0, float(size)))
    assert stats.chisquare(counts).pvalue > 1e-4


def test_pairs_of_neighbours_are_spread_evenly():
    """By the chi-square test over 16 x 16 cells; a true permutation falls below p = 1e-4 for one seed in 10^4."""
    ranks = Permutation(10**9, 5).rank(np.arange(64_000)) * 16 // 10**9
    cells = np.bincount(16 * ranks[::2] + ranks[1::2], minlength=256)
    assert stats.chisquare(cells).pvalue > 1e-4


@pytest.mark.parametrize("index", [0, 3, 24])
def test_index_goes_everywhere_over_seeds(index):
    """By the chi-square test over 25 places; fair draws fall below p = 1e-4 in one of 10^4 tests."""
    ranks = [int(Permutation(25, seed).rank(np.array([index]))[0]) for seed in range(2500)]
    assert stats.chisquare(np.bincount(ranks, minlength=25)).pvalue > 1e-4


@pytest.mark.parametrize("size", [0, -1, 2**63])
def test_size_out_of_range_is_refused(size):
    with pytest.raises(ValueError, match=rf"{size} must lie between 1 and 2\*\*63 - 1"):
        Permutation(size)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_permutation_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match=rf"seed {seed} must lie between 0 and 2\*\*64 - 1"):
        Permutation(10, seed)
