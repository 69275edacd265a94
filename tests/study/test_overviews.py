"""What a page reads of a file again and again: the studies at a glance, and the trials that may have changed."""

import pytest

from rembo import Box, RandomSearch
from rembo.optimizer import TrialState
from rembo.study import Study
from rembo.study.sqlite import SQLite


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


def begin(path, name="study", direction="minimize"):
    return Study(Box(3), optimizer=RandomSearch(Box(3), seed=0), storage=path, name=name, direction=direction)


@pytest.mark.parametrize(("direction", "best"), [("minimize", 1.0), ("maximize", 3.0)])
def test_an_overview_has_the_best_value_and_the_number_of_trials_in_each_state(path, direction, best):
    with begin(path, direction=direction) as study:
        for value in (3.0, 1.0):
            study.tell(study.ask(), value)
        study.fail(study.ask(), "no")
        study.ask()
        (found,) = SQLite(path).overviews()
    assert found.best == best
    assert found.counts == {TrialState.COMPLETE: 2, TrialState.FAIL: 1, TrialState.RUNNING: 1}


def test_an_overview_says_when_a_trial_was_last_heard_of(path):
    with begin(path) as study:
        finished = study.tell(study.ask(), 1.0).finished_at
    assert SQLite(path).overviews()[0].latest == finished


def test_an_overview_of_a_study_without_trials_has_no_best_and_no_latest(path):
    begin(path).close()
    (found,) = SQLite(path).overviews()
    assert (found.best, found.latest, found.counts) == (None, None, {})


def test_overviews_stand_in_the_order_in_which_studies_were_begun(path):
    begin(path, "second").close()
    begin(path, "first").close()
    assert [found.header.name for found in SQLite(path).overviews()] == ["second", "first"]


def test_reading_after_a_tell_leaves_out_what_was_told_by_then(path):
    with begin(path) as study:
        first, second, third = study.ask(), study.ask(), study.ask()
        by = study.tell(second, 1.0).told
        study.tell(third, 1.0)
        assert [trial.number for trial in SQLite(path).read("study", after=by).trials] == [first.number, third.number]
