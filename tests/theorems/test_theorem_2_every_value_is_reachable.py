"""Theorem 2: with d >= d_e, every x in R^D has a y in R^d with f(x) = f(A y), with probability 1."""

import numpy as np
import pytest
from scipy import stats

from rembo import GaussianEmbedding, Point

D = 60


def axes(effective_dim, seed):
    """An effective subspace spanned by coordinate axes, as a basis, (D, d_e)."""
    chosen = np.random.default_rng(seed).permutation(D)[:effective_dim]
    return np.eye(D)[:, chosen]


def rotated(effective_dim, seed):
    """An effective subspace in general position, as an orthonormal basis, (D, d_e)."""
    return stats.ortho_group.rvs(D, random_state=seed)[:, :effective_dim]


def waves(basis, x):
    """A function that sees of x only its part in the subspace."""
    z = basis.T @ x
    return float(np.sum(np.sin(3.0 * z) + z**2))


def nearest(basis, embedding, x):
    """The y whose image comes closest to x within the subspace."""
    A = embedding.rows(np.arange(D))
    return np.linalg.lstsq(basis.T @ A, basis.T @ x, rcond=None)[0]


@pytest.mark.parametrize("subspace", [axes, rotated])
@pytest.mark.parametrize(("effective_dim", "d"), [(1, 1), (2, 2), (2, 5), (5, 5), (10, 10), (10, 20)])
@pytest.mark.parametrize("seed", range(4))
def test_every_value_is_reached_from_the_embedded_space(subspace, effective_dim, d, seed):
    """Solving for y loses as many digits as the section of A is ill-conditioned: here fewer than 6 of 15."""
    basis, embedding = subspace(effective_dim, seed), GaussianEmbedding(D, d, seed=seed)
    x = np.random.default_rng(seed).uniform(-1.0, 1.0, D)
    reached = Point(embedding, nearest(basis, embedding, x), projected=False)
    assert waves(basis, np.asarray(reached)) == pytest.approx(waves(basis, x), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("subspace", [axes, rotated])
@pytest.mark.parametrize("effective_dim", [2, 5, 10])
def test_values_are_missed_when_the_embedding_is_too_small(subspace, effective_dim):
    basis, embedding = subspace(effective_dim, 1), GaussianEmbedding(D, effective_dim - 1, seed=1)
    x = np.random.default_rng(1).uniform(-1.0, 1.0, D)
    reached = np.asarray(Point(embedding, nearest(basis, embedding, x), projected=False))
    assert np.linalg.norm(basis.T @ (reached - x)) > 1e-3


@pytest.mark.parametrize("seed", range(10))
def test_any_two_coordinates_of_a_billion_take_any_value(seed):
    embedding = GaussianEmbedding(10**9, 2, seed=seed)
    drawn = np.random.default_rng(seed)
    index, wanted = drawn.integers(10**9, size=2), drawn.uniform(-1.0, 1.0, 2)
    x = Point(embedding, np.linalg.solve(embedding.rows(index), wanted), projected=False)
    assert x[index] == pytest.approx(wanted, abs=1e-10)
