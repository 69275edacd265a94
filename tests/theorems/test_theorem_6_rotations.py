"""Theorem 6: rotating f leaves the law of the values found as it was; Lemma 5: rotating A along, the values too."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from rembo import Box, GaussianEmbedding, Rembo
from rembo.problems import Branin

D, EVALUATIONS, SEEDS = 10, 10, 60
branin = Branin()
haar = stats.ortho_group.rvs(D, random_state=1)


def plain(x):
    return branin(x[:2].tolist())


def rotated(x):
    return branin((haar @ x)[:2].tolist())


def squeezed(x):
    return branin((3.0 * haar @ x)[:2].tolist())


def values(f, seed, **choices):
    """What Algorithm 2 sees of f, without projection onto the box, which is not invariant to rotation."""
    optimizer = Rembo(Box(D), 2, seed=seed, projection=False, **choices)
    for _ in range(EVALUATIONS):
        trial = optimizer.ask()
        optimizer.tell(trial, f(np.asarray(trial.x)))
    return [trial.value for trial in optimizer.trials]


def best_values(f, first_seed):
    return [min(values(f, seed)) for seed in range(first_seed, first_seed + SEEDS)]


@pytest.fixture(scope="module")
def best_of_plain():
    return best_values(plain, 0)


def test_best_values_have_one_law_before_and_after_rotation(best_of_plain):
    """Independent seeds on both sides; a true law is rejected with probability 0.01, and the seeds are fixed."""
    assert stats.ks_2samp(best_of_plain, best_values(rotated, 1000)).pvalue > 0.01


def test_best_values_have_another_law_for_another_scale(best_of_plain):
    """The same statistic does reject a function three times as narrow, so the test above can fail."""
    assert stats.ks_2samp(best_of_plain, best_values(squeezed, 1000)).pvalue < 0.001


@dataclass(frozen=True)
class Turned:
    """The Gaussian embedding turned by a signed permutation of coordinates: an orthonormal map without rounding."""

    ambient_dim: int
    embedding_dim: int
    seed: int

    @property
    def inner(self):
        return GaussianEmbedding(self.ambient_dim, self.embedding_dim, self.seed)

    @property
    def region(self):
        return self.inner.region

    def rows(self, index):
        return signs[index, None] * self.inner.rows(order[index])

    def image(self, y, index):
        return signs[index] * self.inner.image(y, order[index])


order = np.random.default_rng(2).permutation(D)
signs = np.random.default_rng(3).choice([-1.0, 1.0], D)


def turned_back(x):
    """f(R x), where R undoes what `Turned` does to the coordinates."""
    back = np.empty(D)
    back[order] = signs * x
    return plain(back)


@pytest.mark.parametrize("seed", range(5))
def test_values_are_the_same_when_function_and_embedding_turn_together(seed):
    assert values(turned_back, seed, embedding=Turned) == values(plain, seed)


@pytest.mark.parametrize("seed", range(5))
def test_values_differ_when_the_function_turns_alone(seed):
    assert values(turned_back, seed) != values(plain, seed)
