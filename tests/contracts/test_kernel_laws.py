"""The laws of a kernel, on every kernel the library has and everywhere it can measure distance."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.embedding import GaussianEmbedding
from rembo.kernel import Embedded, Hamming, Image, Matern32, Matern52, Product, SquaredExponential
from rembo.space import Bool, Box, Categorical, Float, Integer, Space

DIM = 3
CONTINUOUS = Box(8)
WIDE = Box(1000)  # more than Image measures: a sample of its coordinates stands for all
WHOLE = Space({"depth": Integer(1, 9), "width": Integer(1, 1000, log=True), "rate": Float(0.0, 1.0), "w": Box(3)})
CHOICES = Space({"solver": Categorical(["adam", "sgd", "lbfgs"]), "warm": Bool(), "cold": Bool(), "dry": Bool()})
MIXED = Space(
    {"rates": Box(5, 0.0, 2.0), "layers": Integer(1, 8), "solver": Categorical(["a", "b", "c"]), "on": Bool()}
)

PLACES = {
    "embedded": (Embedded(), CONTINUOUS),
    "image": (Image(), CONTINUOUS),
    "image of integers": (Image(), WHOLE),
    "image of a sample": (Image(), WIDE),
}
STATIONARY = {
    f"{shape.__name__} on {where}{', ard' * ard}": (shape(on=on, ard=ard), space)
    for shape, (where, (on, space)), ard in product(
        (SquaredExponential, Matern32, Matern52), PLACES.items(), (False, True)
    )
}
DISCRETE = {
    "Hamming squared": (Hamming(scale=0.5, power=2), CHOICES),  # a covariance at short length scales only
    "Hamming": (Hamming(scale=3.0, power=1), CHOICES),
    "Hamming of integers": (Hamming(scale=3.0, power=1), WHOLE),
    "Product": (Product(SquaredExponential(on=Image()), Hamming(scale=0.5)), MIXED),
    "Product, ard": (Product(Matern52(on=Image(), ard=True), Hamming(scale=2.0, power=1)), MIXED),
}
KERNELS = STATIONARY | DISCRETE


@pytest.fixture(params=KERNELS.values(), ids=KERNELS.keys())
def kernel(request):
    choice, space = request.param
    return choice.bind(space, GaussianEmbedding(space.size, DIM, seed=7))


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def points(rng, n):
    """Points of the embedded space: some images inside the box, some clipped."""
    return rng.uniform(-1.2, 1.2, size=(n, DIM))


def central_difference(f, x, step=1e-5):
    """Error: step^2 times a third derivative, and rounding divided by the step; both about 1e-10."""
    return np.array([(f(x + step * e) - f(x - step * e)) / (2.0 * step) for e in np.eye(len(x))])


def test_covariance_is_symmetric(kernel, rng):
    Z, W = kernel.features(points(rng, 12)), kernel.features(points(rng, 7))
    assert_allclose(kernel.covariance(Z, W), kernel.covariance(W, Z).T, rtol=0.0, atol=1e-12)


def test_covariance_of_a_point_with_itself_is_one(kernel, rng):
    Z = kernel.features(points(rng, 12))
    assert_allclose(np.diag(kernel.covariance(Z, Z)), 1.0, rtol=0.0, atol=1e-12)


def test_diagonal_is_that_of_the_covariance(kernel, rng):
    Y = points(rng, 12)
    Z = kernel.features(Y)
    assert kernel.between(Y, Z).diagonal.shape == (12,)
    assert_allclose(kernel.between(Y, Z).diagonal, np.diag(kernel.covariance(Z, Z)), rtol=0.0, atol=1e-12)


def test_covariance_that_comes_with_a_gradient_is_the_same(kernel, rng):
    Y, Z = points(rng, 5), kernel.features(points(rng, 12))
    between = kernel.between(Y, Z).covariance
    assert_allclose(between, kernel.covariance(kernel.features(Y), Z), rtol=0.0, atol=1e-14)
    assert_allclose(kernel.gram(Z).covariance, kernel.covariance(Z, Z), rtol=0.0, atol=1e-14)


def test_covariance_lies_between_zero_and_one(kernel, rng):
    K = kernel.covariance(kernel.features(points(rng, 12)), kernel.features(points(rng, 7)))
    assert K.min() >= 0.0
    assert K.max() <= 1.0


def test_covariance_is_positive_semidefinite(kernel, rng):
    Z = kernel.features(points(rng, 40))
    assert np.linalg.eigvalsh(kernel.covariance(Z, Z)).min() > -1e-12


def test_covariance_is_positive_semidefinite_at_half_the_scales(kernel, rng):
    Z = kernel.features(points(rng, 40))
    halved = kernel.with_scales(kernel.scales / 2.0)
    assert np.linalg.eigvalsh(halved.covariance(Z, Z)).min() > -1e-12


def test_covariance_rises_with_the_length_scales(kernel, rng):
    Z, W = kernel.features(points(rng, 12)), kernel.features(points(rng, 7))
    longer = kernel.with_scales(kernel.scales * 1.5)
    assert np.all(longer.covariance(Z, W) >= kernel.covariance(Z, W))


def test_covariance_has_a_row_per_point(kernel, rng):
    Z, W = kernel.features(points(rng, 12)), kernel.features(points(rng, 7))
    assert kernel.covariance(Z, W).shape == (12, 7)


def test_gradient_equals_finite_differences(kernel, rng):
    Y, Z = points(rng, 4), kernel.features(points(rng, 9))
    weights = rng.standard_normal((4, 9))

    def total(flat):
        return np.sum(weights * kernel.covariance(kernel.features(flat.reshape(Y.shape)), Z))

    # 1e-7: a difference of numbers near 1, good to 1e-16, divided by a step of 1e-5, with room for 36 of them
    assert_allclose(
        kernel.between(Y, Z).gradient(weights).ravel(), central_difference(total, Y.ravel()), rtol=1e-6, atol=1e-7
    )


def test_gradient_vanishes_where_two_points_meet(kernel, rng):
    Y = points(rng, 1)
    assert_allclose(kernel.between(Y, kernel.features(Y)).gradient(np.ones((1, 1))), 0.0, atol=1e-12)


def test_gradient_without_other_points_is_zero(kernel, rng):
    Y = points(rng, 4)
    nothing = kernel.features(points(rng, 0))
    assert_array_equal(kernel.between(Y, nothing).gradient(np.zeros((4, 0))), np.zeros((4, DIM)))


def test_scale_gradient_equals_finite_differences(kernel, rng):
    Z, half = kernel.features(points(rng, 9)), rng.standard_normal((9, 9))
    weights = half + half.T

    def total(log_scales):
        return np.sum(weights * kernel.with_scales(np.exp(log_scales)).covariance(Z, Z))

    expected = central_difference(total, np.log(kernel.scales))
    assert_allclose(kernel.gram(Z).scale_gradient(weights), expected, rtol=1e-6, atol=1e-7)  # as for the gradient


def test_scales_given_are_the_scales_kept(kernel, rng):
    scales = rng.uniform(0.1, 5.0, size=kernel.scales.shape)
    assert_array_equal(kernel.with_scales(scales).scales, scales)


def test_own_scales_given_back_change_nothing(kernel, rng):
    Z, there = kernel.features(points(rng, 12)), kernel.with_scales(kernel.scales * 3.0)
    back = there.with_scales(kernel.scales)
    assert_array_equal(back.covariance(Z, Z), kernel.covariance(Z, Z))


def test_new_scales_leave_the_old_kernel_alone(kernel):
    before = kernel.scales.copy()
    kernel.with_scales(kernel.scales * 3.0)
    assert_array_equal(kernel.scales, before)


def test_features_of_a_point_do_not_depend_on_the_others(kernel, rng):
    Y = points(rng, 6)
    assert_allclose(kernel.features(Y)[2:3], kernel.features(Y[2:3]), rtol=0.0, atol=1e-12)
