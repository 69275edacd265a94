"""Local search without a model: what a step changes, and what is kept."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import rembo
from harness.methods.local_search import HillClimber, SparseMutation, cube_of
from rembo.problems import BinaryQuadratic

LEVELS = rembo.Space({"layers": rembo.Integer(1, 9), "solver": rembo.Categorical(["adam", "sgd", "lbfgs"])})


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def seen_by(searcher, f, space, n_trials):
    """What the search evaluates, and the values it finds there."""
    seen = []
    searcher.minimize(lambda x: seen.append((x, f(x))) or seen[-1][1], space, n_trials, 5)
    return seen


def differing(first, second):
    """How many named parameters differ."""
    return sum(first[name] != second[name] for name in first)


def test_climber_changes_one_parameter_of_the_incumbent():
    problem = BinaryQuadratic(30)
    (first, _), (second, _) = seen_by(HillClimber(), problem, problem.space, 2)
    assert differing(first, second) == 1


def test_climber_flips_each_bit_once_before_it_gives_up():
    seen = seen_by(HillClimber(), lambda bits: 0.0, BinaryQuadratic(6).space, 7)
    assert len({tuple(bits.values()) for bits, _ in seen}) == 7


def test_climber_of_bits_begins_anew_at_a_local_optimum():
    space = BinaryQuadratic(20).space
    seen = seen_by(HillClimber(), lambda bits: 0.0, space, 22)
    assert differing(seen[20][0], seen[21][0]) > 2  # twenty failures, then twenty bits drawn anew


def test_climber_descends_into_a_bowl():
    seen = seen_by(HillClimber(), lambda x: float(np.sum((np.asarray(x) - 0.3) ** 2)), rembo.Box(3), 200)
    assert min(value for _, value in seen) < 0.01


def test_integer_moves_one_level_at_a_time(rng):
    cube = cube_of(LEVELS)
    levels = [cube.neighbour(np.array([-1.0 + 1.0 / 9.0, 0.0]), 0, 0.1, rng) for _ in range(20)]
    assert {round(4.5 * (u + 1.0) - 0.5) for u in levels} == {1}


@pytest.mark.parametrize("coordinate", [0, 1])
def test_resampled_level_is_another_one(coordinate, rng):
    cube = cube_of(LEVELS)
    u = cube.draw(rng)
    assert u[coordinate] not in {cube.resampled(u, coordinate, rng) for _ in range(50)}


def test_mutation_changes_one_and_a_half_coordinates_on_average(rng):
    cube = cube_of(rembo.Box(40))
    u = cube.draw(rng)
    changed = [np.count_nonzero(SparseMutation().mutated(cube, u, rng) != u) for _ in range(2000)]
    assert min(changed) == 1
    assert np.mean(changed) == pytest.approx(1.5, abs=0.07)  # four standard errors


def test_mutation_of_a_single_coordinate_changes_it(rng):
    cube = cube_of(rembo.Box(1))
    u = cube.draw(rng)
    assert SparseMutation().mutated(cube, u, rng) != u


def test_mutation_begins_at_the_default_of_the_space():
    space = rembo.Space(LEVELS.parameters, default={"layers": 7, "solver": "sgd"})
    (first, _), *_ = seen_by(SparseMutation(), lambda x: 0.0, space, 2)
    assert first == space.default


def test_mutation_that_is_not_worse_is_kept():
    seen = [bits for bits, _ in seen_by(SparseMutation(), lambda bits: 0.0, BinaryQuadratic(30).space, 40)]
    assert max(differing(*pair) for pair in pairwise(seen)) < 8
    assert differing(seen[0], seen[-1]) > 8


def test_mutation_leaves_its_parent_as_it_was(rng):
    cube = cube_of(rembo.Box(4))
    u = cube.draw(rng)
    before = u.copy()
    SparseMutation().mutated(cube, u, rng)
    assert_array_equal(u, before)


def test_mutation_that_would_change_nothing_is_refused():
    with pytest.raises(ValueError, match=r"changes 0.5 must be at least 1"):
        SparseMutation(changes=0.5)
