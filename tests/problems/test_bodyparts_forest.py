"""The forest: features scale with depth, splits tell most, budgets hold, and people are told apart."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("numba", reason="the forest needs numba")

from rembo.problems.bodyparts import Seconds, Size, Stream, Work
from rembo.problems.bodyparts.forest import MOST_TREES, grow_forest
from rembo.problems.bodyparts.loops import (
    BINS,
    DRAWING,
    SAMPLE,
    Rules,
    answer,
    best_cut,
    best_split,
    partition,
    sort_labels,
)
from rembo.problems.bodyparts.pixels import Album, judged_pixels, training_pixels
from rembo.problems.bodyparts.settings import SPACE, Settings

SMALL = Size(pictures=20, pixels_per_label=50, judged_pixels=2000)
FEW_CANDIDATES = replace(Settings.of(SPACE.default), candidates=5)
BUDGET = Work(500_000)


@dataclass(frozen=True)
class InSteps:
    """The same work in many small steps."""

    limit: int
    step: int = 1

    def left(self, work, seconds):
        return min(self.step, self.limit - work)


@pytest.fixture(scope="module")
def pixels():
    return training_pixels(0, SMALL)


@pytest.fixture(scope="module")
def judged():
    return judged_pixels(0, Stream.VALIDATION, SMALL)


def pixel_at(depth):
    """The middle of a picture that is at this depth; every other depth tells its place: 1000 * row + column."""
    coded = (1000.0 * np.arange(240)[:, None] + np.arange(320)).astype(np.float32)[None]
    coded[0, 120, 160] = depth
    return Album(coded, np.zeros(coded.shape, np.uint8)).pixels(np.array([120 * 320 + 160]))


def place(depth, across, down):
    """Row and column at which an offset looks; the other one is far outside, where the first pixel is read."""
    offsets = np.array([across, down, -1e6, -1e6], np.float32)
    return divmod(int(answer(pixel_at(depth), 0, offsets)), 1000)


def entropy(labels):
    shares = np.bincount(labels) / len(labels)
    return -np.sum(shares[shares > 0.0] * np.log(shares[shares > 0.0]))


def gain(labels, goes_left):
    """What is told about the labels by which way pixels go, from the definition."""
    left, right = labels[goes_left], labels[~goes_left]
    return entropy(labels) - (len(left) * entropy(left) + len(right) * entropy(right)) / len(labels)


def split(pixels, candidates):
    """Labels of a hundred pixels, their answers to the best of so many candidates, and its threshold."""
    sample, found = np.arange(0, len(pixels.label), 10), np.zeros(4, np.float32)
    rules = Rules(np.zeros((2, 2)), np.array([10.0 * np.identity(2)] * 2), 20, 1, candidates)
    threshold = best_split(pixels, sample, rules, np.random.default_rng(0), found)
    return pixels.label[sample], np.array([answer(pixels, n, found) for n in sample]), threshold


def depths(forest):
    """The depth of each node; parents stand before their children."""
    found = np.zeros(len(forest.nodes.child), int)
    for node in np.flatnonzero(forest.nodes.child):
        found[forest.nodes.child[node] + np.arange(2)] = found[node] + 1
    return found


@pytest.mark.parametrize(("depth", "pixels"), [(1.0, 20), (2.0, 10), (4.0, 5)])
def test_offsets_shrink_with_the_distance_as_people_do(depth, pixels):
    assert place(depth, 10.0, 0.0) == (120, 160 + pixels)
    assert place(depth, 0.0, -10.0) == (120 - pixels, 160)


@pytest.mark.parametrize(("across", "down", "expected"), [(1e6, 0.0, (120, 319)), (0.0, 1e6, (239, 160))])
def test_offset_beyond_the_border_reads_the_border(across, down, expected):
    assert place(1.0, across, down) == expected


def test_answer_is_the_difference_of_two_depths():
    offsets = np.array([3.0, 0.0, 1.0, 0.0], np.float32)
    assert answer(pixel_at(2.0), 0, offsets) == 2.0
    assert answer(pixel_at(2.0), 0, offsets[[2, 3, 0, 1]]) == -2.0


@pytest.mark.parametrize("seed", range(5))
def test_best_cut_has_the_highest_information_gain(seed):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, BINS, SAMPLE)
    labels = (rng.integers(0, 20, SAMPLE) * (bins > 9)).astype(np.uint8)
    ordered = np.empty_like(labels)
    _, cut = best_cut(ordered, sort_labels(bins, labels, ordered))
    assert gain(labels, bins <= cut) == pytest.approx(max(gain(labels, bins <= each) for each in np.unique(bins)[:-1]))


def test_threshold_lies_between_the_bins_that_tell_most(pixels):
    labels, answers, threshold = split(pixels, candidates=1)
    edges = np.linspace(answers.min(), answers.max(), BINS + 1)[1:-1]
    best = max(gain(labels, answers < edge) for edge in edges)
    assert gain(labels, answers < threshold) == pytest.approx(best)


def test_best_of_many_candidates_tells_more_than_the_first(pixels):
    gains = [gain(labels, answers < cut) for labels, answers, cut in (split(pixels, m) for m in (1, 50))]
    assert gains[1] > gains[0]


def test_partition_puts_low_answers_before_high_ones(pixels):
    offsets, order = np.array([9.0, 3.0, -5.0, 8.0], np.float32), np.arange(len(pixels.label))
    middle = partition(pixels, order, 100, 700, offsets, 0.1)
    low = np.array([answer(pixels, n, offsets) < 0.1 for n in order])
    assert 100 < middle < 700
    assert_array_equal(low[100:700], np.arange(100, 700) < middle)
    assert_array_equal(np.sort(order[100:700]), np.arange(100, 700))


def test_forest_beats_the_most_frequent_label_by_a_fifth_of_all_pixels(pixels, judged):
    majority = np.bincount(judged.label).max() / len(judged.label)
    assert grow_forest(FEW_CANDIDATES, pixels, BUDGET).accuracy(judged) > majority + 0.2


def test_forest_learns_its_own_pixels(pixels):
    deep = replace(FEW_CANDIDATES, max_depth=60, min_samples=1)
    assert grow_forest(deep, pixels, BUDGET).accuracy(pixels) > 0.95


def test_same_seed_and_budget_grow_the_same_forest(pixels):
    first, again = (grow_forest(FEW_CANDIDATES, pixels, BUDGET, seed=7) for _ in range(2))
    assert_array_equal(first.nodes.offsets, again.nodes.offsets)
    assert_array_equal(first.nodes.threshold, again.nodes.threshold)


def test_another_seed_grows_another_forest(pixels):
    first, other = (grow_forest(FEW_CANDIDATES, pixels, BUDGET, seed) for seed in (1, 2))
    assert first.nodes.offsets[0, 0] != other.nodes.offsets[0, 0]


def test_trees_of_a_forest_differ(pixels):
    forest = grow_forest(FEW_CANDIDATES, pixels, BUDGET)
    assert len(set(forest.nodes.offsets[forest.roots, 0])) == len(forest.roots) > 1


@pytest.mark.parametrize("limit", [1, 10_000, 100_000, 1_000_000])
def test_budget_of_work_is_exceeded_by_one_node_at_most(pixels, limit):
    forest = grow_forest(FEW_CANDIDATES, pixels, Work(limit))
    size = len(pixels.label)
    dearest = 5 * (SAMPLE + DRAWING) + size
    assert limit <= forest.work < limit + max(dearest, 2 * size)


def test_work_counts_answers_of_samples_and_of_whole_nodes(pixels):
    stumps = grow_forest(replace(FEW_CANDIDATES, max_depth=1), pixels, Work(10**9))
    size = len(pixels.label)
    assert stumps.work == MOST_TREES * (2 * size + 5 * (SAMPLE + DRAWING) + size)


def test_interrupted_growth_goes_on_as_if_nothing_had_happened(pixels):
    whole, stepwise = (grow_forest(FEW_CANDIDATES, pixels, each) for each in (Work(100_000), InSteps(100_000)))
    assert_array_equal(whole.nodes.offsets, stepwise.nodes.offsets)
    assert whole.work == stepwise.work


def test_forest_without_time_to_grow_says_what_is_most_frequent(pixels, judged):
    forest = grow_forest(FEW_CANDIDATES, pixels, Work(1))
    assert len(forest.nodes.child) == 1
    assert len(set(forest.classify(judged))) == 1


def test_unfinished_tree_is_better_than_none(pixels, judged):
    part = grow_forest(FEW_CANDIDATES, pixels, Work(20_000))
    assert len(part.roots) == 1
    assert part.accuracy(judged) > grow_forest(FEW_CANDIDATES, pixels, Work(1)).accuracy(judged) + 0.05


def test_unfinished_tree_was_grown_depth_first(pixels):
    part = grow_forest(replace(FEW_CANDIDATES, candidates=50), pixels, Work(50_000))
    right = part.nodes.child[0] + 1
    assert part.nodes.child[right] == 0  # still a leaf, when its sister has grandchildren
    assert depths(part).max() >= 3


def test_no_node_is_deeper_than_allowed(pixels):
    assert depths(grow_forest(replace(FEW_CANDIDATES, max_depth=4), pixels, BUDGET)).max() == 4


def test_node_with_too_few_pixels_is_not_split(pixels):
    scarce = [grow_forest(replace(FEW_CANDIDATES, min_samples=n), pixels, BUDGET) for n in (1000, 1001)]
    assert [forest.nodes.child[0] > 0 for forest in scarce] == [True, False]


def test_shares_of_labels_sum_to_one_at_every_node(pixels):
    shares = grow_forest(FEW_CANDIDATES, pixels, BUDGET).nodes.shares
    # 32-bit numbers
    assert np.abs(shares.sum(axis=1) - 1.0).max() < 1e-5


def test_trees_without_bootstrap_begin_with_all_pixels(pixels):
    forest = grow_forest(FEW_CANDIDATES, pixels, BUDGET)
    assert_array_equal(forest.nodes.shares[forest.roots], np.float32(0.05))


def test_trees_with_bootstrap_begin_with_pixels_of_their_own(pixels):
    forest = grow_forest(replace(FEW_CANDIDATES, bootstrap=True), pixels, BUDGET)
    assert len(np.unique(forest.nodes.shares[forest.roots], axis=0)) == len(forest.roots)


def test_forest_has_at_most_a_hundred_trees(pixels):
    assert len(grow_forest(replace(FEW_CANDIDATES, max_depth=1), pixels, Work(10**9)).roots) == 100


def test_features_look_where_the_distributions_say(pixels):
    narrow = {"u_covariance_11": 1.0, "u_covariance_22": 1.0, "v_covariance_11": 1.0, "v_covariance_22": 1.0}
    means = {"u_mean_1": 10.0, "u_mean_2": 20.0, "v_mean_1": 30.0, "v_mean_2": 40.0}
    forest = grow_forest(Settings.of(SPACE.default | narrow | means | {"candidates": 5}), pixels, BUDGET)
    used = forest.nodes.offsets[forest.nodes.child > 0]
    # the mean of hundreds of offsets of spread 1, of which the most telling were kept
    assert np.abs(used.mean(axis=0) - [10.0, 20.0, 30.0, 40.0]).max() < 0.5


def test_forest_grown_by_the_clock_is_usable(pixels, judged):
    assert grow_forest(FEW_CANDIDATES, pixels, Seconds(0.05)).accuracy(judged) > 0.1


def test_clock_decides_whether_there_is_time_left():
    assert [Seconds(2.0).left(work=10**12, seconds=s) > 0 for s in (0.0, 1.9, 2.0)] == [True, True, False]


@pytest.mark.parametrize(("budget", "limit"), [(Work, 0), (Seconds, 0.0), (Seconds, -1.0)])
def test_budget_of_nothing_is_an_error(budget, limit):
    with pytest.raises(ValueError, match=r"limit of .*(above 0|at least 1)"):
        budget(limit)
