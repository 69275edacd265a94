"""The simulation of the box: its algebra against solvers, its law against closed forms, what it writes."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog
from scipy.special import ndtr
from scipy.stats import binom

from box_simulation import (
    CornerLaw,
    corner_norms,
    failures,
    least_norms,
    matrices,
    missed,
    optimizers_everywhere,
    optimizers_inside,
    over_matrices,
)
from harness.measured import digits, keep
from rembo import Region
from rembo.problems import Branin


def least_norm_by_linear_programming(B, x):
    """min h subject to B y = x and -h <= y_j <= h."""
    d = B.shape[1]
    limits = np.block([[np.eye(d), -np.ones((d, 1))], [-np.eye(d), -np.ones((d, 1))]])
    equations = np.hstack([B, np.zeros((2, 1))])
    cost = np.append(np.zeros(d), 1.0)
    return linprog(cost, limits, np.zeros(2 * d), equations, x, bounds=[(None, None)] * d + [(0, None)]).fun


def test_corner_norm_of_a_diagonal_matrix_is_its_largest_inverse_entry():
    assert_allclose(corner_norms(np.diag([2.0, 0.25])[None]), [4.0])


@pytest.mark.parametrize("d", [2, 3, 4, 6])
@pytest.mark.parametrize("number", range(5))
def test_least_norm_solves_its_linear_program(d, number):
    B = matrices(range(number, number + 1), 2, d, seed=7)
    x = optimizers_inside()[:1]
    assert least_norms(B, x)[0, 0] == pytest.approx(least_norm_by_linear_programming(B[0], x[0]), abs=1e-7)


def test_box_misses_where_no_solution_lies_in_it():
    B = matrices(range(200), 2, 2, seed=3)
    Y = np.linalg.solve(B, np.broadcast_to(optimizers_inside().T, (200, 2, 3)))
    inside = [any(Region(2, math.sqrt(2.0)).contains(y) for y in solutions.T) for solutions in Y]
    assert_array_equal(missed(2, 200, optimizers_inside(), seed=3), ~np.array(inside))


def test_matrices_are_the_same_in_one_batch_and_in_several():
    together = over_matrices(lambda B: B[:, 0, 0], 801, 50, 50, seed=1)
    assert_array_equal(together, matrices(range(801), 50, 50, seed=1)[:, 0, 0])


@pytest.mark.parametrize("x", optimizers_everywhere())
def test_every_optimizer_in_the_plane_has_the_lowest_value(x):
    assert Branin()(x) == pytest.approx(Branin().optimum, abs=1e-6)  # terms of size 1e4 cancel far out


@pytest.mark.parametrize("x", optimizers_inside())
def test_optimizers_in_the_plane_include_those_in_the_box(x):
    assert np.abs(optimizers_everywhere() - x).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("epsilon", [0.5, 0.1, 0.01])
def test_corner_in_one_dimension_leaves_the_box_as_a_normal_number_is_small(epsilon):
    assert CornerLaw.of(1).outside(epsilon) == pytest.approx(2.0 * ndtr(epsilon) - 1.0)


def test_worst_ratio_in_two_dimensions_is_that_of_the_circle():
    """E max|u| on the circle is 2 sqrt 2 / pi; an average over 200,000 directions is exact to 0.001."""
    assert CornerLaw.of(2).worst_ratio == pytest.approx(4.0 / math.pi * math.sqrt(2.0 / math.pi), abs=1e-3)


@pytest.mark.parametrize(("effective_dim", "epsilon"), [(1, 0.0), (2, 0.24), (3, 0.39), (4, 0.0), (50, 0.0)])
def test_claim_fails_only_in_two_and_three_dimensions_below_some_epsilon(effective_dim, epsilon):
    assert CornerLaw.of(effective_dim).fails_below == pytest.approx(epsilon, abs=0.006)  # that of 200,000 directions


def test_probability_equals_epsilon_where_the_claim_begins_to_fail():
    law = CornerLaw.of(3)
    assert law.outside(law.fails_below) == pytest.approx(law.fails_below)


def test_interval_ends_where_a_count_as_extreme_has_a_chance_of_one_in_forty():
    low, high = failures(13, 50)["interval"]
    tails = [binom.sf(12, 50, low), binom.cdf(13, 50, high)]
    assert_allclose(tails, 0.025, rtol=1e-3)  # the ends are kept to five digits


def test_interval_of_the_paper_holds_what_is_measured():
    low, high = failures(13, 50)["interval"]
    assert low < missed(2, 10_000, optimizers_inside(), seed=0).mean() < high


def test_no_failure_has_an_interval_that_begins_at_zero():
    """Its end solves (1 - p)^n = 0.025."""
    assert failures(0, 1000)["interval"] == [0.0, digits(1.0 - 0.025**0.001)]


def test_kept_numbers_are_read_back_beside_their_machine(tmp_path):
    keep("found", tmp_path, share=[0.25, 0.5])
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["share"] == [0.25, 0.5]
    assert found["machine"]["numpy"] == np.__version__
