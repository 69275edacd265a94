"""What is printed is a short line, whatever the number of coordinates, bins and parameters."""

import numpy as np
import pytest

from rembo import Bool, Box, Categorical, Float, Growing, Space, Trial
from rembo.embedding import Forest, Layout, TreeEmbedding

MANY = Space({f"p{n}": [Float(0.0, 1.0), Bool(), Categorical(range(5))][n % 3] for n in range(300)})
FOREST = Forest.planted(Layout.of(MANY), 50, seed=2)


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (FOREST, "Forest(300 coordinates in 100 bins, seed=2)"),
        (FOREST.layout, "Layout(300 coordinates of 3 kinds in 300 blocks)"),
        (TreeEmbedding.grown(10**9, 64, seed=1), "TreeEmbedding(1000000000 coordinates in 64 leaves, seed=1)"),
    ],
    ids=["forest", "layout", "tree"],
)
def test_repr_of_an_embedding_counts_what_it_holds(thing, shown):
    assert repr(thing) == shown


def test_repr_of_a_large_space_shows_the_first_parameters_and_their_number():
    assert repr(MANY).startswith("Space({'p0': Float(low=0.0, high=1.0, log=False), 'p1': Bool(), ")
    assert repr(MANY).endswith(", ... 300 in all})")
    assert len(repr(MANY)) < 200


def test_repr_of_a_categorical_shows_the_first_choices_and_their_number():
    assert repr(Categorical(range(20_000))) == "Categorical(choices=(0, 1, 2, 3, ... 20000 in all))"


@pytest.fixture
def trial():
    return Growing(Box(1000), seed=0).ask()


def test_repr_of_a_running_trial_shows_its_point(trial):
    assert repr(trial) == "Trial(0, running, x=Point(1000 coordinates in [-1, 1]: [0, 0, 0, ...]))"


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [({"value": 0.5}, "Trial(3, complete, value=0.5, x="), ({"failure": "no"}, "Trial(3, fail, failure='no', x=")],
)
def test_repr_of_a_finished_trial_shows_what_came_of_it(trial, outcome, shown):
    assert repr(Trial(3, trial.x, trial.point, **outcome)).startswith(shown)


def test_repr_of_a_trial_shows_the_first_of_many_parameters():
    shown = repr(Growing(MANY, seed=0).ask())
    assert shown.startswith("Trial(0, running, x={'p0': 0.5, 'p1': ")
    assert len(shown) < 200


def test_repr_of_a_trial_with_an_array_shows_its_first_numbers():
    trial = Growing([(0.0, 1.0)] * 20, seed=0).ask()
    assert repr(trial) == "Trial(0, running, x=[0.5, 0.5, 0.5, 0.5, ... 20 in all])"


def test_repr_of_a_default_shows_the_first_of_many_numbers():
    space = Space({"w": Box(5000)}, {"w": np.zeros(5000).tolist()})
    assert repr(space).endswith("default={'w': [0.0, 0.0, 0.0, 0.0, ... 5000 in all]})")
