"""Main effects and interactions: the covariance equals its formula, gradients equal difference quotients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.gaussian_process.kernels import Matern

from rembo import Integer
from rembo.gp import condition
from rembo.kernel import BoundEffects, Leaves

NUMBERS = Leaves.numbers(4)
MIXED = Leaves(np.array([0, 3, 0, 2, 0]), {2: Integer(1, 8)})
CHOICES = Leaves(np.array([2, 3, 5]), {})
BESIDES = [2.5, 0.7, 1.6]  # c, a, b
every_kind = pytest.mark.parametrize("leaves", [NUMBERS, MIXED, CHOICES], ids=["numbers", "mixed", "choices"])


def bound(leaves, besides=BESIDES):
    lengths = np.linspace(0.5, 3.0, len(leaves.choices))
    return BoundEffects(leaves, np.append(lengths, besides), leaves.groups, leaves.choices > 0, leaves.coded)


def points(leaves, n, seed=0):
    return leaves.snap(np.random.default_rng(seed).uniform(-1.0, 1.0, (n, len(leaves.choices))))


def matern(Z, W, lengths):
    """By scikit-learn."""
    return Matern(nu=2.5)(Z / lengths, W / lengths)


def by_formula(kernel, Z, W):
    """a/g sum_i kappa(c^2 s_i) + b kappa(sum_i s_i), group by group."""
    lengths, (c, a, b) = kernel.scales[:-3], kernel.scales[-3:]
    groups = [kernel.groups == group for group in range(len(lengths))]
    effects = sum(matern(Z[:, of], W[:, of], length / c) for of, length in zip(groups, lengths, strict=True))
    return a / len(lengths) * effects + b * matern(Z, W, lengths[kernel.groups])


@every_kind
def test_covariance_equals_its_formula(leaves):
    kernel = bound(leaves)
    Z, W = kernel.features(points(leaves, 30)), kernel.features(points(leaves, 20, seed=1))
    assert_allclose(kernel.covariance(Z, W), by_formula(kernel, Z, W), rtol=1e-10, atol=1e-12)


def test_covariance_of_more_points_than_a_block_holds_equals_its_formula():
    kernel = bound(NUMBERS)
    Z, W = points(NUMBERS, 57), points(NUMBERS, 900, seed=1)
    assert_allclose(kernel.covariance(Z, W), by_formula(kernel, Z, W), rtol=1e-10, atol=1e-12)


@every_kind
def test_variance_is_the_covariance_of_a_point_with_itself(leaves):
    kernel = bound(leaves)
    Z = kernel.features(points(leaves, 10))
    assert_allclose(np.diag(kernel.covariance(Z, Z)), kernel.variance, rtol=1e-12)


@every_kind
def test_covariance_is_positive_definite(leaves):
    kernel = bound(leaves)
    Z = np.unique(kernel.features(points(leaves, 40)), axis=0)
    assert np.linalg.eigvalsh(kernel.covariance(Z, Z)).min() > 0.0


@every_kind
def test_scale_gradient_equals_the_difference_quotient(leaves):
    kernel, rng = bound(leaves), np.random.default_rng(2)
    Z = kernel.features(points(leaves, 15))
    weights = rng.standard_normal((15, 15))
    weights += weights.T

    def total(log_scales):
        return float(np.vdot(weights, kernel.with_scales(np.exp(log_scales)).covariance(Z, Z)))

    quotient = approx_fprime(np.log(kernel.scales), total, 1e-6)
    assert_allclose(kernel.scale_gradient(Z, weights), quotient, rtol=1e-4, atol=1e-3)  # one-sided quotients


def test_gradient_equals_the_difference_quotient():
    kernel, rng = bound(NUMBERS), np.random.default_rng(3)
    Y, Z, weights = points(NUMBERS, 1), points(NUMBERS, 12, seed=1), rng.standard_normal((1, 12))
    quotient = approx_fprime(Y[0], lambda y: float((weights @ kernel.covariance(y[None, :], Z).T)[0, 0]), 1e-7)
    assert_allclose(kernel.gradient(Y, Z, weights)[0], quotient, rtol=1e-4, atol=1e-5)  # one-sided quotients


def test_gradient_is_zero_on_choices_and_whole_numbers():
    kernel = bound(MIXED)
    Y = points(MIXED, 6)
    G = kernel.gradient(Y, kernel.features(points(MIXED, 9, seed=1)), np.ones((6, 9)))
    assert_array_equal(G[:, ~MIXED.continuous], 0.0)
    assert (G[:, MIXED.continuous] != 0.0).all()


def few_of_many(n, seed):
    """Points of a mixed space whose choice is one of three, and the same where these are three of three hundred."""
    few, many = Leaves(np.array([0, 3, 2, 0]), {}), Leaves(np.array([0, 300, 2, 0]), {})
    Y = points(few, n, seed)
    return few, many, Y, many.snap(np.where(np.arange(4) == 1, Y - 1.0 / 3.0 + 1e-3, Y))


def test_choice_among_very_many_is_one_feature():
    _, many, _, there = few_of_many(5, seed=0)
    assert many(there).shape == (5, 4)


def test_covariance_of_a_choice_does_not_depend_on_how_many_there_are():
    few, many, Y, there = few_of_many(20, seed=0)
    here, same = few(Y), many(there)
    assert_allclose(bound(many).covariance(same, same[:9]), bound(few).covariance(here, here[:9]), rtol=1e-12)


def test_gradients_of_a_choice_do_not_depend_on_how_many_there_are():
    few, many, Y, there = few_of_many(20, seed=0)
    weights = np.random.default_rng(1).standard_normal((20, 20))
    weights += weights.T
    assert_allclose(
        bound(many).scale_gradient(many(there), weights), bound(few).scale_gradient(few(Y), weights), rtol=1e-9
    )  # sums of terms that cancel
    assert_allclose(
        bound(many).gradient(there, many(there), weights), bound(few).gradient(Y, few(Y), weights), rtol=1e-9
    )


def test_posterior_far_from_data_has_the_variance_of_the_kernel():
    kernel = bound(NUMBERS).with_scales(np.append(np.full(4, 0.01), BESIDES))
    posterior = condition(kernel, np.full((1, 4), -1.0), np.ones(1), 1e-10)
    assert_allclose(posterior(np.full((1, 4), 1.0)).std ** 2, kernel.variance, rtol=1e-12)


def test_sum_of_effects_is_predicted_where_no_two_variables_were_moved_together():
    kernel = bound(NUMBERS, besides=[1.0, 50.0, 1e-3])
    single = np.vstack([np.zeros(4), *(step * row for step in np.linspace(-1.0, 1.0, 9) for row in np.eye(4))])
    posterior = condition(
        kernel.with_scales(np.append(np.full(4, 1.0), [1.0, 50.0, 1e-3])), single, _bowl(single), 1e-8
    )
    corners = points(NUMBERS, 20, seed=4)
    assert_allclose(posterior(corners).mean, _bowl(corners), atol=0.1)  # of values between 0 and 4


def _bowl(Y):
    return (Y**2).sum(axis=1)
