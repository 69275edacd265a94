"""Theorem 4: adding dimensions that do not matter changes nothing, here to the last bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Box, HashEmbedding, Image, Matern52, Rembo
from rembo.problems import Branin

EVALUATIONS = 30
SEARCHES = {
    "paper": ({}, 25),
    "four-dimensions": ({"embedding_dim": 4}, 25),
    "two-runs": ({"runs": 2}, 25),
    "unprojected": ({"projection": False}, 25),
    "hash": ({"embedding": HashEmbedding}, 25),
    "image-kernel": ({"kernel": Matern52(on=Image())}, 129),
}


def search(ambient_dim, seed=5, coordinates=(17, 3), embedding_dim=2, **choices):
    """Every asked y and told value of a search for the minimum of Branin at two coordinates."""
    branin = Branin()
    optimizer = Rembo(Box(ambient_dim), embedding_dim, seed=seed, **choices)
    for _ in range(EVALUATIONS):
        trial = optimizer.ask()
        optimizer.tell(trial, branin(trial.x[list(coordinates)].tolist()))
    return np.array([[*trial.y, trial.value] for trial in optimizer.trials])


@pytest.mark.parametrize(("choices", "ambient_dim"), SEARCHES.values(), ids=SEARCHES.keys())
def test_search_is_the_same_in_a_billion_dimensions(choices, ambient_dim):
    assert_array_equal(search(10**9, **choices), search(ambient_dim, **choices))


def test_search_is_the_same_wherever_the_dimensions_end():
    assert_array_equal(search(18), search(2**63 - 1))


def test_search_differs_when_other_dimensions_matter():
    assert not np.array_equal(search(25), search(25, coordinates=(17, 4)))


def test_search_differs_when_the_embedding_does():
    assert not np.array_equal(search(25), search(25, seed=6))
