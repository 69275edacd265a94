"""The variant that the theory covers: its set, its functions, its prior, and the rate fitted to it."""

import math
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from regret import CoveredSearch, Inside, Moved, Rays, Setting, draw_cost, fitted_slope, lowest, outcome, whole
from rembo import Ascent, Box, GaussianEmbedding, Point, Region, minimize
from rembo.maximizer import Ascending

SETTINGS = [Setting(1, 12, shortest=0.1, longest=0.2), Setting(2, 12, shortest=0.25, longest=0.5)]


@pytest.fixture(params=SETTINGS, ids=["d=1", "d=2"])
def setting(request):
    return request.param


@pytest.fixture
def embedding(setting):
    return GaussianEmbedding(setting.ambient_dim, setting.dim, seed=5)


@pytest.fixture
def A(embedding):
    return whole(embedding)


@pytest.fixture
def cost(setting):
    return draw_cost(setting, np.random.default_rng(1))


@pytest.fixture
def Z(setting):
    return np.random.default_rng(2).uniform(-1.5, 1.5, (40, setting.dim))


class Slope:
    """y -> c y."""

    def __init__(self, c):
        self.c = c

    def __call__(self, Y):
        return Y @ self.c

    def with_gradient(self, Y):
        return Ascending(Y @ self.c, np.broadcast_to(self.c, Y.shape))


@cache
def finished(setting):
    return outcome(setting, seed=5)


def finite_differences(score, Z, step=1e-6):
    shifts = step * np.eye(Z.shape[1])
    return np.stack([(score(Z + shift) - score(Z - shift)) / (2.0 * step) for shift in shifts], axis=1)


def test_length_scale_is_that_of_the_proof():
    setting = Setting(1, 10, shortest=0.3, longest=0.4, epsilon=4.0 / math.e**2)
    assert setting.length_scale == pytest.approx(0.3 / (2.0 + 2.0))


def test_rays_bring_the_rim_of_the_box_to_the_rim_of_the_set(A, Z):
    rim = Z / np.abs(Z).max(axis=1, keepdims=True) * 1.5
    assert_allclose(np.abs(Rays(A, 1.5).inward(rim) @ A.T).max(axis=1), 1.0)


def test_rays_outward_undo_rays_inward(A, Z):
    rays = Rays(A, 1.5)
    assert_allclose(rays.outward(rays.inward(Z)), Z)


def test_rays_leave_the_origin_where_it_is(A, setting):
    origin = np.zeros((1, setting.dim))
    assert_array_equal(Rays(A, 1.5).inward(origin), origin)


def test_gradient_along_rays_is_the_finite_difference(A, cost, Z):
    score = Moved(cost.depth(A), Rays(A, 1.5))
    assert_allclose(score.with_gradient(Z).gradients, finite_differences(score, Z), atol=1e-6)


def test_depth_is_minus_the_cost_at_the_image(embedding, A, cost):
    y = 0.1 * np.ones(embedding.embedding_dim)
    assert cost.depth(A)(y[None, :])[0] == pytest.approx(-cost(Point(embedding, y, projected=False)))


def test_cost_changes_only_along_its_effective_subspace(cost, setting):
    x, step = np.random.default_rng(3).standard_normal((2, setting.ambient_dim))
    across = step - np.linalg.pinv(cost.directions) @ (cost.directions @ step)
    assert cost(x + across) == pytest.approx(cost(x))


def test_scales_of_the_cost_lie_between_its_bounds(cost, setting):
    scales = 1.0 / np.linalg.svd(cost.directions, compute_uv=False)
    assert setting.shortest < scales.min() <= scales.max() < setting.longest


def test_inside_maximises_a_slope_as_a_linear_program_does(A, setting):
    c = np.array([1.0, -0.7])[: setting.dim]
    found = Inside(A, Ascent())(
        Slope(c), Region(setting.dim, 1.0), np.zeros((1, setting.dim)), np.random.default_rng(0)
    )
    limits = np.vstack([A, -A])
    best = -linprog(-c, limits, np.ones(len(limits)), bounds=(None, None)).fun
    assert found.value == pytest.approx(best, rel=1e-4)  # the corner of a polygon is met up to a step of the ascent


def test_lowest_value_is_below_that_of_points_all_over_the_set(A, cost, Z):
    everywhere = -cost.depth(A)(Rays(A, 1.5).inward(Z))
    assert lowest(cost, A, np.random.default_rng(0)) <= everywhere.min()


def test_search_evaluates_nothing_outside_the_box(setting, cost):
    trials = minimize(cost, Box(10), 12, optimizer=CoveredSearch(setting, seed=5)).trials
    assert max(np.abs(np.asarray(trial.x)).max() for trial in trials) <= 1.0 + 1e-12


def test_search_keeps_its_length_scale_and_the_values_it_was_told(setting, cost):
    search = CoveredSearch(setting, seed=5)
    trials = minimize(cost, Box(10), 12, optimizer=search).trials
    belief = search.runs[0].state.posterior
    assert_array_equal(belief.kernel.scales, [setting.length_scale])
    assert_array_equal(belief.values, [trial.value for trial in trials])


def test_regret_falls_and_is_never_negative(setting):
    regret = finished(setting).regret
    assert np.all(np.diff(regret, append=0.0) <= 0.0)


def test_same_seed_has_the_same_regret(setting):
    assert_array_equal(outcome(setting, seed=5).regret, finished(setting).regret)


def test_length_scale_of_a_likely_embedding_is_shorter_than_that_of_the_cost(setting):
    assert finished(setting).thinner


@pytest.mark.parametrize("power", [-1.0, -0.5])
def test_fitted_slope_of_a_power_is_the_power(power):
    assert fitted_slope(3.0 * np.arange(1.0, 201.0) ** power) == pytest.approx(power)
