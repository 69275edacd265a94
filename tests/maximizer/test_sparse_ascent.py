"""Ascent around a point: candidates that change some coordinates, steps in length scales, climbs in a window."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Region
from rembo.maximizer import Ascending, SparseAscent

FLAT = np.ones(2)


class Remembered:
    """A flat score that remembers all points it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, Y):
        self.asked.append(Y.copy())
        return np.zeros(len(Y))

    def with_gradient(self, Y):
        return Ascending(self(Y), np.zeros_like(Y))


def candidates(search, box, at, scales):
    """All candidates that a search scores before it climbs."""
    score = Remembered()
    search(score, box, at, scales, np.random.default_rng(0))
    return score.asked[0]


def test_sparse_ascent_reaches_the_top_of_a_bump(bump, region, rng):
    # L-BFGS-B stops at gradients of 1e-5, where this bump is 1e-5 width^2 away from its top
    assert_allclose(SparseAscent()(bump, region, np.zeros(2), FLAT, rng).at, bump.peak, atol=1e-5)


def test_sparse_ascent_stops_at_the_border_of_a_window(slope, region, rng):
    window = region.window(np.array([0.5, 1.9]), np.array([0.25, 0.5]))
    assert_array_equal(SparseAscent()(slope, window, np.array([0.5, 1.9]), FLAT, rng).at, [0.75, 2.0])


@pytest.mark.parametrize("dim", [1, 2, 64])
def test_candidates_lie_in_the_window(dim):
    at = np.linspace(-1.0, 1.0, dim)
    window = Region(dim, 1.0).window(at, np.full(dim, 0.3))
    Y = candidates(SparseAscent(), window, at, np.full(dim, 5.0))
    assert len(Y) >= 512 + 256
    assert_array_equal(window.clip(Y), Y)


def test_sparse_ascent_scores_all_candidates_as_one_batch(bump, region, rng):
    SparseAscent(sobol=64, local=32)(bump, region, np.zeros(2), FLAT, rng)
    assert bump.batches[0] >= 64 + 32


def test_sparse_ascent_climbs_above_its_candidates(bump, region):
    low, high = (
        SparseAscent(sobol=8, local=8, steps=steps)(bump, region, np.zeros(2), FLAT, np.random.default_rng(0))
        for steps in (0, 25)
    )
    assert high.value > low.value


def test_sparse_ascent_with_the_same_seed_gives_the_same_answer(waves, region):
    first, second = (
        SparseAscent(sobol=16, local=16)(waves, region, np.ones(2), FLAT, np.random.default_rng(4)) for _ in range(2)
    )
    assert_array_equal(first.at, second.at)
    assert first.value == second.value


def test_answer_has_the_score_that_it_says(waves, region, rng):
    found = SparseAscent()(waves, region, np.ones(2), FLAT, rng)
    assert found.value == waves(found.at[None, :])[0]


@pytest.mark.parametrize("dim", [1, 2, 64])
def test_answer_is_never_lower_than_at_the_given_point(bump_of, dim):
    at = np.full(dim, 0.3)
    needle = bump_of(at, width=1e-9)  # no candidate but the point itself meets it
    found = SparseAscent()(needle, Region(dim, 1.0), at, np.ones(dim), np.random.default_rng(0))
    assert found.value >= needle(at[None, :])[0]


def test_about_as_many_coordinates_change_as_asked():
    """A mean of 512 x 64 draws of probability 1/8 strays by 5 standard deviations, 0.15, with probability 6e-7."""
    at = np.full(64, 0.123)
    wide = candidates(SparseAscent(changed=8), Region(64, 1.0), at, np.ones(64))[:512]
    assert abs((wide != at).sum(axis=1).mean() - 8.0) < 5.0 * np.sqrt(64 * 0.125 * 0.875 / 512)


def test_all_coordinates_change_where_there_are_few():
    wide = candidates(SparseAscent(changed=20), Region(5, 1.0), np.full(5, 0.123), np.ones(5))[:512]
    assert np.all(wide != 0.123)


def test_every_other_step_changes_about_three_coordinates():
    """A mean of 128 x 64 draws of probability 3/64 strays by 5 standard deviations with probability 6e-7."""
    near = candidates(SparseAscent(), Region(64, 1.0), np.zeros(64), np.ones(64))[512:768]
    changed = (near != 0.0).sum(axis=1)
    assert abs(changed[::2].mean() - 3.0) < 5.0 * np.sqrt(3.0 * (1.0 - 3.0 / 64) / 128)
    assert_array_equal(changed[1::2], np.full(128, 64))


def test_steps_are_longer_where_the_length_scales_are():
    scales = np.array([1e-3, 1.0])
    near = candidates(SparseAscent(), Region(2, 1e6), np.zeros(2), scales)[512:768]
    assert_allclose(near / scales, candidates(SparseAscent(), Region(2, 1e6), np.zeros(2), FLAT)[512:768])


def test_sparse_ascent_survives_a_score_that_is_no_number(region, rng):
    class Nowhere(Remembered):
        def __call__(self, Y):
            return np.full(len(Y), np.nan)

    assert region.contains(SparseAscent()(Nowhere(), region, np.zeros(2), FLAT, rng).at)
