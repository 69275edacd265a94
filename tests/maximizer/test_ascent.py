"""Gradient ascent: what it scores, where it starts, and how far it climbs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Ascent
from rembo.maximizer import Ascending

ORIGIN = np.zeros((1, 2))


def test_ascent_scores_all_candidates_as_one_batch(bump, region, rng):
    Ascent(sobol=64, local=32)(bump, region, ORIGIN, rng)
    assert bump.batches[0] == 1 + 32 + 64


def test_ascent_scores_all_climbs_as_one_batch(bump, region, rng):
    Ascent(sobol=64, local=32, climbs=4)(bump, region, ORIGIN, rng)
    assert set(bump.batches[1:]) == {4}


def test_ascent_climbs_above_its_candidates(bump, region):
    sampled = Ascent(sobol=8, local=8, steps=0)(bump, region, ORIGIN, np.random.default_rng(0))
    climbed = Ascent(sobol=8, local=8, steps=30)(bump, region, ORIGIN, np.random.default_rng(0))
    assert climbed.value > sampled.value


def test_ascent_reaches_the_top_of_a_bump(bump, region, rng):
    # L-BFGS-B stops at gradients of 1e-5, where this bump is 1e-5 width^2 away from its top
    assert_allclose(Ascent()(bump, region, ORIGIN, rng).at, bump.peak, atol=1e-5)


@pytest.mark.parametrize("height", [1e-250, 1e-20, 1e20])
def test_ascent_climbs_a_score_of_any_magnitude(bump_of, region, rng, height):
    bump = bump_of([0.5, -0.75], height=height)
    # as above: the stopping rule is relative to the best score, so 1e-5 holds for every height
    assert_allclose(Ascent()(bump, region, ORIGIN, rng).at, bump.peak, atol=1e-5)


def test_ascent_climbs_from_a_best_score_of_exactly_zero(slope, region, rng):
    below = np.array([[0.0, 0.0], [-1.0, -1.0]])
    found = Ascent(sobol=1, local=0, climbs=2)(slope, region, below, rng)
    assert_array_equal(found.at, [2.0, 2.0])


def test_ascent_stops_at_the_border(slope, region, rng):
    assert_array_equal(Ascent()(slope, region, ORIGIN, rng).at, [2.0, 2.0])


def test_ascent_finds_the_highest_of_many_peaks(waves, region, rng):
    start = np.array([[1.9, -1.9]])
    # L-BFGS-B stops at gradients of 1e-5, where a curvature of 38 leaves less than 1e-6
    assert_allclose(Ascent()(waves, region, start, rng).at, [0.0, 0.0], atol=1e-6)


@pytest.fixture
def needle(bump_of):
    """A hundred widths from the start at (1, 1), where its height and its gradient underflow to zero."""
    return bump_of([1.1, 1.0], width=1e-3)


def test_ascent_finds_a_needle_close_to_a_start(needle, region, rng):
    found = Ascent()(needle, region, np.array([[1.0, 1.0]]), rng)
    assert found.value == pytest.approx(1.0)


def test_ascent_misses_the_needle_without_local_candidates(needle, region, rng):
    found = Ascent(local=0)(needle, region, np.array([[1.0, 1.0]]), rng)
    assert found.value < 0.5


def test_ascent_takes_the_best_candidate_when_there_is_no_gradient(region):
    class Stairs:
        def __call__(self, Y):
            return np.floor(4.0 * Y).sum(axis=1)

        def with_gradient(self, Y):
            return Ascending(self(Y), np.zeros_like(Y))

    sampled = Ascent(steps=0)(Stairs(), region, ORIGIN, np.random.default_rng(0))
    climbed = Ascent()(Stairs(), region, ORIGIN, np.random.default_rng(0))
    assert climbed.value == sampled.value


def test_ascent_prefers_the_first_start_when_all_tie(bump_of, region, rng):
    flat = bump_of([0.0, 0.0], height=0.0)
    starts = np.array([[0.3, 0.4], [0.0, 0.0]])
    assert_array_equal(Ascent()(flat, region, starts, rng).at, starts[0])


def test_ascent_draws_other_candidates_from_another_seed(waves, region):
    first, second = (
        Ascent(steps=0)(waves, region, ORIGIN + 1.9, np.random.default_rng(seed)).at.tolist() for seed in (1, 2)
    )
    assert first != second
