"""Directions: the evidence is climbed to its top, the direction that f varies along is found, and forests may grow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.gp import Evidence, Noise
from rembo.optimizer.growing.directions import Directions, learn_directions

NOISE = 1e-4
SPREAD = 10.0  # the prior variance of the entries of W


def sample(n=40, d=8, seed=0):
    """A direction w, (d,), points Y, (n, d), and the values of a function of w.y, standardised."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    Y = rng.uniform(-1.0, 1.0, (n, d))
    values = np.sin(2.0 * Y @ w) + (Y @ w) ** 2
    return w, Y, (values - values.mean()) / values.std()


def log_posterior(W, Y, values):
    """What is climbed, from the evidence of a Gaussian process: log p(values | W) and the prior's -|W|^2 / 20."""
    evidence = Evidence(Directions(W, 0.0, NOISE).kernel, Y @ W, values, Noise(NOISE, NOISE))
    return evidence(np.ones(1), NOISE) - 0.5 * (W**2).sum() / SPREAD


def slopes(W, Y, values, step=1e-5):
    """The gradient of the log posterior by W, by central differences, (d r,)."""
    nudges = step * np.eye(W.size).reshape(W.size, *W.shape)
    return np.array([log_posterior(W + nudge, Y, values) - log_posterior(W - nudge, Y, values) for nudge in nudges]) / (
        2.0 * step
    )


def start(d=8, r=2, seed=5):
    return Directions(0.3 * np.random.default_rng(seed).normal(size=(d, r)), 0.0, NOISE)


def angle(w, directions):
    """The angle between a direction and the span of those that were learned, in degrees."""
    return np.degrees(np.arccos(min(1.0, np.linalg.norm(directions.frame[0].T @ w))))


def test_learned_directions_report_their_own_log_posterior():
    _, Y, values = sample()
    learned = learn_directions(Y, values, NOISE, start(), afresh=False)
    assert learned.log_posterior == pytest.approx(log_posterior(learned.W, Y, values), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_learning_raises_the_log_posterior(seed):
    _, Y, values = sample(seed=seed)
    before = start(seed=seed)
    learned = learn_directions(Y, values, NOISE, before, afresh=False)
    assert learned.log_posterior > log_posterior(before.W, Y, values) + 1.0  # by a factor of e at least


def test_learning_ends_where_the_slope_by_finite_differences_is_none():
    _, Y, values = sample(n=20, d=4)
    before = start(d=4)
    learned = learn_directions(Y, values, NOISE, before, afresh=False, steps=1000)
    # L-BFGS with a wrong gradient would stop elsewhere; it stops when a step gains a part of 2e-9 of the value
    assert np.abs(slopes(learned.W, Y, values)).max() < 1e-3 * np.abs(slopes(before.W, Y, values)).max()


def test_more_steps_climb_higher():
    _, Y, values = sample()
    few, many = (learn_directions(Y, values, NOISE, start(), afresh=False, steps=steps) for steps in (2, 30))
    assert many.log_posterior > few.log_posterior


def test_learning_afresh_is_never_worse_than_going_on():
    _, Y, values = sample()
    going_on, afresh = (learn_directions(Y, values, NOISE, start(), afresh=afresh) for afresh in (False, True))
    assert afresh.log_posterior >= going_on.log_posterior


@pytest.mark.parametrize("seed", range(5))
def test_direction_that_f_varies_along_is_found(seed):
    w, Y, values = sample(seed=seed)
    # a random direction of eight lies about 60 degrees away from a random plane
    assert angle(w, learn_directions(Y, values, NOISE, None, afresh=True)) < 5.0


def test_two_directions_that_f_varies_along_are_found():
    rng = np.random.default_rng(2)
    U = np.linalg.qr(rng.normal(size=(8, 2)))[0]
    Y = rng.uniform(-1.0, 1.0, (60, 8))
    values = np.sin(2.0 * Y @ U[:, 0]) + np.cos(2.0 * Y @ U[:, 1])
    learned = learn_directions(Y, (values - values.mean()) / values.std(), NOISE, None, afresh=True)
    assert max(angle(U[:, 0], learned), angle(U[:, 1], learned)) < 10.0


def test_learning_is_a_function_of_the_data():
    _, Y, values = sample()
    first, second = (learn_directions(Y, values, NOISE, None, afresh=True) for _ in range(2))
    assert_array_equal(first.W, second.W)


def test_learning_survives_one_point_seen_many_times():
    values = np.array([1.0, -1.0, 0.5, -0.5])
    assert np.isfinite(learn_directions(np.full((4, 3), 0.2), values, 0.0, None, afresh=True).W).all()


W = np.array([[3.0, 4.0], [0.6, 0.8], [0.0, 0.0], [60.0, 80.0]])


def test_length_scales_are_the_reciprocals_of_the_rows_within_limits():
    # rows of length 5, 1, 0 and 100: f stays alike for 1/5 and for 1, everywhere, and hardly at all
    assert_allclose(Directions(W, 0.0, NOISE).lengths, [0.2, 1.0, 100.0, 0.03], rtol=1e-6)


def test_kernel_measures_distance_along_the_directions():
    kernel = Directions(W, 0.0, NOISE).kernel
    Y = np.array([[0.1, 0.2, 0.3, 0.0], [0.1, 0.2, -0.9, 0.0]])  # differ where W has a row of zeros
    assert_allclose(kernel.covariance(kernel.features(Y), kernel.features(Y)), np.ones((2, 2)))


def test_frame_is_orthonormal_with_the_scale_along_each_direction():
    U, scales = Directions(np.diag([2.0, 0.5, 0.01])[:, :2], 0.0, NOISE).frame
    assert_allclose(U.T @ U, np.eye(2), atol=1e-12)
    assert_allclose(scales, [0.5, 2.0])


@pytest.mark.parametrize(("sizes", "p"), [((2.0, 1.0, 0.5), 3), ((2.0, 1.0, 0.01), 2), ((2.0, 0.0, 0.0), 1)])
def test_frame_leaves_out_directions_that_do_not_matter(sizes, p):
    assert Directions(np.vstack([np.diag(sizes), np.zeros((2, 3))]), 0.0, NOISE).frame[0].shape == (5, p)


def test_lifted_directions_read_inherited_points_alike():
    Y, ancestors = np.random.default_rng(0).uniform(-1.0, 1.0, (6, 4)), np.array([0, 0, 1, 2, 3, 3, 3])
    lifted = Directions(W, -1.0, NOISE).lifted(ancestors, np.ones(len(ancestors)))
    assert_allclose(Y[:, ancestors] @ lifted.W, Y @ W, atol=1e-12)


def test_lifted_directions_keep_their_log_posterior():
    assert Directions(W, -7.5, NOISE).lifted(np.arange(4), np.ones(4)).log_posterior == -7.5
