"""Shifted functions: the optimum moves, stays in the box, and stays the lowest value."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Box
from rembo.problems import Ackley, Branin, Hartmann6, Levy, Rastrigin, Rosenbrock, Shifted

FUNCTIONS = [Branin(), Hartmann6(), Levy(4), Ackley(5), Rosenbrock(4), Rastrigin(3)]

of_every_function = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: type(f).__name__)
of_some_seeds = pytest.mark.parametrize("seed", range(5))


@of_some_seeds
@of_every_function
def test_shifted_function_has_its_optimum_at_its_optimizers(f, seed):
    shifted = Shifted(f, seed)
    values = [shifted(place) for place in shifted.optimizers]
    assert values == pytest.approx([f.optimum] * len(values), abs=1e-12)


@of_some_seeds
@of_every_function
def test_first_optimizer_keeps_away_from_centre_and_edge(f, seed):
    place = np.abs(Shifted(f, seed, margin=0.2).optimizers[0])
    assert place.min() >= 0.2 - 1e-12
    assert place.max() <= 0.8 + 1e-12


@of_every_function
def test_shifted_function_is_nowhere_below_its_optimum(f):
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(2000, f.dim))
    assert min(map(Shifted(f, seed=1), X)) > f.optimum


def test_shifted_function_is_the_function_itself_beyond_its_box():
    shifted = Shifted(Levy(3), seed=0)
    corner = -np.sign(shifted.shift)
    assert np.abs(corner - shifted.shift).max() > 1.0
    assert shifted(corner) == Levy(3)(corner - shifted.shift)


@of_some_seeds
def test_optimizers_that_leave_the_box_are_not_listed(seed):
    moved = np.array(Branin().optimizers) + Shifted(Branin(), seed).shift
    inside = moved[np.abs(moved).max(axis=1) <= 1.0]
    assert_allclose(Shifted(Branin(), seed).optimizers, inside)


def test_optima_come_to_lie_on_all_sides():
    places = np.array([Shifted(Ackley(2), seed).optimizers[0] for seed in range(40)])
    assert len(np.unique(np.sign(places), axis=0)) == 4


def test_shift_depends_on_the_seed_alone():
    first, same, other = (Shifted(Levy(6), seed).shift for seed in (0, 0, 1))
    assert_array_equal(first, same)
    assert not np.any(first == other)


def test_shift_is_frozen():
    expected = [0.3394278824562207, -0.8833447209326549, -0.3116696534911171]
    assert_allclose(Shifted(Levy(3), seed=0).shift, expected)


def test_shifted_function_knows_its_space():
    shifted = Shifted(Levy(3))
    assert (shifted.space, list(shifted.coordinates), shifted.optimum) == (Box(3), [0, 1, 2], 0.0)


@pytest.mark.parametrize("margin", [-0.1, 0.6, float("nan")])
def test_margin_without_room_is_an_error(margin):
    with pytest.raises(ValueError, match=rf"margin {margin} must lie between 0 and 0\.5"):
        Shifted(Levy(3), margin=margin)


def test_negative_seed_of_a_shift_is_an_error():
    with pytest.raises(ValueError, match="seed -1 must lie between 0"):
        Shifted(Levy(3), seed=-1)
