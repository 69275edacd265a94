"""Main effects and interactions: the covariance equals its formula, gradients equal difference quotients.

The main effect of a number is a polynomial and its covariance is interpolated in a table: with 21 polynomials or more
it differs from the exact one by less than 5e-4 of the variance at length scales from 0.5 on, with 11 by less than 2e-3.
"""

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebder, chebval, chebvander
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.gaussian_process.kernels import RBF, Matern

from rembo import Integer
from rembo.gp import condition
from rembo.kernel import BoundEffects, Leaves, Matern52, SquaredExponential
from rembo.kernel.effects import chebyshev, differentiation, half_product, symmetric_product

NUMBERS = Leaves.numbers(4)
MIXED = Leaves(np.array([0, 3, 0, 2, 0]), {2: Integer(1, 8)})
CHOICES = Leaves(np.array([2, 3, 5]), {})
CODED = Leaves(np.array([0, 300, 2, 0]), {})
LEAVES = {"numbers": NUMBERS, "one": Leaves.numbers(1), "mixed": MIXED, "choices": CHOICES, "coded": CODED}
BESIDES = [1.0, 0.7, 1.6]  # c, a, b
MATERN = Matern(nu=2.5)
every_kind = pytest.mark.parametrize("leaves", LEAVES.values(), ids=LEAVES)


def bound(leaves, besides=BESIDES):
    lengths = np.linspace(0.5, 3.0, len(leaves.choices))
    return BoundEffects(leaves, np.append(lengths, besides), leaves.groups, leaves.choices > 0, leaves.coded)


def points(leaves, n, seed=0):
    return leaves.snap(np.random.default_rng(seed).uniform(-1.0, 1.0, (n, len(leaves.choices))))


def own(kernel, Y):
    """The features of the feature map alone, without polynomials."""
    return kernel.feature_map(Y)


def by_formula(kernel, Z, W, profile=MATERN):
    """a/g sum_i kappa(c^2 s_i) + b kappa(sum_i s_i), group by group, by scikit-learn."""
    lengths, (c, a, b) = kernel.scales[:-3], kernel.scales[-3:]
    groups = [kernel.groups == group for group in range(len(lengths))]
    effects = sum(
        profile(Z[:, of] * c / length, W[:, of] * c / length) for of, length in zip(groups, lengths, strict=True)
    )
    return a / len(lengths) * effects + b * profile(Z / lengths[kernel.groups], W / lengths[kernel.groups])


@pytest.mark.parametrize("leaves", [NUMBERS, Leaves.numbers(1), MIXED], ids=["numbers", "one", "mixed"])
def test_covariance_equals_its_formula(leaves):
    kernel, Y, V = bound(leaves), points(leaves, 30), points(leaves, 20, seed=1)
    K = kernel.covariance(kernel.features(Y), kernel.features(V))
    assert_allclose(K, by_formula(kernel, own(kernel, Y), own(kernel, V)), rtol=0.0, atol=5e-4)


def test_covariance_of_choices_equals_its_formula_to_the_last_digits():
    kernel, Y, V = bound(CHOICES), points(CHOICES, 30), points(CHOICES, 20, seed=1)
    K = kernel.covariance(kernel.features(Y), kernel.features(V))
    assert_allclose(K, by_formula(kernel, own(kernel, Y), own(kernel, V)), rtol=1e-10, atol=1e-12)


def main_effects(dim, length, shape):
    """A sum of main effects of so many numbers, all of one length scale, and next to no interaction."""
    leaves = Leaves.numbers(dim)
    scales = np.append(np.full(dim, length), [1.0, 1.0, 1e-12])
    return BoundEffects(leaves, scales, leaves.groups, leaves.choices > 0, shape=shape)


@pytest.mark.parametrize("length", [0.5, 1.0, 5.0, 50.0])
@pytest.mark.parametrize(("dim", "tolerance"), [(1, 5e-4), (4, 5e-4), (12, 5e-4), (40, 2e-3)])
@pytest.mark.parametrize(
    ("shape", "profile"), [(Matern52(), MATERN), (SquaredExponential(), RBF())], ids=["matern", "squared"]
)
def test_polynomial_main_effects_equal_exact_ones(shape, profile, dim, tolerance, length):
    kernel, leaves = main_effects(dim, length, shape), Leaves.numbers(dim)
    Y, V = np.vstack([points(leaves, 30), np.ones(dim), -np.ones(dim)]), points(leaves, 20, seed=1)
    K = kernel.covariance(kernel.features(Y), kernel.features(V))
    assert_allclose(K, by_formula(kernel, Y, V, profile), rtol=0.0, atol=tolerance)


@pytest.mark.parametrize("m", [2, 3, 11, 21, 33])
def test_chebyshev_polynomials_are_those_of_numpy(m):
    Z = np.random.default_rng(0).uniform(-1.0, 1.0, (7, 3))
    assert_allclose(chebyshev(Z, m), chebvander(Z, m - 1), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("m", [2, 3, 11, 21, 33])
def test_slopes_of_chebyshev_polynomials_are_those_of_numpy(m):
    Z = np.random.default_rng(0).uniform(-1.0, 1.0, (7, 3))
    expected = np.stack([chebval(Z, chebder(row)) for row in np.eye(m)], axis=-1)
    assert_allclose(chebyshev(Z, m) @ differentiation(m), expected, rtol=0.0, atol=1e-9)  # slopes reach m^2, 1e3


@pytest.mark.parametrize("degree", [1, 2])
def test_line_and_parabola_are_main_effects_of_long_length_scales(degree):
    kernel = main_effects(4, 200.0, Matern52()).with_scales(np.append(np.full(4, 200.0), [1.0, 1e6, 1e-6]))
    Y, V = points(NUMBERS, 12), points(NUMBERS, 20, seed=1)
    posterior = condition(kernel, Y, (Y**degree).sum(axis=1), 1e-8)
    assert_allclose(posterior(V).mean, (V**degree).sum(axis=1), atol=0.1)  # of values between -4 and 4


@every_kind
@pytest.mark.parametrize("n", [1, 5, 100, 200])
def test_covariance_that_comes_with_a_gradient_is_the_same(leaves, n):
    kernel, Y = bound(leaves), points(leaves, n)
    Z = kernel.features(Y)
    assert_allclose(kernel.between(Y, Z).covariance, kernel.covariance(Z, Z), rtol=0.0, atol=1e-12)
    assert_allclose(kernel.gram(Z).covariance, kernel.covariance(Z, Z), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 95, 96, 97, 250])
def test_products_that_use_symmetry_equal_those_that_do_not(n):
    A = np.random.default_rng(0).standard_normal((n, 5))
    M = A @ A.T
    assert_allclose(symmetric_product(A, A), M, rtol=0.0, atol=1e-12)
    half = A.T @ half_product(M, A)
    assert_allclose(half + half.T, A.T @ M @ A, rtol=1e-12)


@every_kind
def test_features_of_no_points_are_none(leaves):
    assert len(bound(leaves).features(points(leaves, 0))) == 0


@every_kind
def test_diagonal_is_the_covariance_of_points_with_themselves(leaves):
    kernel = bound(leaves)
    Y = points(leaves, 10)
    Z = kernel.features(Y)
    assert_allclose(kernel.between(Y, Z).diagonal, np.diag(kernel.covariance(Z, Z)), rtol=1e-12)


@every_kind
@pytest.mark.parametrize("c", [0.5, 1.0, 20.0])
def test_covariance_is_positive_semidefinite(leaves, c):
    kernel = bound(leaves, [c, *BESIDES[1:]])
    Z = kernel.features(points(leaves, 40))
    assert np.linalg.eigvalsh(kernel.covariance(Z, Z)).min() > -1e-12


@every_kind
def test_covariance_is_symmetric(leaves):
    kernel = bound(leaves)
    Z, W = kernel.features(points(leaves, 12)), kernel.features(points(leaves, 7, seed=1))
    assert_allclose(kernel.covariance(Z, W), kernel.covariance(W, Z).T, rtol=0.0, atol=1e-12)


@every_kind
def test_scale_gradient_equals_the_difference_quotient(leaves):
    kernel, rng = bound(leaves), np.random.default_rng(2)
    Z = kernel.features(points(leaves, 15))
    weights = rng.standard_normal((15, 15))
    weights += weights.T

    def total(log_scales):
        return float(np.vdot(weights, kernel.with_scales(np.exp(log_scales)).covariance(Z, Z)))

    quotient = approx_fprime(np.log(kernel.scales), total, 1e-6)
    assert_allclose(kernel.gram(Z).scale_gradient(weights), quotient, rtol=1e-4, atol=1e-3)  # one-sided quotients


@pytest.mark.parametrize(
    "leaves", [NUMBERS, Leaves.numbers(1), CODED, Leaves.numbers(30)], ids=["4", "1", "coded", "30"]
)
def test_gradient_equals_the_difference_quotient(leaves):
    kernel, rng = bound(leaves), np.random.default_rng(3)
    Y, weights = points(leaves, 1), rng.standard_normal((1, 12))
    Z = kernel.features(points(leaves, 12, seed=1))

    def total(y):
        return float((weights @ kernel.covariance(kernel.features(y[None, :]), Z).T)[0, 0])

    quotient = approx_fprime(Y[0], total, 1e-7)
    assert_allclose(kernel.between(Y, Z).gradient(weights)[0], quotient, rtol=1e-4, atol=1e-5)  # one-sided quotients


def test_gradient_is_zero_on_choices_and_whole_numbers():
    kernel = bound(MIXED)
    Y = points(MIXED, 6)
    G = kernel.between(Y, kernel.features(points(MIXED, 9, seed=1))).gradient(np.ones((6, 9)))
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
    here, same = bound(few).features(Y), bound(many).features(there)
    assert_allclose(bound(many).covariance(same, same[:9]), bound(few).covariance(here, here[:9]), rtol=1e-12)


def test_gradients_of_a_choice_do_not_depend_on_how_many_there_are():
    few, many, Y, there = few_of_many(20, seed=0)
    weights = np.random.default_rng(1).standard_normal((20, 20))
    weights += weights.T
    here, same = bound(few).features(Y), bound(many).features(there)
    assert_allclose(
        bound(many).gram(same).scale_gradient(weights),
        bound(few).gram(here).scale_gradient(weights),
        rtol=1e-9,
        atol=1e-9,
    )  # sums of terms that cancel
    assert_allclose(
        bound(many).between(there, same).gradient(weights),
        bound(few).between(Y, here).gradient(weights),
        rtol=1e-9,
        atol=1e-9,
    )


def test_posterior_far_from_data_has_the_variance_of_the_kernel():
    kernel, far = bound(NUMBERS).with_scales(np.append(np.full(4, 0.05), BESIDES)), np.full((1, 4), 1.0)
    posterior = condition(kernel, np.full((1, 4), -1.0), np.ones(1), 1e-10)
    # the polynomial of a process that is shorter than its nodes are apart ripples a little
    assert_allclose(posterior(far).std ** 2, kernel.between(far, kernel.features(far)).diagonal, rtol=1e-3)


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
