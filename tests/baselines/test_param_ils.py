"""ParamILS: first improvement by one change at a time, perturbation, restarts, and the values it tries."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rembo import Bool, Box, Categorical, Float, Integer, RandomSearch, Space
from rembo.baselines import ParamILS
from rembo.problems import BinaryQuadratic, CategoryTable

BITS = Space({f"x{i}": Bool() for i in range(8)})
ALL_OFF = dict.fromkeys(BITS.parameters, False)


def ones(x):
    """How many bits are on."""
    return sum(x.values())


def distance(x, other):
    """In how many parameters two configurations differ."""
    return sum(x[name] != other[name] for name in x)


def search(optimizer, f, n_trials):
    """Ask and tell one at a time; what was asked."""
    return [optimizer.tell(trial := optimizer.ask(), f(trial.x)).x for _ in range(n_trials)]


def in_batches(optimizer, f, size, rounds):
    """Ask so many at a time and tell the later first; what was asked."""
    batches = (optimizer.ask(size) for _ in range(rounds))
    return [optimizer.tell(trial, f(trial.x)).x for batch in batches for trial in reversed(batch)]


def gap(optimizer, problem, n_trials):
    search(optimizer, problem, n_trials)
    return optimizer.best_trial.value - problem.optimum


def climbing(value_of, initial=1, **rules):
    """An optimizer whose initial configurations are told, and its first asks after that, not told."""
    optimizer = ParamILS(BITS, initial=initial, seed=0, **rules)
    search(optimizer, value_of, initial)
    return optimizer


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [BinaryQuadratic, CategoryTable])
def test_local_search_beats_random_search_where_all_matters(kind, seed):
    problem = kind(seed=seed)
    local, random = (gap(method(problem.space, seed=seed), problem, 150) for method in (ParamILS, RandomSearch))
    assert local < 0.7 * random  # measured over ten seeds: medians of 0.5 and 3.9


def test_default_is_asked_first():
    assert ParamILS(BITS, default=ALL_OFF, seed=0).ask().x == ALL_OFF


def test_random_configurations_come_first():
    asked = [tuple(trial.x.values()) for trial in ParamILS(BITS, initial=10, seed=0).ask(10)]
    assert len(set(asked)) == 10
    assert 20 <= np.sum(asked) <= 60  # of 80 bits: a mean of 40 and a standard deviation of 4.5


def test_climb_starts_at_the_best_of_the_first():
    optimizer = climbing(ones, initial=6)
    start = optimizer.best_trial.x
    assert distance(optimizer.ask().x, start) == 1


def test_neighbours_differ_in_one_parameter_and_are_all_asked():
    optimizer = climbing(ones)
    start = optimizer.best_trial.x
    batch = [trial.x for trial in optimizer.ask(8)]
    assert [distance(x, start) for x in batch] == [1] * 8
    assert len({tuple(x.values()) for x in batch}) == 8


def test_first_improvement_is_taken():
    optimizer = climbing(lambda x: 1.0)
    better = search(optimizer, lambda x: 0.0, 1)[0]
    assert distance(optimizer.ask().x, better) == 1


def test_neighbour_that_is_equal_is_not_taken():
    optimizer = climbing(lambda x: 1.0)
    start = optimizer.best_trial.x
    search(optimizer, lambda x: 1.0, 3)
    assert distance(optimizer.ask().x, start) == 1


def test_local_optimum_is_perturbed_by_three_changes():
    optimizer = climbing(lambda x: 0.0, restart=0.0)
    start = optimizer.best_trial.x
    search(optimizer, lambda x: 1.0, 8)  # all neighbours are worse
    assert distance(optimizer.ask().x, start) == 3  # three random changes may undo each other, not at this seed


def test_strength_is_the_number_of_changes():
    optimizer = climbing(lambda x: 0.0, restart=0.0, strength=2)
    start = optimizer.best_trial.x
    search(optimizer, lambda x: 1.0, 8)
    assert distance(optimizer.ask().x, start) == 2


def from_all_off(restart):
    """A search on 20 bits that starts with all of them off."""
    space = Space({f"x{i}": Bool() for i in range(20)})
    return ParamILS(space, default=dict.fromkeys(space.parameters, False), initial=1, restart=restart, seed=1)


def test_worse_local_optimum_is_not_kept():
    # on a plateau every configuration is a local optimum: all perturbations start from the default, the only better one
    asked = search(from_all_off(restart=0.0), lambda x: 1.0 if ones(x) else 0.0, 300)
    assert max(map(ones, asked[2:])) <= 4  # the first random configuration comes second


def test_equally_good_local_optimum_is_kept():
    asked = search(from_all_off(restart=0.0), lambda x: 1.0, 300)
    assert max(map(ones, asked[2:])) > 6


@pytest.mark.parametrize("size", [1, 5])
def test_same_seed_and_same_tells_give_the_same_search(size):
    problem = CategoryTable(8, 4)
    first, again = (in_batches(ParamILS(problem.space, seed=4), problem, size, 100 // size) for _ in range(2))
    assert first == again


def test_restart_begins_at_a_random_configuration():
    space = Space({f"x{i}": Bool() for i in range(40)})
    optimizer = ParamILS(space, default=dict.fromkeys(space.parameters, False), initial=1, restart=1.0, seed=0)
    asked = search(optimizer, lambda x: 0.0 if not ones(x) else float(ones(x) < 30), 60)
    assert max(map(ones, asked)) > 10  # three changes of the default would make 3, and climbs go back to it


def test_batch_goes_on_with_perturbations_when_all_neighbours_are_pending():
    optimizer = climbing(ones)
    batch = optimizer.ask(12)
    assert [distance(trial.x, optimizer.best_trial.x) for trial in batch[8:]] != [1] * 4


def test_improvement_is_taken_while_others_are_pending():
    optimizer = climbing(lambda x: 1.0)
    batch = optimizer.ask(4)
    optimizer.tell(batch[2], 0.0)
    assert distance(optimizer.ask().x, batch[2].x) == 1


def test_pending_configuration_is_not_asked_again():
    asked = [tuple(trial.x.values()) for trial in climbing(ones).ask(8)]
    assert len(set(asked)) == 8


def test_failed_trial_is_worse_than_any_value():
    optimizer = ParamILS(BITS, initial=2, seed=0)
    failed, told = optimizer.ask(2)
    optimizer.fail(failed, "no luck")
    optimizer.tell(told, 1e300)
    assert distance(optimizer.ask().x, told.x) == 1


def test_failed_neighbour_is_not_taken():
    optimizer = climbing(ones)
    start = optimizer.best_trial.x
    optimizer.fail(optimizer.ask(), "no luck")
    assert distance(optimizer.ask().x, start) == 1


def test_search_goes_on_when_everything_fails():
    optimizer = ParamILS(BITS, seed=0)
    failed = [optimizer.fail(optimizer.ask(), "no luck") for _ in range(300)]
    assert optimizer.ask().number == len(failed)


def test_every_configuration_of_a_small_space_is_tried():
    asked = search(ParamILS(BITS, seed=0, restart=0.5), ones, 400)
    assert len({tuple(x.values()) for x in asked}) == 256


def test_configurations_are_not_repeated_while_others_are_left():
    asked = search(ParamILS(BITS, seed=0), ones, 100)
    assert len({tuple(x.values()) for x in asked}) == 100


def test_own_point_counts_as_known():
    optimizer = ParamILS(BITS, initial=1, seed=0)
    optimizer.tell(ALL_OFF, 0.0)
    assert ones(optimizer.ask().x) == 1


def test_real_numbers_take_seven_values_from_edge_to_edge():
    asked = search(ParamILS(Space({"a": Float(0.0, 6.0)}), seed=0), lambda x: 0.0, 60)
    assert_allclose(sorted({x["a"] for x in asked}), range(7), atol=1e-12)


def test_real_numbers_on_a_log_scale_are_spread_by_factors():
    asked = search(ParamILS(Space({"a": Float(1e-6, 1.0, log=True)}), seed=0), lambda x: 0.0, 60)
    assert_allclose(sorted({x["a"] for x in asked}), 10.0 ** np.arange(-6, 1))


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        (Integer(-2, 3), range(-2, 4)),
        (Integer(1, 16, log=True), range(1, 17)),
        (Integer(0, 1599), [min(1600 * k // 15, 1599) for k in range(16)]),
        (Categorical(range(20)), range(20)),
        (Bool(), [False, True]),
    ],
    ids=str,
)
def test_discrete_parameter_takes_these_values(parameter, values):
    asked = {x["a"] for x in search(ParamILS(Space({"a": parameter}), seed=0), lambda x: 0.0, 60)}
    assert sorted(asked) == list(values)


def test_box_is_searched_on_its_grid():
    asked = search(ParamILS(Box(3, low=0.0, high=6.0), seed=0), lambda x: float(np.sum((np.asarray(x) - 2.0) ** 2)), 80)
    assert min(float(np.sum((np.asarray(x) - 2.0) ** 2)) for x in asked) == pytest.approx(0.0, abs=1e-20)


def test_off_grid_default_is_moved_to_the_grid():
    assert ParamILS(Box(1, low=0.0, high=6.0), default=[3.4], seed=0).ask().x[0] == pytest.approx(3.0)


def test_default_outside_the_space_is_an_error():
    with pytest.raises(ValueError, match="a value of this space must be a dict of"):
        ParamILS(BITS, default={"x0": True})


def test_too_many_dimensions_are_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match="ParamILS in 2001 dimensions is more than 2000: use Rembo"):
        ParamILS(Box(2001))


@pytest.mark.parametrize("restart", [-0.1, 1.1, math.nan])
def test_restart_that_is_no_probability_is_an_error(restart):
    with pytest.raises(ValueError, match=f"restart {restart} is a probability: it must lie between 0 and 1"):
        ParamILS(BITS, restart=restart)


@pytest.mark.parametrize("rule", ["initial", "strength"])
def test_rule_below_one_is_an_error(rule):
    with pytest.raises(ValueError, match=f"{rule} 0 must be at least 1"):
        ParamILS(BITS, **{rule: 0})
