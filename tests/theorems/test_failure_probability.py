"""Section 3.1: if one box misses every optimum with probability delta, k independent boxes do with delta^k."""

import numpy as np
import pytest

from rembo import Box, GaussianEmbedding, Rembo
from rembo.problems import Branin

DELTA = 0.2847  # Branin, d = 2, Y = [-sqrt 2, sqrt 2]^2; from 4 million independent 2 x 2 normal matrices, +-0.0003
COORDINATES = np.array([17, 999_999_998])
OPTIMIZERS = np.array(Branin().optimizers).T


def misses(embedding):
    """Whether no y in Y has A y equal to one of Branin's three optimizers at the coordinates that matter."""
    Y = np.linalg.solve(embedding.rows(COORDINATES), OPTIMIZERS)
    return not any(embedding.region.contains(y) for y in Y.T)


@pytest.fixture(scope="module")
def missed():
    """For each of 6000 seeds, whether the box of its embedding holds no optimum."""
    return np.array([misses(GaussianEmbedding(10**9, 2, seed=seed)) for seed in range(6000)])


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_all_of_k_boxes_fail_with_probability_delta_to_the_k(missed, k):
    """A frequency of n draws strays by more than 4 sqrt(p (1 - p) / n) with probability 6e-5."""
    groups = missed.reshape(-1, k)
    p = DELTA**k
    assert groups.all(axis=1).mean() == pytest.approx(p, abs=4.0 * np.sqrt(p * (1.0 - p) / len(groups)))


@pytest.mark.parametrize("k", [2, 4])
def test_interleaved_runs_fail_together_as_independent_ones_do(k):
    """The embeddings of one optimizer are independent: 4 standard deviations of 500 draws, as above."""
    failed = [all(misses(run.embedding) for run in Rembo(Box(10**9), 2, runs=k, seed=seed).runs) for seed in range(500)]
    p = DELTA**k
    assert np.mean(failed) == pytest.approx(p, abs=4.0 * np.sqrt(p * (1.0 - p) / 500))
