"""DIRECT and CMA-ES: their budgets, their batches, and what each finds that the other may not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import CMAES, Direct, Region

ORIGIN = np.zeros((1, 2))


def test_direct_throws_no_dice(waves, region):
    first, second = (Direct()(waves, region, ORIGIN + 1.9, np.random.default_rng(seed)) for seed in (1, 2))
    assert_array_equal(first.at, second.at)


def test_direct_finds_the_highest_of_many_peaks(waves, region, rng):
    found = Direct()(waves, region, np.array([[1.9, -1.9]]), rng)
    assert_allclose(found.at, [0.0, 0.0], atol=1e-8)


def test_direct_keeps_a_start_that_it_cannot_beat(bump_of, region, rng):
    needle = bump_of([0.111, 0.777], width=1e-4)
    start = needle.peak[None, :]
    assert_array_equal(Direct(40)(needle, region, start, rng).at, start[0])


@pytest.mark.parametrize("evaluations", [20, 100, 500])
def test_direct_keeps_to_its_budget_within_one_division(bump_of, region, rng, evaluations):
    needle = bump_of([0.111, 0.777], width=0.05)
    Direct(evaluations)(needle, region, ORIGIN, rng)
    # one more than the budget for the start; SciPy checks the budget between divisions, each of which may cost
    # two evaluations a dimension for each of the few rectangles it divides
    assert sum(needle.batches) <= evaluations + 1 + 20


def test_cmaes_scores_each_generation_as_one_batch(bump, region, rng):
    CMAES(60)(bump, region, ORIGIN, rng)
    assert bump.batches == [1] + [6] * 10


@pytest.mark.parametrize("evaluations", [20, 100, 500])
def test_cmaes_keeps_to_its_budget(bump, region, rng, evaluations):
    CMAES(evaluations)(bump, region, ORIGIN, rng)
    assert sum(bump.batches) <= evaluations + len(ORIGIN)


def test_cmaes_returns_the_best_start_when_the_budget_is_below_a_generation(bump, region, rng):
    starts = np.array([[0.0, 0.0], [0.5, -0.5]])
    assert_array_equal(CMAES(5)(bump, region, starts, rng).at, starts[1])


def test_cmaes_starts_from_the_best_of_the_starts(bump_of, region, rng):
    needle = bump_of([1.5, 1.5], width=0.02)  # out of sight from the first start
    starts = np.array([[-1.5, -1.5], [1.45, 1.45]])
    assert CMAES(400, sigma=0.05)(needle, region, starts, rng).value == pytest.approx(1.0, abs=1e-3)


def test_cmaes_takes_a_start_on_the_border(slope, region, rng):
    corner = np.array([[2.0, 2.0]])
    assert_array_equal(CMAES(60)(slope, region, corner, rng).at, corner[0])


def test_cmaes_searches_a_line(bump_of, rng):
    line = bump_of([0.3])
    found = CMAES()(line, Region(1, 1.0), np.array([[-0.9]]), rng)
    # 500 evaluations narrow a smooth peak of width 0.5 down to the square root of rounding, about 1e-8
    assert_allclose(found.at, [0.3], atol=1e-6)


def test_cmaes_goes_another_way_with_another_seed(bump, region):
    first, second = (CMAES(60)(bump, region, ORIGIN, np.random.default_rng(seed)).at.tolist() for seed in (1, 2))
    assert first != second
