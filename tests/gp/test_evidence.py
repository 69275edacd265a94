"""The log marginal likelihood against SciPy's density, scikit-learn's, and its own finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel

from rembo.embedding import GaussianEmbedding, IdentityEmbedding
from rembo.gp import Evidence, Noise
from rembo.kernel import Hamming, Image, Matern32, Matern52, Product, SquaredExponential
from rembo.space import Bool, Box, Categorical, Space

KNOWN = Noise(1e-6, 1e-6)
MIXED = Space({"rates": Box(4), "solver": Categorical(["a", "b", "c"])})
KERNELS = {
    "SquaredExponential": SquaredExponential(scale=0.6).bind(Box(2), IdentityEmbedding(2)),
    "Matern32": Matern32(scale=0.9).bind(Box(2), IdentityEmbedding(2)),
    "Matern52, ard": Matern52(ard=True).bind(Box(2), IdentityEmbedding(2)).with_scales(np.array([0.4, 2.0])),
    "on the image": Matern52(on=Image()).bind(Box(300), GaussianEmbedding(300, 2, seed=1)),
    "Hamming": Hamming(1.5, power=1).bind(MIXED, GaussianEmbedding(5, 2, seed=1)),
    "Product": Product(SquaredExponential(on=Image()), Hamming(0.5)).bind(MIXED, GaussianEmbedding(5, 2, seed=1)),
}
PEERS = {
    "SquaredExponential": RBF(0.6),
    "Matern32": Matern(0.9, nu=1.5),
    "Matern52, ard": Matern([0.4, 2.0], nu=2.5),
}
Y = np.random.default_rng(1).uniform(-1.0, 1.0, size=(15, 2))
VALUES = np.sin(3.0 * Y[:, 0]) * Y[:, 1]


def evidence_of(kernel):
    return Evidence(kernel, kernel.features(Y), VALUES, KNOWN)


@pytest.fixture(params=KERNELS.values(), ids=KERNELS.keys())
def kernel(request):
    return request.param


@pytest.mark.parametrize("noise", [1e-4, 0.1, 1.0])
def test_evidence_is_the_log_density_of_the_values(kernel, noise):
    K = kernel.covariance(kernel.features(Y), kernel.features(Y)) + noise * np.eye(15)
    expected = multivariate_normal.logpdf(VALUES, mean=np.zeros(15), cov=K)
    assert_allclose(evidence_of(kernel)(kernel.scales, noise), expected, rtol=1e-8)


@pytest.mark.parametrize("noise", [1e-4, 0.1])
@pytest.mark.parametrize("name", PEERS)
def test_evidence_equals_that_of_scikit_learn(name, noise):
    peer = GaussianProcessRegressor(PEERS[name], alpha=noise, optimizer=None).fit(Y, VALUES)
    kernel = KERNELS[name]
    assert_allclose(evidence_of(kernel)(kernel.scales, noise), peer.log_marginal_likelihood(), rtol=1e-9)


@pytest.mark.parametrize("noise", [1e-4, 0.1])
@pytest.mark.parametrize("name", PEERS)
def test_gradient_equals_that_of_scikit_learn(name, noise):
    peer = GaussianProcessRegressor(PEERS[name] + WhiteKernel(noise), alpha=0.0, optimizer=None).fit(Y, VALUES)
    _, expected = peer.log_marginal_likelihood(peer.kernel_.theta, eval_gradient=True)
    kernel = KERNELS[name]
    assert_allclose(evidence_of(kernel).with_gradient(kernel.scales, noise)[1], expected, rtol=1e-8)


@pytest.mark.parametrize("noise", [1e-3, 0.1, 1.0])
def test_gradient_equals_finite_differences_noise_included(kernel, noise):
    evidence, step = evidence_of(kernel), 1e-5
    theta = np.log(np.append(kernel.scales, noise))

    def value(theta):
        return evidence(np.exp(theta[:-1]), float(np.exp(theta[-1])))

    numeric = [(value(theta + e) - value(theta - e)) / (2.0 * step) for e in step * np.eye(len(theta))]
    # 1e-5: values of about 1e2, good to 1e-14 times the condition number 1e4, divided by the step
    assert_allclose(evidence.with_gradient(kernel.scales, noise)[1], numeric, rtol=1e-5, atol=1e-5)


def test_evidence_takes_the_scales_it_is_asked_about():
    se = KERNELS["SquaredExponential"]
    asked = evidence_of(se)(np.array([1.1]), 0.1)
    assert_allclose(asked, evidence_of(se.with_scales(np.array([1.1])))(np.array([1.1]), 0.1))


def test_evidence_is_highest_at_the_noise_of_pure_noise():
    values = np.random.default_rng(3).standard_normal(15)
    apart = SquaredExponential(scale=1e-3).bind(Box(2), IdentityEmbedding(2))
    best = np.mean(values**2) - 1.0  # K = (1 + noise) I, whose likeliest variance is the mean square
    by_scale, by_noise = Evidence(apart, Y, values, KNOWN).with_gradient(apart.scales, best)[1]
    assert_allclose([by_scale, by_noise], 0.0, atol=1e-10)


def test_evidence_is_minus_infinity_where_the_kernel_is_no_covariance():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    Z = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert Evidence(bits, Z, np.zeros(4), KNOWN)(np.array([2.0]), 1e-6) == -np.inf


def test_evidence_is_finite_at_repeated_points_without_noise():
    se = KERNELS["SquaredExponential"]
    twice = Evidence(se, np.vstack([Y, Y]), np.append(VALUES, VALUES), KNOWN)
    assert np.isfinite(twice(se.scales, 0.0))


@pytest.mark.parametrize(("noise", "known"), [(Noise(0.0, 0.0), True), (KNOWN, True), (Noise(1e-8, 1.0), False)])
def test_noise_is_known_when_its_bounds_are_equal(noise, known):
    assert noise.known is known
