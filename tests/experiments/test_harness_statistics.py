"""The statistics, by hand and against SciPy."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from harness.search import Line
from harness.statistics import Summary, band, best_so_far, curves, rank_tests, same_distribution, same_mean

SAMPLES = {name: np.random.default_rng(seed).exponential(scale, 20) for seed, (name, scale) in
           enumerate([("a", 1.0), ("b", 1.5), ("c", 8.0)])}  # fmt: skip


def line(*gaps):
    return Line("branin-25", "random", 0, 100, gaps, 0.1, {})


def test_gap_holds_from_one_improvement_to_the_next():
    assert_array_equal(best_so_far(line((1, 9.0), (3, 4.0), (4, 1.0)), 6), [9.0, 9.0, 4.0, 1.0, 1.0, 1.0])


def test_gap_is_infinite_before_the_first_value():
    assert_array_equal(best_so_far(line((2, 4.0)), 3), [math.inf, 4.0, 4.0])


def test_curves_of_all_seeds_stand_on_one_grid():
    assert_array_equal(curves([line((1, 9.0), (3, 4.0)), line((1, 2.0))], 3), [[9.0, 9.0, 4.0], [2.0, 2.0, 2.0]])


def test_band_reaches_a_quarter_of_a_standard_deviation_from_the_mean():
    found = band(np.array([[1.0, 2.0], [3.0, 8.0]]))
    assert_array_equal(found.mean, [2.0, 5.0])
    assert_allclose(found.high, [2.0 + math.sqrt(2.0) / 4.0, 5.0 + math.sqrt(18.0) / 4.0])
    assert_allclose(found.mean - found.low, found.high - found.mean)


def test_band_of_a_single_seed_has_no_width():
    found = band(np.array([[1.0, 2.0]]))
    assert_array_equal(found.low, found.high)


def test_summary_has_the_statistics_of_a_sample():
    found = Summary((1.0, 2.0, 6.0))
    assert (found.mean, found.median, found.worst) == (3.0, 2.0, 6.0)
    assert found.std == pytest.approx(math.sqrt(7.0))
    assert found.error == pytest.approx(math.sqrt(7.0 / 3.0))


def test_single_seed_has_no_spread():
    assert math.isnan(Summary((1.0,)).std)


def test_rank_test_of_separated_samples_is_exact():
    (test,) = rank_tests({"low": [1.0, 2.0, 3.0], "high": [4.0, 5.0, 6.0]})
    assert (test.statistic, test.p) == (0.0, pytest.approx(2.0 / 20.0))  # of 6! / (3! 3!) orders, two are as extreme


def test_all_pairs_are_tested_once():
    assert [(test.first, test.second) for test in rank_tests(SAMPLES)] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_bonferroni_multiplies_by_the_number_of_pairs():
    alone = stats.mannwhitneyu(SAMPLES["b"], SAMPLES["c"], alternative="two-sided").pvalue
    assert rank_tests(SAMPLES)[2].p == pytest.approx(3.0 * alone)


def test_corrected_p_value_is_at_most_one():
    samples = {name: [1.0, 2.0, 3.0, 4.0] for name in "abcd"}
    assert {test.p for test in rank_tests(samples)} == {1.0}


def test_difference_is_significant_below_five_percent():
    assert [test.significant for test in rank_tests(SAMPLES)] == [False, True, True]


def test_equal_samples_have_the_same_distribution():
    assert same_distribution(SAMPLES["a"], SAMPLES["a"]) == 1.0


def test_separated_samples_are_told_apart_exactly():
    assert same_distribution([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) == pytest.approx(2.0 / 20.0)  # two orders of twenty


def test_welch_test_of_printed_statistics_is_that_of_the_samples():
    a, c = SAMPLES["a"], SAMPLES["c"]
    expected = stats.ttest_ind(a, c, equal_var=False).pvalue
    assert same_mean(Summary(tuple(a)), c.mean(), c.std(ddof=1), len(c)) == pytest.approx(expected)
