"""Theorem 3: some optimum has ||y*|| <= (sqrt d_e / eps) ||x*|| with probability at least 1 - eps.

For a fixed x* the law of the bound is known: if d = d_e then ||y*|| = ||x*|| / |z| with z standard normal, so it fails
with probability P(|z| < eps / sqrt d_e), well below the eps that the theorem grants.
"""

from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr

from rembo import GaussianEmbedding, theorem_radius

MATRICES = 2000


@cache
def norms(effective_dim, d):
    """||x*|| and ||y*|| for as many seeds, (2, MATRICES): x* anywhere in the box, at coordinates all over a billion."""
    index = np.linspace(17, 999_999_998, effective_dim).astype(np.int64)
    X = np.random.default_rng(effective_dim).uniform(-1.0, 1.0, (MATRICES, effective_dim))
    B = np.array([GaussianEmbedding(10**9, d, seed=seed).rows(index) for seed in range(MATRICES)])
    Y = (np.linalg.pinv(B) @ X[:, :, None])[:, :, 0]
    return np.array([np.linalg.norm(X, axis=1), np.linalg.norm(Y, axis=1)])


def frequency_within(effective_dim, d, epsilon):
    x, y = norms(effective_dim, d)
    return float(np.mean(y <= theorem_radius(effective_dim, epsilon, optimum_norm=1.0) * x))


@pytest.mark.parametrize("epsilon", [0.9, 0.5, 0.2, 0.05])
@pytest.mark.parametrize(("effective_dim", "d"), [(1, 1), (2, 2), (2, 4), (5, 5), (5, 8), (10, 10)])
def test_optimizer_lies_in_the_ball_as_often_as_promised(effective_dim, d, epsilon):
    """The true frequency exceeds 1 - eps by at least 2 standard deviations of 2000 draws; the seeds are fixed."""
    assert frequency_within(effective_dim, d, epsilon) >= 1.0 - epsilon


@pytest.mark.parametrize("epsilon", [0.9, 0.5, 0.2, 0.05])
@pytest.mark.parametrize("effective_dim", [1, 2, 5, 10])
def test_optimizer_leaves_the_ball_with_its_exact_probability(effective_dim, epsilon):
    """A frequency of n draws strays by more than 4 sqrt(p (1 - p) / n) with probability 6e-5."""
    p = 2.0 * ndtr(epsilon / np.sqrt(effective_dim)) - 1.0
    outside = 1.0 - frequency_within(effective_dim, effective_dim, epsilon)
    assert outside == pytest.approx(p, abs=4.0 * np.sqrt(p * (1.0 - p) / MATRICES))


@pytest.mark.parametrize("effective_dim", [2, 5])
def test_more_embedded_dimensions_bring_the_optimizer_nearer(effective_dim):
    assert np.median(norms(effective_dim, effective_dim + 3)[1]) < np.median(norms(effective_dim, effective_dim)[1])


@pytest.mark.parametrize("effective_dim", [1, 4, 9])
def test_radius_without_a_norm_covers_the_corner_of_the_box(effective_dim):
    corner = float(np.linalg.norm(np.ones(effective_dim)))
    assert theorem_radius(effective_dim, 0.2) == pytest.approx(theorem_radius(effective_dim, 0.2, optimum_norm=corner))
