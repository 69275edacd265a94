"""Functions on a grid: discrete Branin of Section 4.2 is one of them."""

import numpy as np
import pytest

from rembo import Integer
from rembo.problems import Branin, Discretised, Hartmann6, Levy, Padded, Subspace


@pytest.fixture
def discrete_branin():
    return Discretised(Padded(Branin(), 25, seed=3), levels=15)


def values_at_random(problem, number):
    levels = np.random.default_rng(0).integers(problem.levels, size=(number, problem.space.size)).tolist()
    return [problem(dict(zip(problem.space.parameters, x, strict=True))) for x in levels]


def test_discrete_branin_has_225_points_that_differ(discrete_branin):
    # each point is missed by 3000 draws with probability 1.6e-6
    assert len(set(values_at_random(discrete_branin, 3000))) == 225


def test_optimum_on_the_grid_is_reached_and_not_beaten(discrete_branin):
    assert min(values_at_random(discrete_branin, 3000)) == discrete_branin.optimum > Branin().optimum


def test_optimum_does_not_depend_on_what_hides_the_function(discrete_branin):
    assert discrete_branin.optimum == Discretised(Branin(), levels=15).optimum


def test_space_counts_the_levels_of_every_coordinate(discrete_branin):
    assert list(discrete_branin.space.parameters) == [f"x{i}" for i in range(25)]
    assert set(discrete_branin.space.parameters.values()) == {Integer(0, 14)}


@pytest.mark.parametrize(("level", "position"), [(0, -1.0), (1, -0.5), (2, 0.0), (4, 1.0)])
def test_levels_are_spread_evenly_from_edge_to_edge(level, position):
    assert Discretised(Levy(2), levels=5)({"x0": level, "x1": 3}) == Levy(2)([position, 0.5])


def test_values_are_read_by_name():
    assert Discretised(Levy(2), levels=5)({"x1": 3, "x0": 1}) == Levy(2)([-0.5, 0.5])


def test_without_edges_the_points_are_the_middles_of_equal_cells():
    problem = Discretised(Levy(2), levels=4, edges=False)
    assert problem.grid.tolist() == [-0.75, -0.25, 0.25, 0.75]
    assert problem({"x0": 0, "x1": 2}) == Levy(2)([-0.75, 0.25])


def test_grid_that_holds_the_optimizer_keeps_the_optimum():
    assert Discretised(Levy(2), levels=21).optimum == pytest.approx(0.0, abs=1e-12)  # 0.1 is the twelfth of 21 levels


def test_single_level_is_an_error():
    with pytest.raises(ValueError, match="levels 1 must be at least 2"):
        Discretised(Branin(), levels=1)


@pytest.mark.parametrize("problem", [Subspace(Branin(), 6), Hartmann6()], ids=["Subspace", "Hartmann6"])
def test_grid_too_large_to_try_is_an_error(problem):
    with pytest.raises(ValueError, match=r"15 levels of 6 coordinates that matter are 11390625 points.*fewer levels"):
        Discretised(problem, levels=15)


def test_coordinate_that_does_not_matter_changes_nothing(discrete_branin):
    x = dict.fromkeys(discrete_branin.space.parameters, 7)
    silent = sorted(set(range(25)) - set(discrete_branin.problem.coordinates))
    assert np.ptp([discrete_branin(x | {f"x{i}": 0}) for i in silent]) == 0.0
