"""Trials that are finished with an outcome: all that it knows is kept."""

import numpy as np
import pytest

from rembo import Box
from rembo.optimizer import TrialState
from rembo.study import Outcome, Reason, Study


@pytest.fixture
def study(tmp_path):
    with Study(Box(2), storage=tmp_path / "study.db", seed=0) as made:
        yield made


def test_times_and_worker_of_an_outcome_are_kept(study, tmp_path):
    study.finish(study.ask(), Outcome(3.0, started_at=100.0, finished_at=102.5, worker="host 7"))
    study.close()
    [trial] = Study.load(tmp_path / "study.db").trials
    assert (trial.value, trial.duration, trial.worker) == (3.0, 2.5, "host 7")


def test_outcome_of_a_failure_is_a_failed_trial(study):
    trial = study.finish(study.ask(), Outcome.failed(Reason.TIMEOUT, "too slow"))
    assert (trial.state, trial.reason, trial.failure) == (TrialState.FAIL, Reason.TIMEOUT, "too slow")


def test_error_with_a_lone_surrogate_is_the_same_in_the_file(study, tmp_path):
    trial = study.fail(study.ask(), "no \ud800")
    study.close()
    assert trial.error == Study.load(tmp_path / "study.db").trials[0].error == r"no \ud800"


def test_outcome_with_attributes_that_cannot_be_serialised_is_refused(study):
    trial = study.ask()
    with pytest.raises(TypeError):
        study.finish(trial, Outcome(3.0, user_attrs={"f": print}))
    assert study.finish(trial, Outcome(3.0)).value == 3.0


@pytest.mark.parametrize("trial", ["0", 0.0, None, [0]], ids=repr)
def test_what_is_no_trial_and_no_number_is_refused(study, trial):
    study.ask()
    with pytest.raises(TypeError, match="the trial, or its number, must be a whole number"):
        study.tell(trial, 1.0)


def test_number_of_numpy_names_a_trial(study):
    study.ask()
    assert study.tell(np.int64(0), 1.0).value == 1.0


@pytest.mark.parametrize("attributes", [np.float64(0.5), [1], "text"], ids=repr)
def test_attributes_that_are_no_dict_are_refused(study, attributes):
    trial = study.ask()
    with pytest.raises(TypeError, match="user_attrs must be a dict, not"):
        study.tell(trial, 1.0, attributes)
    assert study.tell(trial, 1.0).value == 1.0


def test_trial_is_finished_once(study):
    study.finish(study.ask(), Outcome(3.0))
    with pytest.raises(ValueError, match=r"trial 0 was told already, with value 3\.0"):
        study.finish(0, Outcome(4.0))
