"""Interleaved optimizers: even turns, nothing shared, and who takes a point that the user brings."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import BayesOpt, Box, Interleaved, Point, RandomSearch, Rembo

BOX = Box(6)


def value_at(trial):
    return float((np.asarray(trial.x) ** 2).sum())


def search(optimizer, n, value=value_at):
    return [optimizer.tell(trial := optimizer.ask(), value(trial)) for _ in range(n)]


def three():
    return [Rembo(BOX, 2, seed=1), RandomSearch(BOX, seed=2), BayesOpt(BOX, seed=3)]


def test_turns_are_even():
    assert [trial.run for trial in Interleaved(three()).ask(8)] == [0, 1, 2, 0, 1, 2, 0, 1]


def test_each_run_sees_its_own_tells_alone():
    runs = three()
    trials = search(Interleaved(runs), 6)
    seen = [[trial.value for trial in run.trials] for run in runs]
    assert seen == [[trials[number].value, trials[number + 3].value] for number in range(3)]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_run_asks_what_it_would_ask_alone(number):
    together = [trial for trial in search(Interleaved(three()), 12) if trial.run == number]
    alone = search(three()[number], 4)
    assert [trial.y.tolist() for trial in together] == [trial.y.tolist() for trial in alone]


def test_failure_reaches_the_run_that_asked():
    runs = three()
    optimizer = Interleaved(runs)
    optimizer.fail(optimizer.ask(2)[1], "no luck")
    assert [trial.failure for trial in runs[1].trials] == ["no luck"]


def test_tells_in_any_order_reach_the_runs_that_asked():
    runs = three()
    optimizer = Interleaved(runs)
    batch = optimizer.ask(6)
    told = [optimizer.tell(batch[i], float(i)) for i in (5, 1, 3, 0, 2, 4)]
    assert len(told) == 6
    assert [[trial.value for trial in run.trials] for run in runs] == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]


def test_interleaved_optimizers_may_be_interleaved():
    inner = Interleaved([RandomSearch(BOX, seed=1), RandomSearch(BOX, seed=2)])
    search(Interleaved([inner, RandomSearch(BOX, seed=3)]), 6)
    assert [trial.run for trial in inner.trials] == [0, 1, 0]


def test_no_optimizer_is_an_error():
    with pytest.raises(ValueError, match="Interleaved needs at least one optimizer"):
        Interleaved([])


def test_what_is_no_optimizer_is_an_error():
    with pytest.raises(TypeError, match="Interleaved takes optimizers, not 'Rembo'"):
        Interleaved([RandomSearch(BOX), "Rembo"])


def test_optimizers_of_different_spaces_are_an_error():
    with pytest.raises(ValueError, match=r"must search one space: Box\(size=7.*\) is not Box\(size=6"):
        Interleaved([RandomSearch(BOX), RandomSearch(Box(7))])


def test_own_point_goes_to_the_run_whose_it_is():
    optimizer = Interleaved([Rembo(BOX, 2, seed=1), Rembo(BOX, 3, seed=2)])
    mine = Point(optimizer.runs[1].runs[0].embedding, [0.1, 0.2, 0.3])
    assert optimizer.adopt(mine).run == 1


def test_any_point_goes_to_a_run_that_takes_any():
    optimizer = Interleaved([Rembo(BOX, 2, seed=1), RandomSearch(BOX, seed=2)])
    x = np.linspace(-1.0, 1.0, 6)
    told = optimizer.tell(x, 1.0)
    assert told.run == 1
    assert_array_equal(np.asarray(told.x), x)


def test_point_that_no_run_takes_is_an_error():
    optimizer = Interleaved([Rembo(BOX, 2, seed=1), Rembo(BOX, 3, seed=2)])
    with pytest.raises(ValueError, match="away from this random 2-dimensional subspace of 6 dimensions"):
        optimizer.tell(np.linspace(-1.0, 1.0, 6), 1.0)


def test_adopted_trial_takes_no_turn():
    optimizer = Interleaved([RandomSearch(BOX, seed=1), RandomSearch(BOX, seed=2)])
    optimizer.adopt(np.zeros(6))
    assert [trial.run for trial in optimizer.ask(2)] == [0, 1]


def test_best_trial_is_the_best_of_all_runs():
    optimizer = Interleaved(three())
    trials = search(optimizer, 6)
    assert optimizer.best_trial.value == min(trial.value for trial in trials)
