"""What trials say of groups: parameters are told apart where they moved apart, whichever restart moved them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Bool, Box, Categorical, Float, Growing, Integer, RandomSearch, Space
from rembo.gp import Data
from rembo.kernel import Leaves
from rembo.optimizer.importance.observed import Observed, moved_together, small_enough

NUMBERS = np.zeros(2, dtype=np.int64)
U = np.array([0.1, -0.7, 0.4, 0.9])


def told(space, n, f=lambda x: 0.0):
    """The trials of a random search; f may fail."""
    optimizer = RandomSearch(space, seed=0)
    for trial in optimizer.ask(n):
        value = f(trial.x)
        optimizer.fail(trial, "no value") if value is None else optimizer.tell(trial, value)
    return optimizer.trials


def groups_of(X, choices):
    return [group.tolist() for group in moved_together(X, np.asarray(choices))]


@pytest.mark.parametrize("other", [U, -U, 0.5 * U + 0.2, 1.0 - U])
def test_numbers_that_rise_and_fall_together_are_one_group(other):
    assert groups_of(np.column_stack([U, other]), NUMBERS) == [[0, 1]]


def test_numbers_in_another_order_are_told_apart():
    assert groups_of(np.column_stack([U, U[::-1]]), NUMBERS) == [[0], [1]]


def test_bits_of_which_one_tells_the_other_are_one_group():
    X = np.array([[0.5, -0.5, 0.5], [-0.5, 0.5, 0.5], [0.5, -0.5, -0.5]])
    assert groups_of(X, [2, 2, 2]) == [[0, 1], [2]]


def test_parameters_of_different_kinds_are_told_apart():
    X = np.array([[0.5, 0.5], [-0.5, -0.5]])
    assert groups_of(X, [2, 0]) == [[0], [1]]


def test_restarts_tell_parameters_apart_that_one_of_them_ties():
    optimizer = Growing(Space({f"b{i}": Bool() for i in range(100)}), seed=0)
    for _ in range(8):  # the design of one restart
        trial = optimizer.ask()
        optimizer.tell(trial, float(trial.x["b3"]))
    tied = Growing(optimizer.space, seed=1)  # another forest
    assert len(optimizer.observed().sizes) == optimizer.restarts[-1].catch_up().forest.embedding_dim
    both = [*optimizer.trials, *(tied.tell(trial, 0.0) or tied.trials[trial.number] for trial in tied.ask(20))]
    assert len(Observed.of_parameters(optimizer.space, both).sizes) > len(optimizer.observed().sizes)


def test_failures_are_left_out():
    space = Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0)})
    seen = Observed.of_parameters(space, told(space, 12, lambda x: None if x["a"] > 0.5 else x["b"]))
    assert 0 < len(seen) < 12


def test_lone_whole_numbers_stand_where_they_round_to():
    space = Space({"n": Integer(1, 3), "a": Float(0.0, 1.0)})
    seen = Observed.of_parameters(space, told(space, 20))
    assert len(np.unique(seen.data.Y[:, 0])) == 3


def test_every_parameter_is_in_one_group():
    space = Space({"n": Integer(1, 3), "w": Box(5), "c": Categorical(["a", "b", "c"])})
    seen = Observed.of_parameters(space, told(space, 10))
    assert sorted(np.concatenate(seen.members).tolist()) == list(range(7))


@pytest.mark.parametrize(
    ("space", "small"),
    [
        (Box(64), True),
        (Box(65), False),
        (Box(10**9), False),
        (Space({f"b{i}": Bool() for i in range(512)}), True),
        (Space({f"b{i}": Bool() for i in range(513)}), False),
    ],
    ids=["64", "65", "billion", "512 bits", "513 bits"],
)
def test_spaces_of_few_numbers_and_not_too_many_choices_are_small(space, small):
    assert small_enough(space) is small


def test_fewer_observations_hold_the_incumbent():
    rng = np.random.default_rng(0)
    data = Data(rng.uniform(-1.0, 1.0, (50, 2)), rng.normal(size=50))
    fewer = Observed(Leaves.numbers(2), data, np.ones(2), ()).fewer(12)
    assert len(fewer) == 12
    assert_array_equal(fewer.data.Y[fewer.incumbent], data.Y[np.argmin(data.values)])
