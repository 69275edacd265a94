"""Stationary kernels against their formulas, written out, and against scikit-learn."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process.kernels import RBF, Matern

from rembo.embedding import GaussianEmbedding, IdentityEmbedding
from rembo.kernel import BoundStationary, Embedded, Image, Leaves, Matern32, Matern52, SquaredExponential, Stationary
from rembo.space import Box, Integer

KINDS = [SquaredExponential, Matern32, Matern52]
PROFILES = {
    SquaredExponential: lambda r: math.exp(-(r**2) / 2.0),
    Matern32: lambda r: (1.0 + math.sqrt(3.0) * r) * math.exp(-math.sqrt(3.0) * r),
    Matern52: lambda r: (1.0 + math.sqrt(5.0) * r + 5.0 * r**2 / 3.0) * math.exp(-math.sqrt(5.0) * r),
}
PEERS = {
    SquaredExponential: RBF,
    Matern32: lambda length_scale: Matern(length_scale, nu=1.5),
    Matern52: lambda length_scale: Matern(length_scale, nu=2.5),
}
FEW_AND_MANY = [1, 3, 16, 17, 40]  # distances are formed in two ways, by the number of features


def bound(kernel, dim):
    return kernel.bind(Box(dim), IdentityEmbedding(dim))


def two_sets(dim):
    rng = np.random.default_rng(3)
    return rng.uniform(-1.0, 1.0, size=(6, dim)), rng.uniform(-1.0, 1.0, size=(4, dim))


def by_loops(profile, Y, W, scales):
    return [[profile(math.sqrt(sum(((y - w) / scales) ** 2))) for w in W] for y in Y]


@pytest.mark.parametrize("dim", FEW_AND_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_isotropic_covariance_equals_its_formula(kind, dim):
    Y, W = two_sets(dim)
    expected = by_loops(PROFILES[kind], Y, W, np.full(dim, 0.7))
    assert_allclose(bound(kind(scale=0.7), dim).covariance(Y, W), expected, rtol=1e-12)


@pytest.mark.parametrize("dim", FEW_AND_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_ard_covariance_equals_its_formula(kind, dim):
    Y, W = two_sets(dim)
    scales = np.linspace(0.5, 3.0, dim)
    expected = by_loops(PROFILES[kind], Y, W, scales)
    assert_allclose(bound(kind(ard=True), dim).with_scales(scales).covariance(Y, W), expected, rtol=1e-12)


@pytest.mark.parametrize("dim", FEW_AND_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_isotropic_covariance_equals_that_of_scikit_learn(kind, dim):
    Y, W = two_sets(dim)
    assert_allclose(bound(kind(scale=1.3), dim).covariance(Y, W), PEERS[kind](length_scale=1.3)(Y, W), rtol=1e-12)


@pytest.mark.parametrize("dim", FEW_AND_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_ard_covariance_equals_that_of_scikit_learn(kind, dim):
    Y, W = two_sets(dim)
    scales = np.linspace(0.5, 3.0, dim)
    ours = bound(kind(ard=True), dim).with_scales(scales)
    assert_allclose(ours.covariance(Y, W), PEERS[kind](length_scale=scales)(Y, W), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_scale_gradient_equals_that_of_scikit_learn(kind):
    Y, _ = two_sets(3)
    scales = np.array([0.5, 1.0, 2.0])
    weights = np.cov(Y)
    _, by_log_scale = PEERS[kind](length_scale=scales)(Y, eval_gradient=True)
    ours = bound(kind(ard=True), 3).with_scales(scales).gram(Y).scale_gradient(weights)
    assert_allclose(ours, np.einsum("ab,abj->j", weights, by_log_scale), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_slope_is_the_derivative_of_the_profile(kind):
    s, step = np.linspace(0.1, 9.0, 20), 1e-5
    numeric = (kind().profile(s + step) - kind().profile(s - step)) / (2.0 * step)
    assert_allclose(kind().slope(s), numeric, rtol=1e-7)  # the difference quotient is good to step^2 / s^2


@pytest.mark.parametrize(("kind", "value"), [(SquaredExponential, -0.5), (Matern32, -1.5), (Matern52, -5.0 / 6.0)])
def test_slope_is_finite_where_two_points_meet(kind, value):
    assert kind().slope(np.zeros(1)) == pytest.approx(value)


@pytest.mark.parametrize("kind", KINDS)
def test_coinciding_points_covary_fully_at_the_shortest_scale(kind):
    on_image = kind(scale=0.01, on=Image()).bind(Box(1000), GaussianEmbedding(1000, 3, seed=1))
    Z = on_image.features(np.random.default_rng(0).uniform(-1.7, 1.7, size=(20, 3)))
    # squared distances of a million are subtracted here, each good to 1e-10
    assert_allclose(np.diag(on_image.covariance(Z, Z)), 1.0, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("dim", [1, 4, 100])
def test_scale_defaults_to_the_size_of_the_features(dim):
    assert_allclose(bound(SquaredExponential(), dim).scales, [math.sqrt(dim) / 2.0])


def test_scale_given_is_where_learning_starts():
    assert_allclose(bound(Matern52(scale=0.3), 4).scales, [0.3])


def test_ard_gives_a_scale_to_each_feature():
    assert_allclose(bound(Matern52(scale=0.3, ard=True), 4).scales, [0.3, 0.3, 0.3, 0.3])


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
@pytest.mark.parametrize("kind", KINDS)
def test_scale_that_is_not_positive_and_finite_is_refused(kind, scale):
    with pytest.raises(ValueError, match=f"length scale {scale} must be positive and finite"):
        kind(scale=scale)


@dataclass(frozen=True)
class RationalQuadratic(Stationary):
    """k = 1 / (1 + s/2): what a reader writes to add a kernel."""

    def profile(self, s):
        return 1.0 / (1.0 + s / 2.0)

    def slope(self, s):
        return -0.5 / (1.0 + s / 2.0) ** 2


def test_new_profile_and_slope_make_a_kernel():
    Y, W = two_sets(2)
    kernel = bound(RationalQuadratic(scale=1.0), 2)
    step = np.array([[1e-5, 0.0]])
    numeric = (kernel.covariance(Y + step, W) - kernel.covariance(Y - step, W)).sum(axis=1) / 2e-5
    assert_allclose(
        kernel.between(Y, W).gradient(np.ones((6, 4)))[:, 0], numeric, rtol=1e-7
    )  # difference quotient, step 1e-5


LEAVES = Leaves(np.array([0, 3, 2, 0, 5]), {3: Integer(1, 8)})  # 1 + 3 + 1 + 1 + 5 features, a scale for each leaf
TIED = np.array([0.4, 0.9, 1.3, 2.0, 0.7])


def tied(kind):
    return BoundStationary(kind(ard=True), LEAVES, TIED, LEAVES.groups)


def leaf_points(n, seed=3):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, size=(n, 5))


@pytest.mark.parametrize("kind", KINDS)
def test_tied_features_are_measured_in_the_scale_of_their_group(kind):
    Z, W = LEAVES(leaf_points(6)), LEAVES(leaf_points(4, seed=5))
    expected = by_loops(PROFILES[kind], Z, W, TIED[LEAVES.groups])
    assert_allclose(tied(kind).covariance(Z, W), expected, rtol=1e-12)


@pytest.mark.parametrize("leaf", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_of_a_tied_scale_equals_the_difference_quotient(kind, leaf):
    Z, weights = LEAVES(leaf_points(8)), np.cov(leaf_points(8, seed=9))
    step = np.exp(1e-5 * np.eye(5)[leaf])
    up, down = (tied(kind).with_scales(scales).covariance(Z, Z) for scales in (TIED * step, TIED / step))
    numeric = (weights * (up - down)).sum() / 2e-5
    assert_allclose(
        tied(kind).gram(Z).scale_gradient(weights)[leaf], numeric, rtol=1e-6, atol=1e-9
    )  # step^2, and rounding


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_of_a_tied_scale_is_the_sum_over_its_features(kind):
    Z, weights = LEAVES(leaf_points(8)), np.cov(leaf_points(8, seed=9))
    apart = BoundStationary(kind(ard=True), LEAVES, TIED[LEAVES.groups], np.arange(11)).gram(Z).scale_gradient(weights)
    expected = [apart[LEAVES.groups == leaf].sum() for leaf in range(5)]
    assert_allclose(tied(kind).gram(Z).scale_gradient(weights), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dim", FEW_AND_MANY)
def test_isotropic_scale_gradient_equals_the_difference_quotient(dim):
    Y, _ = two_sets(dim)
    kernel, weights = bound(Matern52(scale=1.3), dim), np.cov(leaf_points(6))
    up, down = (kernel.with_scales(1.3 * np.exp([step])).covariance(Y, Y) for step in (1e-5, -1e-5))
    numeric = (weights * (up - down)).sum() / 2e-5
    assert_allclose(kernel.gram(Y).scale_gradient(weights), [numeric], rtol=1e-6, atol=1e-9)  # step^2, and rounding


def test_scale_without_features_has_no_gradient():
    kernel = BoundStationary(Matern52(ard=True), Embedded(), np.ones(4), np.array([0, 2, 2]))
    Y, _ = two_sets(3)
    gradient = kernel.gram(Y).scale_gradient(np.cov(Y))
    assert gradient.shape == (4,)
    assert_allclose(gradient[[1, 3]], 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_of_tied_features_equals_the_difference_quotient_on_numbers(kind):
    Y, Z, weights = leaf_points(6), LEAVES(leaf_points(4, seed=5)), np.ones((6, 4))
    step = 1e-5 * np.eye(5)[0]
    up, down = (tied(kind).covariance(LEAVES(Y + sign * step), Z) for sign in (1.0, -1.0))
    numeric = (up - down).sum(axis=1) / 2e-5
    assert_allclose(
        tied(kind).between(Y, Z).gradient(weights)[:, 0], numeric, rtol=1e-6, atol=1e-9
    )  # step^2, and rounding


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_of_tied_features_is_zero_on_choices_and_whole_numbers(kind):
    gradient = tied(kind).between(leaf_points(6), LEAVES(leaf_points(4, seed=5))).gradient(np.ones((6, 4)))
    assert_allclose(gradient[:, 1:], 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_different_choices_covary_alike_whichever_they_are(kind):
    five = Leaves(np.array([5]), {})
    Z = five((2.0 * np.arange(5.0)[:, None] + 1.0) / 5.0 - 1.0)
    K = BoundStationary(kind(ard=True), five, np.array([0.6]), five.groups).covariance(Z, Z)
    assert_allclose(K, np.where(np.eye(5), 1.0, PROFILES[kind](1.0 / 0.6)), rtol=1e-12)
