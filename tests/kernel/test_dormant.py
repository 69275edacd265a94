"""Leaves at rest: a parameter that f does not get says nothing of a configuration's distance, and is not moved."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Bool, Box, Categorical, Float, Integer, Is, Point, Space
from rembo.embedding import Forest, Layout
from rembo.kernel import Leaves

SPACE = Space(
    {
        "solver": Categorical(["adam", "sgd", "lbfgs"]),
        "momentum": Float(0.0, 1.0).when(Is("solver", "sgd")),
        "history": Integer(1, 9).when(Is("solver", "lbfgs")),
        "damped": Bool().when(Is("solver", "lbfgs")),
        "weights": Box(2).when(Is("damped", True)),
    },
    default={"solver": "adam", "momentum": 0.9},
)
FOREST = Forest.planted(Layout.of(SPACE), 4, seed=0, choices=2)
LEAVES = Leaves.of(SPACE, FOREST)
SHARED = Forest.planted(Layout.of(SPACE), 1, seed=0, choices=2)


def position(**changed):
    """Where in the forest a configuration lies, the default but for what is changed; inactive values count, too."""
    return FOREST.preimage(SPACE.encode(SPACE.default | changed))


def test_inactive_parameters_do_not_tell_configurations_apart():
    one, other = position(momentum=0.1, history=3), position(momentum=0.7, history=8, damped=True)
    Z = LEAVES(np.array([one, other]))
    assert_array_equal(Z[0], Z[1])


def test_active_parameters_do():
    Z = LEAVES(np.array([position(solver="sgd", momentum=0.1), position(solver="sgd", momentum=0.7)]))
    assert np.abs(Z[0] - Z[1]).sum() > 0.1


def test_inactive_parameters_rest_at_the_default():
    assert_allclose(LEAVES.snap(position(momentum=0.1, weights=[0.5, 0.5])[None, :])[0], position(), atol=1e-12)


def test_parameter_wakes_where_it_would_rest():
    neighbours = [SPACE.decode(Point(FOREST, y)) for y in LEAVES.neighbours(LEAVES.snap(position()[None, :])[0])]
    assert {"solver": "sgd", "momentum": 0.9} in neighbours
    assert {"solver": "lbfgs", "history": 5, "damped": False} in neighbours


def test_neighbours_differ_in_what_f_gets():
    at = LEAVES.snap(position()[None, :])[0]
    assert len(LEAVES.neighbours(at)) == 2  # the two other solvers: all else is inactive


@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_gradient_is_that_of_the_features(solver):
    at, step = position(solver=solver, momentum=0.4), 1e-6
    G = np.random.default_rng(0).standard_normal((1, LEAVES(at[None, :]).shape[1]))
    leaf = int(np.flatnonzero(LEAVES.continuous)[0])
    moved = at + step * np.eye(len(at))[leaf]
    slope = float(((LEAVES(moved[None, :]) - LEAVES(at[None, :])) * G).sum()) / step
    assert LEAVES.pull_back(at[None, :], G)[0, leaf] == pytest.approx(slope, abs=1e-6)


def test_leaves_that_parameters_share_never_rest():
    leaves = Leaves.of(SPACE, SHARED)
    Y = np.random.default_rng(0).uniform(-1.0, 1.0, (10, SHARED.embedding_dim))
    numbers = leaves.choices == 0
    assert_array_equal(leaves.snap(Y)[:, numbers], Y[:, numbers])
