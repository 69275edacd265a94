"""Problems: Branin's optimum, and what padding hides and does not hide."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from rembo import Box, GaussianEmbedding, Point
from rembo.problems import Branin, Padded


class OnlySome:
    """A point that can be read at the given coordinates and nowhere else."""

    def __init__(self, coordinates, values):
        self.coordinates, self.values = coordinates, values

    def __getitem__(self, index):
        return np.array([self.values[self.coordinates.index(i)] for i in index])


@pytest.mark.parametrize("number", [0, 1, 2])
def test_branin_is_lowest_at_its_optimizers(number):
    branin = Branin()
    assert branin(branin.optimizers[number]) == pytest.approx(branin.optimum, abs=1e-12)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_branin_is_flat_at_its_optimizers(number):
    slope = approx_fprime(np.array(Branin().optimizers[number]), Branin(), 1e-7)
    # a one-sided difference of step 1e-7 on curvatures up to 1e3 is off by 1e-4
    assert np.abs(slope).max() < 1e-3


@pytest.mark.parametrize("number", [0, 1, 2])
def test_branin_optimizers_lie_in_the_box(number):
    assert np.abs(Branin().optimizers[number]).max() <= 1.0


def test_branin_is_nowhere_below_its_optimum():
    starts = np.random.default_rng(0).uniform(-1.0, 1.0, size=(20, 2))
    lowest = min(minimize(Branin(), start, bounds=[(-1.0, 1.0)] * 2).fun for start in starts)
    # the optimum is given to 15 digits, L-BFGS-B with numeric gradients finds it to about 1e-9
    assert lowest == pytest.approx(Branin().optimum, abs=1e-7)
    assert lowest >= Branin().optimum - 1e-12


def test_branin_has_its_published_value_in_the_middle():
    # x_1 = 2.5, x_2 = 7.5: (7.5 - 0.8074 + 3.9789 - 6)^2 + 9.6021 cos 2.5 + 10
    assert Branin()([0.0, 0.0]) == pytest.approx(24.129964413622268)


def test_padded_function_is_the_hidden_one_at_its_coordinates():
    padded = Padded(Branin(), ambient_dim=10**9, seed=4)
    x = Point(GaussianEmbedding(10**9, 2, seed=1), [0.3, -0.2])
    assert padded(x) == Branin()(x[padded.coordinates])


def test_padded_function_reads_only_its_coordinates():
    padded = Padded(Branin(), ambient_dim=1000, seed=4)
    assert padded(OnlySome(padded.coordinates, Branin().optimizers[0])) == pytest.approx(padded.optimum)


def test_order_of_coordinates_is_the_order_of_arguments():
    padded = Padded(Branin(), ambient_dim=1000, seed=4)
    x = OnlySome(padded.coordinates, [0.5, -0.25])
    assert padded(x) == Branin()([0.5, -0.25]) != Branin()([-0.25, 0.5])


@pytest.mark.parametrize("seed", range(10))
def test_padded_coordinates_are_distinct_and_in_range(seed):
    # of two coordinates drawn from two, every second pair would repeat if repetition were not refused
    assert sorted(Padded(Branin(), ambient_dim=2, seed=seed).coordinates) == [0, 1]


def test_padded_coordinates_depend_on_the_seed_alone():
    draw = [Padded(Branin(), 1000, seed=seed).coordinates for seed in (0, 0, 1)]
    assert draw[0] == draw[1] != draw[2]


def test_padded_problem_knows_its_space_and_optimum():
    padded = Padded(Branin(), ambient_dim=30)
    assert (padded.space, padded.optimum) == (Box(30), Branin().optimum)


def test_less_room_than_the_hidden_function_needs_is_an_error():
    with pytest.raises(ValueError, match=r"ambient_dim 1 .* 2"):
        Padded(Branin(), ambient_dim=1)
