"""What pictures are drawn of: studies, results and files, seen alike."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_array_equal

import rembo
from rembo.plot.data.search import Search, fresh, searches, the_search
from rembo.study.opening import open_storage


def bowl(x):
    return x[3] ** 2 + x[7] ** 2


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_direction_of_a_result_is_told_from_its_best_value(direction):
    search = Search.of(getattr(rembo, direction)(bowl, rembo.Box(9), 8, seed=0))
    assert search.direction == direction


def test_best_trial_of_a_maximised_search_has_the_highest_value():
    result = rembo.maximize(bowl, rembo.Box(9), 8, seed=0)
    assert Search.of(result).best.value == result.fun


def test_result_is_called_by_its_optimizer(rembo_result):
    assert Search.of(rembo_result).name == "Rembo"


def test_names_of_a_dict_are_the_names_of_its_searches(rembo_result, random_results):
    found = searches({"ours": rembo_result, "theirs": random_results})
    assert [search.name for search in found] == ["ours", "theirs", "theirs", "theirs"]


def test_search_is_taken_as_it_is(embedded_search):
    assert searches([embedded_search]) == [embedded_search]


def test_empty_list_is_an_error_that_says_what_to_give():
    with pytest.raises(ValueError, match="no study in an empty list: give a study"):
        searches([])


@pytest.mark.parametrize("wrong", [3, "tune.db", scipy.optimize.OptimizeResult(fun=1.0)])
def test_anything_else_is_an_error_that_says_what_is_needed(wrong):
    with pytest.raises(TypeError, match=r"a study, a result of rembo\.minimize, or a list of them is needed"):
        searches([wrong])


def test_picture_of_one_study_refuses_several(random_results):
    with pytest.raises(ValueError, match="shows one study, not 3: give it one of them"):
        the_search(random_results)


def test_search_without_a_value_is_an_error_that_names_it():
    study = rembo.Study(rembo.Box(9), name="young", seed=0)
    with pytest.raises(ValueError, match="no trial of 'young' is complete yet"):
        assert Search.of(study).best


@pytest.mark.parametrize(
    "optimizer",
    [
        rembo.Growing(rembo.Box(30), seed=0),
        rembo.Rembo(rembo.Box(30), 2, runs=2, seed=0),
        rembo.Interleaved([rembo.RandomSearch(rembo.Box(30), seed=0), rembo.Rembo(rembo.Box(30), 2, seed=1)]),
    ],
    ids=lambda optimizer: type(optimizer).__name__,
)
def test_replayed_optimizer_asks_what_the_other_would_ask(optimizer):
    result = rembo.minimize(bowl, optimizer.space, 10, optimizer=optimizer)
    *_, again = Search.of(result).replay()
    assert again.ask().point == optimizer.ask().point


def test_replay_tells_one_value_at_a_time(embedded_search):
    told = [len(optimizer.trials) - len(optimizer.pending) for optimizer in embedded_search.replay()]
    assert told == list(range(1, len(embedded_search.told) + 1))


def test_fresh_copy_of_interleaved_optimizers_was_told_nothing():
    space = rembo.Box(9)
    optimizer = rembo.Interleaved([rembo.RandomSearch(space, seed=0), rembo.Rembo(space, 2, seed=1)])
    first = optimizer.ask()
    optimizer.tell(first, 1.0)
    assert fresh(optimizer).ask().point == first.point


def test_trials_are_told_in_their_order_whatever_their_numbers_are():
    study = rembo.Study(rembo.Box(9), seed=0)
    first, second = study.ask(), study.ask()
    study.tell(second, 2.0)
    study.tell(first, 1.0)
    assert [trial.number for trial in Search.of(study).told] == [1, 0]


def test_stored_study_has_the_model_that_the_study_had(tmp_path):
    with rembo.Study(rembo.Box(50), storage=tmp_path / "tune.db", seed=0) as study:
        study.optimize(bowl, 15)
    stored = Search.of(open_storage(tmp_path / "tune.db").read("study"))
    ours, theirs = (optimizer.restarts[0].model() for optimizer in (stored.optimizer, study.optimizer))
    assert_array_equal(ours.in_force.lengths, theirs.in_force.lengths)


def test_failed_trials_are_replayed_as_failures(odd_study):
    search = Search.of(odd_study)
    *_, again = search.replay()
    assert [trial.failure for trial in again.trials] == [trial.failure for trial in search.trials]


def test_maximised_values_are_replayed_with_their_sign():
    search = Search.of(rembo.maximize(bowl, rembo.Box(9), 8, seed=0))
    *_, again = search.replay()
    assert_array_equal([-trial.value for trial in again.trials], [trial.value for trial in search.trials])
    assert np.isclose(-again.best_trial.value, search.best.value)
