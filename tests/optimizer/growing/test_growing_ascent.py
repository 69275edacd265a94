"""Where a score is highest around a point: candidates that change some entries, climbs in a box, and exchanges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Integer, Region
from rembo.kernel import Leaves
from rembo.maximizer import Ascending
from rembo.optimizer.growing.ascent import Ground, highest, reaches

WIDE, NEAR = slice(192), slice(192, 320)  # the candidates all over the box, and around the point


class Remembered:
    """A flat score that remembers all points it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, Y):
        self.asked.append(Y.copy())
        return np.zeros(len(Y))

    def with_gradient(self, Y):
        return Ascending(self(Y), np.zeros_like(Y))


class Bump(Remembered):
    """exp(-|y - peak|^2 / (2 width^2))."""

    def __init__(self, peak, width=0.5):
        super().__init__()
        self.peak, self.width = np.asarray(peak, dtype=float), width

    def __call__(self, Y):
        self.asked.append(Y.copy())
        return np.exp(-((Y - self.peak) ** 2).sum(axis=1) / (2.0 * self.width**2))

    def with_gradient(self, Y):
        values = self(Y)
        return Ascending(values, -values[:, None] * (Y - self.peak) / self.width**2)


class Slope(Remembered):
    """The sum of the coordinates: highest in a corner of the box."""

    def __call__(self, Y):
        return Y.sum(axis=1)

    def with_gradient(self, Y):
        return Ascending(self(Y), np.ones_like(Y))


class Waves(Remembered):
    """cos(6 y) - y^2 in each coordinate: many peaks, the highest at the origin."""

    def __call__(self, Y):
        return (np.cos(6.0 * Y) - Y**2).sum(axis=1)

    def with_gradient(self, Y):
        return Ascending(self(Y), -6.0 * np.sin(6.0 * Y) - 2.0 * Y)


def found(score, at, box=None, lengths=None, leaves=None, seed=0, smooth=None):
    """What is found around a point, by default of the unit cube, where all is a number and every length scale 1."""
    dim = len(at)
    box = Region(dim, 1.0) if box is None else box
    lengths = np.ones(dim) if lengths is None else lengths
    leaves = Leaves.numbers(dim) if leaves is None else leaves
    ground = Ground(box, np.asarray(at, dtype=float), lengths, leaves)
    return highest(score, score if smooth is None else smooth, ground, np.random.default_rng(seed))


def candidates(at, box=None, lengths=None):
    """All candidates that are scored before any is climbed."""
    score = Remembered()
    found(score, at, box, lengths)
    return score.asked[0]


def test_top_of_a_bump_is_reached():
    score = Bump([0.5, -0.75])
    # L-BFGS-B stops at gradients of 1e-5, where this bump is 1e-5 width^2 away from its top
    assert_allclose(found(score, np.zeros(2)).at, score.peak, atol=1e-5)


def test_climb_ends_at_the_border_of_a_window():
    window = Region(2, 2.0).window(np.array([0.5, 1.9]), np.array([0.25, 0.5]))
    assert_array_equal(found(Slope(), [0.5, 1.9], window).at, [0.75, 2.0])


@pytest.mark.parametrize("dim", [1, 2, 64])
def test_candidates_lie_in_the_window(dim):
    at = np.linspace(-1.0, 1.0, dim)
    window = Region(dim, 1.0).window(at, np.full(dim, 0.3))
    Y = candidates(at, window, np.full(dim, 5.0))
    assert len(Y) == 192 + 128 + 1
    assert_array_equal(window.clip(Y), Y)


def test_given_point_is_a_candidate():
    assert_array_equal(candidates(np.array([0.3, -0.2]))[-1], [0.3, -0.2])


def test_answer_lies_above_all_candidates():
    score = Bump([0.5, -0.75])
    assert found(score, np.zeros(2)).value > score(score.asked[0]).max()


def test_same_seed_gives_the_same_answer():
    first, second = (found(Waves(), np.full(2, 0.9), seed=4) for _ in range(2))
    assert_array_equal(first.at, second.at)
    assert first.value == second.value


def test_answer_has_the_score_that_it_says():
    answer = found(Waves(), np.full(2, 0.9))
    assert answer.value == Waves()(answer.at[None, :])[0]


@pytest.mark.parametrize("dim", [1, 2, 64])
def test_answer_is_never_lower_than_at_the_given_point(dim):
    at = np.full(dim, 0.3)
    needle = Bump(at, width=1e-9)  # no candidate but the point itself meets it
    assert found(needle, at).value >= needle(at[None, :])[0]


def test_about_twenty_coordinates_change_in_candidates_all_over_the_box():
    """A mean of 192 x 160 draws of probability 1/8 strays by 5 standard deviations with probability 6e-7."""
    at = np.full(160, 0.123)
    changed = (candidates(at)[WIDE] != at).sum(axis=1)
    assert abs(changed.mean() - 20.0) < 5.0 * np.sqrt(160 * 0.125 * 0.875 / 192)


def test_all_coordinates_change_where_there_are_few():
    assert np.all(candidates(np.full(5, 0.123))[WIDE] != 0.123)


def test_every_other_step_changes_about_three_coordinates():
    """A mean of 64 x 64 draws of probability 3/64 strays by 5 standard deviations with probability 6e-7."""
    changed = (candidates(np.zeros(64))[NEAR] != 0.0).sum(axis=1)
    assert abs(changed[::2].mean() - 3.0) < 5.0 * np.sqrt(3.0 * (1.0 - 3.0 / 64) / 64)
    assert_array_equal(changed[1::2], np.full(64, 64))


def test_steps_are_longer_where_the_length_scales_are():
    lengths, box = np.array([1e-3, 1.0]), Region(2, 1e6)
    near = candidates(np.zeros(2), box, lengths)[NEAR]
    assert_allclose(near / lengths, candidates(np.zeros(2), box)[NEAR])


def test_score_that_is_no_number_leaves_a_point_of_the_box():
    class Nowhere(Remembered):
        def __call__(self, Y):
            return np.full(len(Y), np.nan)

    assert Region(2, 1.0).contains(found(Nowhere(), np.zeros(2)).at)


CHOICES = Leaves(np.array([2, 3, 5, 7, 2, 4, 3, 6]), {})
NUMBERS = Leaves(np.zeros(3, dtype=np.int64), {0: Integer(1, 1000), 1: Integer(1, 4096, log=True), 2: Integer(-3, 3)})
MIXED = Leaves(np.array([0, 3, 5, 0, 2, 0]), {3: Integer(1, 100)})  # leaves 0 and 5 take any number
EVERY = {"choices": CHOICES, "numbers": NUMBERS, "mixed": MIXED}
every_leaves = pytest.mark.parametrize("leaves", EVERY.values(), ids=EVERY.keys())


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


def around(score, leaves, seed=0, smooth=None):
    """What is found around a random point of leaves."""
    at = leaves.snap(np.random.default_rng(seed + 100).uniform(-1.0, 1.0, (1, len(leaves.choices))))[0]
    return found(score, at, leaves=leaves, seed=seed, smooth=smooth)


@pytest.mark.parametrize("number", [0, 5, 11, -1])
@pytest.mark.parametrize("leaves", [CHOICES, NUMBERS], ids=["choices", "numbers"])
def test_best_single_exchange_is_found(leaves, number):
    at = leaves.snap(np.full((1, len(leaves.choices)), 0.1))[0]
    best = leaves.neighbours(at)[number]
    assert_array_equal(found(Needle(best, at), at, leaves=leaves).at, best)


@pytest.mark.parametrize("seed", range(5))
def test_top_of_a_separable_score_over_choices_is_reached(seed):
    score = Table(CHOICES, seed)
    best = sum(row[:choices].max() for row, choices in zip(score.table, CHOICES.choices, strict=True))
    assert around(score, CHOICES, seed).value == pytest.approx(best)


def test_top_of_a_separable_score_over_hundreds_of_bits_is_reached():
    bits = Leaves(np.full(300, 2), {})
    score = Table(bits, seed=0)
    assert around(score, bits).value == pytest.approx(score.table.max(axis=1).sum())


@pytest.mark.parametrize("seed", range(5))
def test_best_whole_numbers_are_reached(seed):
    peak = NUMBERS.snap(np.random.default_rng(seed).uniform(-1.0, 1.0, (1, 3)))[0]
    assert_array_equal(around(Peak(NUMBERS, peak), NUMBERS, seed).at, peak)


@pytest.mark.parametrize("seed", range(5))
def test_top_of_a_mixed_score_is_reached(seed):
    score = Peak(MIXED, np.random.default_rng(seed).uniform(-1.0, 1.0, 6))
    at = around(score, MIXED, seed).at
    assert_array_equal(at[~MIXED.continuous], score.peak[~MIXED.continuous])
    # L-BFGS-B stops where a step gains less than 1e-9 of the first value, which is about 1: 3e-5 from the top
    assert_allclose(at[MIXED.continuous], score.peak[MIXED.continuous], rtol=0.0, atol=1e-4)


def test_whole_numbers_are_climbed_by_the_gradient_of_the_smooth_score():
    peak, smooth = NUMBERS.snap(np.array([[0.77, -0.4, 0.9]]))[0], Bump([0.77, -0.4, 0.9])
    assert_array_equal(around(Needle(peak, peak), NUMBERS, smooth=smooth).at, peak)


@every_leaves
@pytest.mark.parametrize("seed", range(3))
def test_answer_is_a_snapped_point(leaves, seed):
    score = Peak(leaves, np.random.default_rng(seed).uniform(-1.0, 1.0, len(leaves.choices)))
    at = around(score, leaves, seed).at[None, :]
    assert_array_equal(leaves.snap(at), at)


@every_leaves
def test_only_snapped_points_are_scored(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 0.3))
    around(score, leaves, smooth=Remembered())
    asked = np.vstack(score.asked)
    assert_array_equal(leaves.snap(asked), asked)


@every_leaves
def test_only_points_of_the_region_are_scored(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 1.0))
    around(score, leaves)
    assert np.abs(np.vstack(score.asked)).max() <= 1.0


def test_given_point_is_snapped():
    at = np.full(8, 0.123)
    assert found(Needle(CHOICES.snap(at[None, :])[0], at), at, leaves=CHOICES).value == 1.0


@every_leaves
def test_answer_with_choices_is_never_lower_than_at_the_given_point(leaves):
    at = leaves.snap(np.full((1, len(leaves.choices)), 0.3))[0]
    assert found(Needle(at, at), at, leaves=leaves).value == 1.0


@every_leaves
def test_answer_with_choices_has_the_score_that_it_says(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 0.3))
    answer = around(score, leaves)
    assert answer.value == score(answer.at[None, :])[0]


@every_leaves
def test_same_seed_gives_the_same_answer_with_choices(leaves):
    score = Peak(leaves, np.full(len(leaves.choices), 0.3))
    first, second = (around(score, leaves, seed=4) for _ in range(2))
    assert_array_equal(first.at, second.at)


def test_steps_near_the_point_draw_about_three_choices_afresh():
    """A fresh draw among 100 choices falls elsewhere 99 times in 100; a step within a length scale of 1e-6 never.

    A mean of 128 x 50 draws of probability 0.99 x 3/50 strays by 5 standard deviations with probability 6e-7.
    """
    leaves, score = Leaves(np.full(50, 100), {}), Remembered()
    at = leaves.snap(np.full((1, 50), 0.3))[0]
    found(score, at, lengths=np.full(50, 1e-6), leaves=leaves)
    changed = (score.asked[0][NEAR] != at).sum(axis=1)
    assert abs(changed.mean() - 2.97) < 5.0 * np.sqrt(2.97 * (1.0 - 2.97 / 50) / 128)


@every_leaves
@pytest.mark.parametrize("value", [np.nan, -np.inf, 0.0])
def test_score_over_choices_that_tells_nothing_leaves_a_point_of_the_region(leaves, value):
    class Nothing(Remembered):
        def __call__(self, Y):
            return np.full(len(Y), value)

    assert np.abs(around(Nothing(), leaves).at).max() <= 1.0


# How far from the incumbent to look


@pytest.mark.parametrize("factor", [0.1, 1.0, 30.0])
def test_reach_depends_on_the_ratios_of_length_scales_alone(factor):
    lengths = factor * np.array([0.5, 1.0, 2.0])
    assert_allclose(reaches(0.8, lengths, Leaves.numbers(3)), [0.4, 0.8, 1.6])


def test_reach_is_at_most_fourfold():
    lengths = np.array([1e-3, 1e-3, 1e3])
    assert reaches(0.8, lengths, Leaves.numbers(3)).max() == pytest.approx(3.2)


def test_categoricals_and_lone_whole_numbers_are_not_confined():
    leaves = Leaves(np.array([0, 3, 0]), {2: Integer(1, 9)})
    assert_allclose(reaches(0.8, np.ones(3), leaves), [0.8, 2.0, 2.0])
