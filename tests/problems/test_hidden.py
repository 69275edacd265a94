"""Padded and Subspace: where they hide a function does not change from version to version."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Box
from rembo.problems import Branin, Hartmann6, Levy, Noisy, Padded, Shifted, Subspace


@pytest.mark.parametrize(
    ("padded", "coordinates"),
    [
        (Padded(Branin(), 10**9, seed=0), [850624225, 636961687]),
        (Padded(Branin(), 10**9, seed=1), [511821624, 950463696]),
        (Padded(Hartmann6(), 1000, seed=0), [850, 636, 511, 269, 307, 40]),
    ],
    ids=["seed 0", "seed 1", "Hartmann6"],
)
def test_padded_coordinates_are_frozen(padded, coordinates):
    assert padded.coordinates == coordinates


def test_subspace_directions_are_frozen():
    expected = [[0.1489114637, 0.7584992171, -0.6344322767], [-0.2958464187, 0.6463718479, 0.7033337264]]
    assert_allclose(Subspace(Branin(), 3, seed=0).directions, expected, atol=1e-10)  # to the digits written here


@pytest.mark.parametrize("ambient_dim", [6, 7, 200])
def test_subspace_directions_are_orthonormal(ambient_dim):
    B = Subspace(Hartmann6(), ambient_dim, seed=3).directions
    assert_allclose(B @ B.T, np.eye(6), atol=1e-12)


def test_subspace_of_all_dimensions_is_a_rotation():
    rotated = Subspace(Levy(4), 4, seed=0)
    x = np.random.default_rng(0).uniform(-0.5, 0.5, 4)
    assert rotated(rotated.directions.T @ x) == pytest.approx(Levy(4)(x))


def test_subspace_function_depends_on_its_directions_alone():
    hidden = Subspace(Branin(), 25, seed=1)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, 25)
    across = np.random.default_rng(1).uniform(-1.0, 1.0, 25)
    across -= hidden.directions.T @ (hidden.directions @ across)
    assert hidden(x + across) == pytest.approx(hidden(x))


def test_subspace_function_depends_on_every_coordinate():
    hidden = Subspace(Branin(), 25, seed=1)
    moved = [hidden(0.1 * axis) for axis in np.eye(25)]
    assert hidden(np.zeros(25)) not in moved


def test_subspace_directions_depend_on_the_seed_alone():
    first, same, other = (Subspace(Branin(), 25, seed=seed).directions for seed in (0, 0, 1))
    assert_array_equal(first, same)
    assert not np.any(first == other)


@pytest.mark.parametrize("wrapper", [Padded, Subspace])
def test_hidden_function_has_the_optimum_of_what_is_hidden(wrapper):
    hidden = wrapper(Hartmann6(), 30)
    assert (hidden.space, hidden.optimum) == (Box(30), Hartmann6().optimum)


@pytest.mark.parametrize("wrapper", [Padded, Subspace])
def test_less_room_than_six_variables_need_is_an_error(wrapper):
    with pytest.raises(ValueError, match="ambient_dim 5 must be at least 6"):
        wrapper(Hartmann6(), 5)


def test_subspace_knows_that_all_coordinates_matter():
    assert list(Subspace(Branin(), 5).coordinates) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("inner", [Shifted(Levy(4), seed=2), Noisy(Levy(4), 0.0)], ids=["Shifted", "Noisy"])
def test_wrapped_function_can_be_hidden(inner):
    padded = Padded(inner, 100, seed=5)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, 100)
    assert padded(x) == inner(x[padded.coordinates])
