"""CMA-ES as an optimizer: generations that are told in any order, failures, restarts, every kind of parameter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from searches import MIXED, best, bowl, ones, positions, search, tell_all

from rembo import Bool, Box, Float, Integer, RandomSearch, Space
from rembo.baselines import CMAES

POPULATION = 8  # the package's in five dimensions: 4 + 3 log 5
BITS = Space({f"x{i}": Bool() for i in range(30)})


@pytest.mark.parametrize("seed", range(3))
def test_evolution_beats_random_search_on_a_bowl(seed):
    evolution, random = (best(method, Box(10), bowl, 300, seed) for method in (CMAES, RandomSearch))
    assert evolution < 0.1 * random


@pytest.mark.parametrize("seed", range(3))
def test_evolution_beats_random_search_on_bits(seed):
    evolution, random = (best(method, BITS, ones, 200, seed) for method in (CMAES, RandomSearch))
    assert evolution < 0.7 * random


def test_evolution_finds_the_lowest_point_of_a_line():
    assert best(CMAES, Float(-1.0, 1.0), bowl, 100, seed=0) < 1e-6


def test_evolution_finds_the_lowest_of_few_levels():
    assert best(CMAES, Integer(1, 9), lambda x: abs(x - 8), 60, seed=0) == 0


def test_evolution_reaches_every_level_of_a_log_scale():
    assert best(CMAES, Integer(1, 1000, log=True), lambda x: abs(x - 995), 150, seed=0) == 0


def test_evolution_serves_many_dimensions():
    assert best(CMAES, Box(300), bowl, 600, seed=0) < 300 * 0.16  # the value at the centre, where it starts


def test_first_generation_is_drawn_around_the_centre():
    first = positions(CMAES(Box(5), seed=0).ask(POPULATION))
    assert np.abs(first.mean(axis=0)).max() < 4.0 * 0.3 / np.sqrt(POPULATION)  # four standard errors


def test_first_generation_has_the_spread_that_was_given():
    assert np.abs(positions(CMAES(Box(5), sigma=1e-3, seed=0).ask(POPULATION))).max() < 5e-3


def test_generation_may_be_told_in_any_order():
    forth, back = CMAES(Box(5), seed=3), CMAES(Box(5), seed=3)
    tell_all(forth, forth.ask(POPULATION))
    tell_all(back, reversed(back.ask(POPULATION)))
    assert_array_equal(forth.ask().y, back.ask().y)


def test_incomplete_generation_changes_nothing_yet():
    waiting, told = CMAES(Box(5), seed=3), CMAES(Box(5), seed=3)
    waiting.ask(POPULATION - 1)
    search(told, bowl, POPULATION - 1)
    assert_array_equal(waiting.ask().y, told.ask().y)


def test_complete_generation_moves_the_next_one():
    waiting, told = CMAES(Box(5), seed=3), CMAES(Box(5), seed=3)
    waiting.ask(POPULATION)
    search(told, bowl, POPULATION)
    assert np.abs(waiting.ask().y - told.ask().y).max() > 0.01


@pytest.mark.parametrize("value", [-1e9, 1e9])
def test_trial_told_after_its_generation_is_complete_is_not_used(value):
    optimizer, other = CMAES(Box(5), seed=3), CMAES(Box(5), seed=3)
    *batch, late = optimizer.ask(POPULATION + 1)
    tell_all(optimizer, batch)
    tell_all(other, other.ask(POPULATION + 1))
    optimizer.tell(late, value)
    search(optimizer, bowl, POPULATION), search(other, bowl, POPULATION)
    assert_array_equal(optimizer.ask().y, other.ask().y)


def test_own_point_is_kept_and_not_used():
    optimizer, other = CMAES(Box(5), seed=3), CMAES(Box(5), seed=3)
    optimizer.tell(np.full(5, 0.9), -1.0)
    search(optimizer, bowl, POPULATION), search(other, bowl, POPULATION)
    assert optimizer.best_trial.value == -1.0
    assert_array_equal(optimizer.ask().y, other.ask().y)


def test_failure_counts_as_the_worst_of_its_generation():
    failing, told = CMAES(Box(5), seed=3), CMAES(Box(5), seed=3)
    (first, *rest), (other_first, *other_rest) = failing.ask(POPULATION), told.ask(POPULATION)
    worst = max(trial.value for trial in tell_all(failing, rest[:-1]) + tell_all(told, other_rest[:-1]))
    failing.fail(first, "diverged"), told.tell(other_first, worst)
    tell_all(failing, rest[-1:]), tell_all(told, other_rest[-1:])
    assert bowl(rest[-1].x) < worst
    assert_array_equal(failing.ask().y, told.ask().y)


def test_generation_of_failures_is_drawn_again():
    optimizer = CMAES(Box(5), seed=3)
    failed = [optimizer.fail(trial, "no luck") for trial in optimizer.ask(POPULATION)]
    again = positions(optimizer.ask(POPULATION))
    assert np.abs(again.mean(axis=0)).max() < 4.0 * 0.3 / np.sqrt(POPULATION)  # around the centre, as the first
    assert np.abs(again - positions(failed)).max(axis=1).min() > 0.0


def test_search_begins_anew_where_nothing_changes():
    trials = search(CMAES(Box(2), seed=0), lambda x: 1.0, 600)
    means = positions(trials).reshape(100, 6, 2).mean(axis=1)  # of generations of six
    assert np.abs(means[50:]).max() > 0.5  # the first start, at the centre, is left


@pytest.mark.parametrize("seed", range(3))
def test_mixed_space_gets_legal_values_only(seed):
    trials = search(CMAES(MIXED, seed=seed), lambda x: x["rate"] + x["layers"] + x["warm"], 40)
    assert_allclose([MIXED.encode(trial.x)[0] for trial in trials], positions(trials)[:, 0], rtol=0.0, atol=1e-12)
    assert {trial.x["solver"] for trial in trials} == {"adam", ("sgd", 0.9), None}


@pytest.mark.parametrize("sigma", [0.0, -0.3, float("nan"), "wide"])
def test_spread_that_is_not_above_zero_is_an_error(sigma):
    with pytest.raises(ValueError, match=rf"sigma {sigma} must be a number above 0"):
        CMAES(Box(5), sigma=sigma)


def test_too_many_dimensions_are_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match="CMAES in 1000000000 dimensions is more than 1000000: use Rembo"):
        CMAES(Box(10**9))
