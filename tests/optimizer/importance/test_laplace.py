"""Plausible hyper-parameters: around the mode, and as uncertain as the values leave them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from rembo.gp import Evidence, Noise
from rembo.kernel import Leaves
from rembo.learning import Prior
from rembo.optimizer.additive import EFFECTS, axes_kernel
from rembo.optimizer.importance.laplace import HyperPosterior

LENGTH, NOISE = Prior(2.0, 2.0, 0.03, 100.0), Prior(1e-4, 4.0, 1e-8, 1.0)


@pytest.fixture(scope="module")
def posterior():
    """Of two numbers: a noisy f changes along the first one, and the second one never moved."""
    leaves, rng = Leaves.numbers(2), np.random.default_rng(0)
    Y = np.column_stack([rng.uniform(-1.0, 1.0, 20), np.zeros(20)])
    values = np.sin(3.0 * Y[:, 0]) + 0.1 * rng.normal(size=20)
    kernel = axes_kernel(leaves)
    evidence = Evidence(kernel, kernel.features(Y), (values - values.mean()) / values.std(), Noise(1e-8, 1.0))
    return HyperPosterior(evidence, [LENGTH, LENGTH, *EFFECTS, NOISE])


def test_gradient_is_that_of_the_log_posterior(posterior):
    t = np.linspace(-0.4, 0.5, 6)
    numeric = approx_fprime(t, lambda t: posterior(t)[0], 1e-6)
    assert_allclose(posterior(t)[1], numeric, rtol=1e-3, atol=1e-3)  # finite differences


def test_mode_is_where_the_gradient_vanishes(posterior):
    assert np.abs(posterior(posterior.mode())[1]).max() < 0.1  # L-BFGS stops at some tolerance


def test_precision_is_nowhere_below_the_priors(posterior):
    assert np.linalg.eigvalsh(posterior.precision(posterior.mode())).min() >= 1.0 - 1e-8


def test_length_that_the_values_say_nothing_of_is_as_uncertain_as_before(posterior):
    lengths = np.array([draw.scales[:2] for draw in posterior.draws(200, np.random.default_rng(1))])
    known, unknown = np.log(lengths).std(axis=0)
    assert unknown > 1.4  # the prior's 2, less what is cut at the bounds
    assert known < unknown


def test_draws_lie_within_the_bounds_of_the_priors(posterior):
    draws = posterior.draws(100, np.random.default_rng(2))
    assert all(0.02999 <= draw.scales[0] <= 100.01 and 0.99e-8 <= draw.noise <= 1.01 for draw in draws)  # but rounding


def test_same_random_numbers_make_the_same_draws(posterior):
    first, again = (posterior.draws(3, np.random.default_rng(3)) for _ in range(2))
    assert_array_equal([draw.scales for draw in first], [draw.scales for draw in again])
