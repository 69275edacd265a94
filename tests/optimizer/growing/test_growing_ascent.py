"""Ascent around a point: candidates that change some entries, climbs in a window, and exchanges of choices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Integer, Region
from rembo.kernel import Leaves
from rembo.maximizer import Ascending, SparseAscent

FLAT = np.ones(2)
PLANE = Leaves.numbers(2)


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
    search(score, box, at, scales, Leaves.numbers(box.dim), np.random.default_rng(0))
    return score.asked[0]


def test_sparse_ascent_reaches_the_top_of_a_bump(bump, region, rng):
    # L-BFGS-B stops at gradients of 1e-5, where this bump is 1e-5 width^2 away from its top
    assert_allclose(SparseAscent()(bump, region, np.zeros(2), FLAT, PLANE, rng).at, bump.peak, atol=1e-5)


def test_sparse_ascent_stops_at_the_border_of_a_window(slope, region, rng):
    window = region.window(np.array([0.5, 1.9]), np.array([0.25, 0.5]))
    assert_array_equal(SparseAscent()(slope, window, np.array([0.5, 1.9]), FLAT, PLANE, rng).at, [0.75, 2.0])


@pytest.mark.parametrize("dim", [1, 2, 64])
def test_candidates_lie_in_the_window(dim):
    at = np.linspace(-1.0, 1.0, dim)
    window = Region(dim, 1.0).window(at, np.full(dim, 0.3))
    Y = candidates(SparseAscent(), window, at, np.full(dim, 5.0))
    assert len(Y) >= 512 + 256
    assert_array_equal(window.clip(Y), Y)


def test_sparse_ascent_scores_all_candidates_as_one_batch(bump, region, rng):
    SparseAscent(sobol=64, local=32)(bump, region, np.zeros(2), FLAT, PLANE, rng)
    assert bump.batches[0] >= 64 + 32


def test_sparse_ascent_climbs_above_its_candidates(bump, region):
    low, high = (
        SparseAscent(sobol=8, local=8, steps=steps)(bump, region, np.zeros(2), FLAT, PLANE, np.random.default_rng(0))
        for steps in (0, 25)
    )
    assert high.value > low.value


def test_sparse_ascent_with_the_same_seed_gives_the_same_answer(waves, region):
    first, second = (
        SparseAscent(sobol=16, local=16)(waves, region, np.ones(2), FLAT, PLANE, np.random.default_rng(4))
        for _ in range(2)
    )
    assert_array_equal(first.at, second.at)
    assert first.value == second.value


def test_answer_has_the_score_that_it_says(waves, region, rng):
    found = SparseAscent()(waves, region, np.ones(2), FLAT, PLANE, rng)
    assert found.value == waves(found.at[None, :])[0]


@pytest.mark.parametrize("dim", [1, 2, 64])
def test_answer_is_never_lower_than_at_the_given_point(bump_of, dim):
    at = np.full(dim, 0.3)
    needle = bump_of(at, width=1e-9)  # no candidate but the point itself meets it
    found = SparseAscent()(needle, Region(dim, 1.0), at, np.ones(dim), Leaves.numbers(dim), np.random.default_rng(0))
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

    assert region.contains(SparseAscent()(Nowhere(), region, np.zeros(2), FLAT, PLANE, rng).at)


CHOICES = Leaves(np.array([2, 3, 5, 7, 2, 4, 3, 6]), {})
NUMBERS = Leaves(np.zeros(3, dtype=np.int64), {0: Integer(1, 1000), 1: Integer(1, 4096, log=True), 2: Integer(-3, 3)})
MIXED = Leaves(np.array([0, 3, 5, 0, 2, 0]), {3: Integer(1, 100)})  # leaves 0 and 5 take any number
EVERY = {"choices": CHOICES, "numbers": NUMBERS, "mixed": MIXED}
every_leaves = pytest.mark.parametrize("leaves", EVERY.values(), ids=EVERY.keys())
FEW = SparseAscent(sobol=2, local=2)


class Peak(Remembered):
    """Minus the distance to a peak: squared where a leaf takes any number, the distance of snapped places elsewhere."""

    def __init__(self, leaves, peak):
        super().__init__()
        self.leaves, self.peak = leaves, leaves.snap(np.asarray(peak, dtype=float)[None, :])[0]

    def __call__(self, Y):
        self.asked.append(Y.copy())
        apart = self.leaves.snap(Y) - self.peak
        return -np.where(self.leaves.continuous, apart**2, np.abs(apart)).sum(axis=1)

    def with_gradient(self, Y):
        slopes = np.where(self.leaves.continuous, -2.0 * (Y - self.peak), 0.0)
        return Ascending(self(Y), slopes)


class Table(Remembered):
    """A sum over leaves of an arbitrary number for each choice."""

    def __init__(self, leaves, seed):
        super().__init__()
        self.choices = leaves.choices
        self.table = np.random.default_rng(seed).standard_normal((len(self.choices), self.choices.max()))

    def __call__(self, Y):
        self.asked.append(Y.copy())
        levels = np.floor((Y + 1.0) * self.choices / 2.0).astype(int)
        return self.table[np.arange(len(self.choices)), levels].sum(axis=1)


class Needle(Remembered):
    """1 at one point, 1/2 at another, and 0 everywhere else."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def __call__(self, Y):
        return np.where((self.first == Y).all(axis=1), 1.0, 0.5 * (self.second == Y).all(axis=1))


def found(search, score, leaves, seed=0, at=None):
    dim = len(leaves.choices)
    at = leaves.snap(np.random.default_rng(seed + 100).uniform(-1.0, 1.0, (1, dim)))[0] if at is None else at
    return search(score, Region(dim, 1.0), at, np.ones(dim), leaves, np.random.default_rng(seed))


@pytest.mark.parametrize("number", [0, 5, 11, -1])
@pytest.mark.parametrize("leaves", [CHOICES, NUMBERS], ids=["choices", "numbers"])
def test_sparse_ascent_finds_the_best_single_exchange(leaves, number):
    at = leaves.snap(np.full((1, len(leaves.choices)), 0.1))[0]
    best = leaves.neighbours(at)[number]
    assert_array_equal(found(FEW, Needle(best, at), leaves, at=at).at, best)


@pytest.mark.parametrize("seed", range(5))
def test_sparse_ascent_reaches_the_top_of_a_separable_score_over_choices(seed):
    score = Table(CHOICES, seed)
    best = sum(row[:choices].max() for row, choices in zip(score.table, CHOICES.choices, strict=True))
    assert found(FEW, score, CHOICES, seed).value == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_sparse_ascent_reaches_the_best_whole_numbers(seed):
    peak = NUMBERS.snap(np.random.default_rng(seed).uniform(-1.0, 1.0, (1, 3)))[0]
    assert_array_equal(found(FEW, Peak(NUMBERS, peak), NUMBERS, seed).at, peak)


@pytest.mark.parametrize("seed", range(5))
def test_sparse_ascent_reaches_the_top_of_a_mixed_score(seed):
    score = Peak(MIXED, np.random.default_rng(seed).uniform(-1.0, 1.0, 6))
    at = found(SparseAscent(), score, MIXED, seed).at
    assert_array_equal(at[~MIXED.continuous], score.peak[~MIXED.continuous])
    # L-BFGS-B stops where a step gains less than 1e-9 of the first value, which is about 1: 3e-5 from the top
    assert_allclose(at[MIXED.continuous], score.peak[MIXED.continuous], rtol=0.0, atol=1e-4)


@every_leaves
@pytest.mark.parametrize("seed", range(3))
def test_sparse_ascent_answers_with_a_snapped_point(leaves, seed):
    score = Peak(leaves, np.random.default_rng(seed).uniform(-1.0, 1.0, len(leaves.choices)))
    at = found(SparseAscent(sobol=32, local=32), score, leaves, seed).at[None, :]
    assert_array_equal(leaves.snap(at), at)


@every_leaves
def test_sparse_ascent_asks_for_snapped_points_alone(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 0.3))
    found(SparseAscent(sobol=32, local=32), score, leaves)
    asked = np.vstack(score.asked)
    assert_array_equal(leaves.snap(asked), asked)


@every_leaves
def test_sparse_ascent_asks_for_points_of_the_region_alone(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 1.0))
    found(SparseAscent(sobol=32, local=32), score, leaves)
    assert np.abs(np.vstack(score.asked)).max() <= 1.0


def test_sparse_ascent_snaps_a_point_that_was_not():
    at = np.full(8, 0.123)
    answer = found(FEW, Needle(CHOICES.snap(at[None, :])[0], at), CHOICES, at=at)
    assert answer.value == 1.0


@every_leaves
def test_answer_with_choices_is_never_lower_than_at_the_given_point(leaves):
    at = leaves.snap(np.full((1, len(leaves.choices)), 0.3))[0]
    assert found(SparseAscent(), Needle(at, at), leaves, at=at).value == 1.0


@every_leaves
def test_answer_with_choices_has_the_score_that_it_says(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 0.3))
    answer = found(SparseAscent(sobol=32, local=32), score, leaves)
    assert answer.value == score(answer.at[None, :])[0]


@every_leaves
def test_same_seed_gives_the_same_answer_with_choices(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 0.3))
    first, second = (found(SparseAscent(sobol=32, local=32), score, leaves, seed=4) for _ in range(2))
    assert_array_equal(first.at, second.at)


def test_steps_near_the_point_draw_about_three_choices_afresh():
    """A fresh draw among 100 choices falls elsewhere 99 times in 100; a step within a length scale of 1e-6 never.

    A mean of 256 x 50 draws of probability 0.99 x 3/50 strays by 5 standard deviations with probability 6e-7.
    """
    leaves, score = Leaves(np.full(50, 100), {}), Remembered()
    at = leaves.snap(np.full((1, 50), 0.3))[0]
    SparseAscent()(score, Region(50, 1.0), at, np.full(50, 1e-6), leaves, np.random.default_rng(0))
    changed = (score.asked[0][512:768] != at).sum(axis=1)
    assert abs(changed.mean() - 2.97) < 5.0 * np.sqrt(2.97 * (1.0 - 2.97 / 50) / 256)


@every_leaves
@pytest.mark.parametrize("value", [np.nan, -np.inf, 0.0])
def test_sparse_ascent_over_choices_survives_a_score_that_tells_nothing(leaves, value):
    class Nothing(Remembered):
        def __call__(self, Y):
            return np.full(len(Y), value)

    assert np.abs(found(SparseAscent(), Nothing(), leaves).at).max() <= 1.0
