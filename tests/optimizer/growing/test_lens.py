"""The polishing step: it finds the bottom of a bowl, keeps to the box, moves numbers only, and knows when to stay."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.kernel import Leaves
from rembo.optimizer.growing.directions import Directions
from rembo.optimizer.growing.lens import Lens
from rembo.space import Integer

BOTTOM = np.array([0.3, -0.2])


def around(center, n=14, width=0.3, seed=0):
    """Some points of a box of this half width, cut off at the border of [-1,1]^d."""
    center = np.asarray(center)
    return np.clip(center + np.random.default_rng(seed).uniform(-width, width, (n, len(center))), -1.0, 1.0)


def bowl(Y, bottom=BOTTOM):
    """Steeper along the second axis than along the first; the others do not matter."""
    return (Y[:, 0] - bottom[0]) ** 2 + 3.0 * (Y[:, 1] - bottom[1]) ** 2


RELEVANT = 20.0


def step_down(Y, values=None, lengths=None, leaves=None, whole=False):
    """The step from the best of Y on the bowl."""
    d = Y.shape[1]
    values = bowl(Y) if values is None else values
    return Lens(RELEVANT, whole)(
        Y, values, np.ones(d) if lengths is None else lengths, Leaves.numbers(d) if leaves is None else leaves
    )


def descended(Y, f, step, steps=8):
    """The points after so many steps down f."""
    for _ in range(steps):
        Y = np.vstack([Y, step(Y, f(Y)).at])
    return Y


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_bottom_of_a_quadratic_is_found_in_one_step_from_enough_points(dim):
    bottom = np.linspace(-0.2, 0.3, dim)
    Y = around(bottom + 0.05, n=(dim + 1) * (dim + 2) // 2 + 4)
    step = step_down(Y, ((Y - bottom) ** 2).sum(axis=1))
    assert_allclose(step.at, bottom, atol=1e-2)  # of points that lie up to 0.6 apart


@pytest.mark.parametrize("seed", range(5))
def test_bottom_of_a_bowl_is_found_in_few_steps_from_few_points(seed):
    Y = descended(around([0.25, -0.1], n=8, seed=seed), bowl, step_down)
    # a distance of 0.03 squared, where the first points lie up to 0.6 apart
    assert bowl(Y).min() < 1e-3


def test_gain_is_not_negative_when_the_best_point_is_the_bottom():
    assert step_down(np.vstack([BOTTOM, around(BOTTOM)])).gain >= 0.0


def test_step_is_the_same_whatever_the_unit_and_the_zero_of_values():
    Y = around([0.25, -0.1])
    ours, theirs = step_down(Y), step_down(Y, values=1e6 * bowl(Y) + 1e3)
    assert_allclose(theirs.at, ours.at, atol=1e-6)  # values are standardised to about 10 digits
    assert theirs.gain == pytest.approx(1e6 * ours.gain, rel=1e-4)


@pytest.mark.parametrize("bottom", [(1.4, 0.0), (-1.4, 1.4), (0.0, -2.0)], ids=str)
def test_step_stays_in_the_box_when_the_bottom_lies_outside(bottom):
    edge = np.clip(bottom, -1.0, 1.0)
    Y = around(0.8 * edge)
    at = step_down(Y, values=bowl(Y, bottom)).at
    assert np.abs(at).max() <= 1.0
    assert bowl(at[None, :], bottom)[0] <= bowl(Y, bottom).min()


def test_step_goes_no_farther_than_the_observations_reach():
    Y = around([-0.6, 0.6], width=0.1)
    step = step_down(Y)
    best = Y[bowl(Y).argmin()]
    assert (np.abs(step.at - best) <= step.reach + 1e-12).all()
    assert step.reach.max() <= 0.2


def test_bins_that_do_not_matter_stay():
    Y = around([0.25, -0.1, 0.5])
    at = step_down(Y, lengths=np.array([1.0, 1.0, 50.0])).at
    assert at[2] == Y[bowl(Y).argmin(), 2]


def weak_bowl(Y):
    """The third coordinate matters, but so little that a model of all observations takes it for irrelevant."""
    return bowl(Y) + 1e-3 * (Y[:, 2] - 0.4) ** 2


def test_whole_lens_moves_all_numbers():
    Y = around([0.25, -0.1, 0.5])
    values = weak_bowl(Y)
    at = step_down(Y, values, lengths=np.array([1.0, 1.0, 50.0]), whole=True).at
    assert (at != Y[values.argmin()]).all()


def test_whole_lens_does_not_move_choices_and_whole_numbers():
    Y = mixed_points()
    step = step_down(Y, lengths=np.array([50.0, 1.0, 50.0, 50.0, 50.0]), leaves=MIXED, whole=True)
    assert_array_equal(step.at[2:], Y[bowl(Y).argmin(), 2:])
    assert (step.at[:2] != Y[bowl(Y).argmin(), :2]).all()


def test_bins_that_the_nearest_observations_do_not_vary_stay():
    Y = around([0.25, -0.1, 0.5])
    Y[:, 2] = 0.7
    assert step_down(Y, whole=True).at[2] == 0.7


def test_bins_of_the_shortest_length_scales_move_where_there_are_many():
    Y = around(np.zeros(40), n=60)
    lengths = np.linspace(1.0, 2.0, 40)[::-1]
    moved = step_down(Y, (Y**2).sum(axis=1), lengths=lengths).at != Y[(Y**2).sum(axis=1).argmin()]
    assert not moved[:8].any()  # 32 at most, and the last have the shortest
    assert moved[8:].sum() > 16


MIXED = Leaves(np.array([0, 0, 2, 3, 0]), {4: Integer(0, 4)})


def mixed_points():
    """Numbers beside a bit, one of three and a whole number, all in the middle of their shares; two choices of each."""
    rng = np.random.default_rng(0)
    choices = [rng.choice([-0.5, 0.5], 60), rng.choice([-2 / 3, 0.0], 60), rng.choice([-1.0, 0.0], 60)]
    return MIXED.snap(np.column_stack([around([0.25, -0.1], 60), *choices]))


def test_choices_and_whole_numbers_stay_as_the_best_has_them():
    Y = mixed_points()
    values = bowl(Y) + (Y[:, 2] > 0.0) + (Y[:, 3] > -0.5)
    step = step_down(Y, values, leaves=MIXED)
    assert_array_equal(step.at[2:], Y[values.argmin(), 2:])
    assert (step.at[:2] != Y[values.argmin(), :2]).all()


def test_points_that_choose_otherwise_are_not_looked_at():
    Y = mixed_points()
    alike = (Y[:, 2:] == Y[0, 2:]).all(axis=1)
    ours = step_down(Y, np.where(alike, bowl(Y), 5.0), leaves=MIXED)
    theirs = step_down(Y, np.where(alike, bowl(Y), 9.0 + Y[:, 0]), leaves=MIXED)
    assert_array_equal(ours.at, theirs.at)


def test_failed_observation_is_as_bad_as_the_worst_of_the_nearest():
    Y = around([0.25, -0.1], 10)
    values = bowl(Y)
    worst, failed = values.max(), np.argmax(values)
    told = np.where(np.arange(10) == failed, np.nan, values)
    imputed = np.where(np.arange(10) == failed, np.sort(values)[-2], values)
    assert worst > imputed.max()
    assert_array_equal(step_down(Y, told).at, step_down(Y, imputed).at)


def test_step_turns_away_from_where_it_failed():
    Y = np.vstack([around([0.0, -0.2], 9, width=0.15), BOTTOM])
    values = np.append(bowl(Y[:-1]), np.nan)
    assert step_down(Y, values).at[0] < step_down(Y[:-1]).at[0]


STUCK = {
    "no observation": (np.zeros((0, 2)), np.zeros(0)),
    "one observation": (np.zeros((1, 2)), np.zeros(1)),
    "all failed": (around([0.0, 0.0]), np.full(14, np.nan)),
    "all values equal": (around([0.0, 0.0]), np.full(14, 0.1)),
    "one point many times": (np.full((6, 2), 0.3), np.arange(6.0)),
}


@pytest.mark.parametrize(("Y", "values"), STUCK.values(), ids=STUCK)
def test_there_is_no_step_when_nothing_tells_where_to_go(Y, values):
    assert step_down(Y, values) is None


def test_there_is_no_step_when_no_bin_matters():
    assert step_down(around(BOTTOM), lengths=np.full(2, 30.0)) is None


def test_there_is_a_whole_step_when_no_bin_matters():
    Y = around([0.25, -0.1])
    assert bowl(step_down(Y, lengths=np.full(2, 30.0), whole=True).at[None, :])[0] < bowl(Y).min()


def test_there_is_no_step_among_choices_alone():
    leaves = Leaves(np.array([2, 3]), {})
    Y = leaves.snap(np.random.default_rng(0).uniform(-1.0, 1.0, (8, 2)))
    assert step_down(Y, leaves=leaves) is None


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_step_survives_values_of_any_finite_size(size):
    Y = around([0.25, -0.1])
    step = step_down(Y, values=size * bowl(Y))
    assert step is None or np.isfinite(step.at).all()


# Along directions


def turned(d=6, p=2, seed=1):
    """Orthonormal directions, (d, p)."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, p)))[0]


def turned_bowl(Y, U, bottom):
    return ((Y @ U - bottom) ** 2).sum(axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_bottom_of_a_rotated_bowl_is_found_in_few_steps_from_few_points(seed):
    U, bottom = turned(seed=seed), np.array([0.2, -0.3])
    Y = np.random.default_rng(seed).uniform(-0.6, 0.6, (10, 6))
    along = partial(Lens(RELEVANT).along, U, np.ones(2))
    Y = descended(Y, lambda Y: turned_bowl(Y, U, bottom), along)
    assert turned_bowl(Y, U, bottom).min() < 1e-3  # a distance of 0.03, where the points lie up to 1 apart along U


@pytest.mark.parametrize("seed", range(4))
def test_step_along_directions_stays_in_the_box(seed):
    U, bottom = turned(seed=seed), np.array([2.0, -1.5])
    Y = np.random.default_rng(seed).uniform(-1.0, 1.0, (20, 6))
    at = Lens(RELEVANT).along(U, np.ones(2), Y, turned_bowl(Y, U, bottom)).at
    assert np.abs(at).max() <= 1.0
    assert turned_bowl(at[None, :], U, bottom)[0] <= turned_bowl(Y, U, bottom).min() + 1e-9


def test_step_along_directions_moves_nothing_across_them():
    U = turned()
    Y = np.random.default_rng(3).uniform(-0.3, 0.3, (14, 6))
    values = turned_bowl(Y, U, np.array([0.1, -0.1]))
    moved = Lens(RELEVANT).along(U, np.ones(2), Y, values).at - Y[values.argmin()]
    assert_allclose(moved, U @ (U.T @ moved), atol=1e-12)


@pytest.mark.parametrize("values", [np.full(10, np.nan), np.full(10, 0.1)], ids=["all failed", "all equal"])
def test_there_is_no_step_along_directions_when_nothing_tells_where_to_go(values):
    assert Lens(RELEVANT).along(turned(), np.ones(2), around(np.zeros(6), 10), values) is None


def test_there_is_no_step_when_no_direction_matters():
    Y = around(np.zeros(6), 10)
    assert Lens(RELEVANT).along(*Directions(np.full((6, 2), 1e-3), 0.0, 1e-8).frame, Y, Y[:, 0]) is None
