"""The product of kernels, factor by factor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.embedding import GaussianEmbedding
from rembo.kernel import Embedded, Hamming, Image, Matern32, Product, SquaredExponential
from rembo.space import Bool, Box, Categorical, Space

SPACE = Space({"rates": Box(6), "solver": Categorical(["a", "b", "c"]), "on": Bool()})
EMBEDDING = GaussianEmbedding(SPACE.size, 2, seed=4)
NUMBERS = SquaredExponential(scale=0.8, on=Image(), ard=True)
CHOICES = Hamming(scale=0.5)
NEARBY = Matern32(scale=2.0, on=Embedded())
Y = np.random.default_rng(9).uniform(-1.4, 1.4, size=(10, 2))


def covariance(kernel, Y):
    bound = kernel.bind(SPACE, EMBEDDING)
    Z = bound.features(Y)
    return bound.covariance(Z, Z)


@pytest.mark.parametrize("factors", [(NUMBERS, CHOICES), (CHOICES, NUMBERS), (NUMBERS, CHOICES, NEARBY)])
def test_covariance_is_the_product_of_the_factors(factors):
    assert_allclose(covariance(Product(*factors), Y), np.prod([covariance(f, Y) for f in factors], axis=0))


def test_product_of_a_product_is_the_product_of_all():
    nested, flat = Product(Product(NUMBERS, CHOICES), NEARBY), Product(NUMBERS, CHOICES, NEARBY)
    assert_allclose(covariance(nested, Y), covariance(flat, Y))


def test_features_of_the_factors_stand_side_by_side():
    both = Product(NUMBERS, CHOICES).bind(SPACE, EMBEDDING)
    alone = [factor.bind(SPACE, EMBEDDING).features(Y) for factor in (NUMBERS, CHOICES)]
    assert_array_equal(both.features(Y), np.hstack(alone))


def test_scales_of_the_factors_stand_side_by_side():
    assert_array_equal(Product(NUMBERS, CHOICES).bind(SPACE, EMBEDDING).scales, [0.8] * 6 + [0.5])


def test_new_scales_reach_their_own_factor():
    both = Product(CHOICES, NEARBY).bind(SPACE, EMBEDDING).with_scales(np.array([0.3, 7.0]))
    Z = both.features(Y)
    expected = covariance(Product(Hamming(scale=0.3), Matern32(scale=7.0)), Y)
    assert_allclose(both.covariance(Z, Z), expected)


def test_gradient_of_three_factors_follows_the_product_rule():
    kernel = Product(NUMBERS, CHOICES, NEARBY).bind(SPACE, EMBEDDING)
    Z, step = kernel.features(Y), np.array([[1e-5, 0.0]])
    ahead, behind = (kernel.covariance(kernel.features(Y[:1] + s), Z).sum() for s in (step, -step))
    # 1e-7: central differences with a step of 1e-5
    assert_allclose(kernel.between(Y[:1], Z).gradient(np.ones((1, 10)))[0, 0], (ahead - behind) / 2e-5, rtol=1e-7)


def test_projection_reaches_every_factor():
    kernel = Product(NUMBERS, CHOICES).bind(SPACE, EMBEDDING, projected=False)
    far = kernel.features(10.0 * Y)
    assert_allclose(far[:, :6], 10.0 * Y @ EMBEDDING.rows(np.arange(6)).T)


@pytest.mark.parametrize("factors", [(), (NUMBERS,)])
def test_product_of_fewer_than_two_is_refused(factors):
    with pytest.raises(ValueError, match=f"a Product needs at least 2 kernels, not {len(factors)}"):
        Product(*factors)


def test_product_shows_its_factors():
    assert repr(Product(NUMBERS, CHOICES)) == f"Product({NUMBERS}, {CHOICES})"
