"""The categorical kernel: what it counts, its formula, and where its square is no covariance."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.embedding import GaussianEmbedding, IdentityEmbedding
from rembo.kernel import Hamming
from rembo.space import Bool, Box, Categorical, Integer, Space

SOLVERS = Space({"solver": Categorical(["adam", "sgd", "lbfgs"]), "warm": Bool(), "verbose": Bool()})
ADAM = {"solver": "adam", "warm": False, "verbose": False}
NEIGHBOURS = [  # of ADAM, and in how many choices they differ from it
    (ADAM, 0),
    (ADAM | {"warm": True}, 1),
    (ADAM | {"solver": "sgd"}, 1),
    (ADAM | {"solver": "lbfgs"}, 1),  # two levels away, yet one choice
    (ADAM | {"solver": "lbfgs", "verbose": True}, 2),
    ({"solver": "sgd", "warm": True, "verbose": True}, 3),
]
TWO_BITS = Space({"a": Bool(), "b": Bool()})
ALL_FOUR = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])


def covariance_with_adam(kernel, other):
    bound = kernel.bind(SOLVERS, IdentityEmbedding(SOLVERS.size))
    first, second = (bound.features(SOLVERS.encode(setting)[None, :]) for setting in (ADAM, other))
    return bound.covariance(first, second)[0, 0]


def least_eigenvalue(kernel):
    bound = kernel.bind(TWO_BITS, IdentityEmbedding(2))
    Z = bound.features(ALL_FOUR)
    return np.linalg.eigvalsh(bound.covariance(Z, Z)).min()


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("other", "h"), NEIGHBOURS)
def test_squared_kernel_equals_the_formula_of_the_paper(other, h, scale):
    lambda_ = 1.0 / scale**2
    assert_allclose(covariance_with_adam(Hamming(scale), other), math.exp(-lambda_ / 2.0 * h**2))


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("other", "h"), NEIGHBOURS)
def test_kernel_of_power_one_falls_with_the_count(other, h, scale):
    lambda_ = 1.0 / scale**2
    assert_allclose(covariance_with_adam(Hamming(scale, power=1), other), math.exp(-lambda_ / 2.0 * h))


def test_power_of_the_paper_is_the_default():
    assert Hamming().power == 2


@pytest.mark.parametrize("h", [0, 1, 17, 100])
def test_count_is_exact_over_a_hundred_choices(h):
    space = Space({f"flag {i}": Bool() for i in range(100)})
    kernel = Hamming(scale=10.0, power=1).bind(space, IdentityEmbedding(100))
    off, some = np.full((1, 100), -0.5), np.where(np.arange(100) < h, 0.5, -0.5)[None, :]
    found = kernel.covariance(kernel.features(off), kernel.features(some))
    assert_array_equal(found, [[np.exp(-0.5 * h / 10.0**2)]])


@pytest.mark.parametrize("scale", [0.91, 1.0, 2.0])
def test_squared_kernel_is_no_covariance_on_two_bits_when_long(scale):
    assert least_eigenvalue(Hamming(scale)) < -1e-3


@pytest.mark.parametrize("scale", [0.91, 1.0, 2.0])
def test_eigenvalue_of_two_bits_is_the_one_documented(scale):
    a = math.exp(-1.0 / (2.0 * scale**2))
    assert_allclose(least_eigenvalue(Hamming(scale)), 1.0 - 2.0 * a + a**4)


@pytest.mark.parametrize("scale", [0.1, 0.5, 0.9])
def test_squared_kernel_is_a_covariance_on_two_bits_when_short(scale):
    assert least_eigenvalue(Hamming(scale)) > 0.0


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0, 50.0])
def test_kernel_of_power_one_is_a_covariance_at_every_scale(scale):
    assert least_eigenvalue(Hamming(scale, power=1)) > 0.0


def test_whole_numbers_are_counted_when_there_are_no_choices():
    space = Space({"depth": Integer(1, 9), "width": Integer(1, 9)})
    kernel = Hamming().bind(space, IdentityEmbedding(2))
    first, second = (space.encode({"depth": 1, "width": width})[None, :] for width in (2, 8))
    assert_allclose(kernel.covariance(kernel.features(first), kernel.features(second)), [[math.exp(-0.5)]])


def test_points_that_round_alike_covary_fully():
    kernel = Hamming().bind(TWO_BITS, GaussianEmbedding(2, 1, seed=3))
    Z = kernel.features(np.array([[0.2], [0.9]]))
    assert_array_equal(kernel.covariance(Z, Z), np.ones((2, 2)))


def test_bound_kernel_keeps_scale_and_power():
    bound = Hamming(scale=0.4, power=1).bind(TWO_BITS, IdentityEmbedding(2))
    assert (bound.scales.tolist(), bound.power) == ([0.4], 1)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_scale_that_is_not_positive_and_finite_is_refused(scale):
    with pytest.raises(ValueError, match=f"length scale {scale} must be positive and finite"):
        Hamming(scale)


@pytest.mark.parametrize("power", [0, 3, -1])
def test_power_other_than_one_or_two_is_refused(power):
    with pytest.raises(ValueError, match=f"power {power} must be 2, as in the paper, or 1"):
        Hamming(power=power)


def test_space_without_choices_is_refused_with_a_cure():
    with pytest.raises(ValueError, match=r"this space has none: use SquaredExponential\(\)"):
        Hamming().bind(Box(3), IdentityEmbedding(3))
