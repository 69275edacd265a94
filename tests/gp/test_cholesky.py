"""Cholesky factors: what they factorize, how little jitter they add, what they solve."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.gp import NotPositiveDefiniteError
from rembo.gp.cholesky import factorize, inverse, solve_lower, solve_upper


@pytest.fixture
def K():
    """A well-conditioned covariance, (6, 6)."""
    root = np.random.default_rng(2).standard_normal((6, 6))
    return root @ root.T + 6.0 * np.eye(6)


def test_factor_times_its_transpose_is_the_matrix(K):
    L = factorize(K).L
    assert_allclose(L @ L.T, K, rtol=1e-12)


def test_factor_is_lower_triangular(K):
    L = factorize(K).L
    assert_array_equal(L, np.tril(L))


def test_factor_equals_that_of_numpy(K):
    assert_allclose(factorize(K).L, np.linalg.cholesky(K), rtol=1e-12, atol=1e-14)


def test_factorizing_leaves_the_matrix_alone(K):
    before = K.copy()
    factorize(K)
    assert_array_equal(K, before)


def test_positive_definite_matrix_gets_no_jitter(K):
    assert factorize(K).jitter == 0.0


@pytest.mark.parametrize(
    ("least_eigenvalue", "jitter"), [(-5e-14, 1e-13), (-5e-12, 1e-11), (-5e-10, 1e-9), (-5e-7, 1e-6)]
)
def test_jitter_is_the_least_that_mends_the_matrix(least_eigenvalue, jitter):
    assert factorize(np.diag([1.0, least_eigenvalue])).jitter == jitter


def test_jitter_stands_on_the_diagonal_of_what_was_factorized():
    factor = factorize(np.ones((3, 3)))
    assert_allclose(factor.L @ factor.L.T, np.ones((3, 3)) + factor.jitter * np.eye(3), rtol=1e-15)


def test_jitter_already_needed_is_where_the_search_begins(K):
    assert factorize(K, least=1e-10).jitter == 1e-10


@pytest.mark.parametrize("n", [2, 5])
def test_matrix_beyond_all_jitter_is_refused_with_size_and_limit(n):
    with pytest.raises(
        NotPositiveDefiniteError, match=f"a {n} x {n} matrix is not positive definite, even with jitter 1e-06"
    ):
        factorize(-2e-6 * np.eye(n))


def test_refusal_is_a_value_error():
    with pytest.raises(ValueError, match="not positive definite"):
        factorize(np.array([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("shape", [(6,), (6, 3)])
def test_solving_with_the_factor_undoes_multiplying_by_it(K, shape):
    L, B = factorize(K).L, np.random.default_rng(3).standard_normal(shape)
    assert_allclose(L @ solve_lower(L, B), B, rtol=1e-10)


@pytest.mark.parametrize("shape", [(6,), (6, 3)])
def test_solving_with_the_transpose_undoes_multiplying_by_it(K, shape):
    L, B = factorize(K).L, np.random.default_rng(3).standard_normal(shape)
    assert_allclose(L.T @ solve_upper(L, B), B, rtol=1e-10)


def test_inverse_is_that_of_the_factorized_matrix(K):
    assert_allclose(inverse(factorize(K).L) @ K, np.eye(6), atol=1e-12)


def test_inverse_is_symmetric(K):
    found = inverse(factorize(K).L)
    assert_array_equal(found, found.T)


@pytest.mark.parametrize("solve", [solve_lower, solve_upper])
def test_empty_factor_solves_nothing(solve):
    assert solve(np.zeros((0, 0)), np.zeros((0, 4))).shape == (0, 4)
