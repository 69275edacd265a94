"""What is said of a study in words and numbers."""

from collections import Counter
from types import SimpleNamespace

import pytest

from rembo import Box, RandomSearch
from rembo.dashboard.facts import Standing, best_of, failures, pace, reached, seconds_left, standing, summary, workers
from rembo.optimizer import TrialState
from rembo.study import Reason, Study
from rembo.study.sqlite import SQLite


@pytest.fixture
def told(tmp_path):
    """Tells a study values, None for a failure; returns what its file then holds."""

    def tell(*values, direction="minimize"):
        box, path = Box(3), tmp_path / "tune.db"
        with Study(box, optimizer=RandomSearch(box, seed=0), storage=path, direction=direction) as study:
            for value in values:
                trial = study.ask()
                study.tell(trial, value) if value is not None else study.fail(trial, "no", Reason.TIMEOUT)
        return SQLite(path).read("study")

    return tell


@pytest.mark.parametrize(
    ("running", "quiet", "seconds", "expected"),
    [
        (0, None, None, Standing.EMPTY),
        (0, 5.0, None, Standing.IDLE),
        (1, 59.0, None, Standing.RUNNING),
        (1, 61.0, None, Standing.SILENT),
        (1, 61.0, 7.0, Standing.RUNNING),
        (1, 71.0, 7.0, Standing.SILENT),
    ],
)
def test_a_study_stands_where_its_trials_and_the_clock_say(running, quiet, seconds, expected):
    assert standing(Counter({TrialState.RUNNING: running}), quiet, seconds) is expected


def test_best_of_a_minimised_study_is_the_first_of_the_lowest(told):
    assert best_of(told(3.0, 1.0, 1.0)).number == 1


def test_best_of_a_maximised_study_is_the_first_of_the_highest(told):
    assert best_of(told(3.0, 1.0, 3.0, direction="maximize")).number == 0


def test_a_study_without_values_has_no_best(told):
    assert best_of(told(None)) is None


def test_failures_stand_by_reason_the_latest_first(told):
    (found,) = failures(told(None, 1.0, None).trials)
    assert (found.reason, [trial.number for trial in found.trials]) == ("timeout", [2, 0])


def test_workers_count_what_they_finished_and_what_gave_no_value(told):
    (worker,) = workers(told(1.0, None, 2.0).trials)
    assert (worker.name, worker.finished, worker.failed) == ("told by hand", 3, 1)


def test_a_summary_counts_the_states(told):
    found = summary(told(1.0, None, 2.0), now=0.0)
    assert (found.trials, found.counts) == (3, {TrialState.COMPLETE: 2, TrialState.FAIL: 1})


def test_a_summary_knows_how_long_evaluations_take(studies):
    found = summary(SQLite(studies / "tune.db").read("bowl"), now=0.0)
    assert 0.0 < found.evaluation_seconds < 1.0
    assert 0.0 < found.suggesting < 1.0


@pytest.mark.parametrize(
    ("direction", "target", "expected"), [("minimize", 2.0, 1), ("minimize", 0.5, None), ("maximize", 2.5, 0)]
)
def test_a_target_is_reached_by_the_first_value_as_good(told, direction, target, expected):
    first = reached(told(3.0, 2.0, None, 1.0, direction=direction), target)
    assert (None if first is None else first.number) == expected


def paced(*ends):
    """Trials that were finished at these times."""
    return [SimpleNamespace(finished_at=end) for end in ends]


def test_the_pace_is_that_of_the_latest_trials():
    assert pace(paced(*range(0, 1000, 100), *range(1000, 1042, 2))) == 2.0


def test_the_pace_of_several_workers_counts_what_all_of_them_finish():
    assert pace(paced(10.0, 10.0, 20.0, 20.0, 30.0, 30.0, None)) == 4.0


@pytest.mark.parametrize(("of", "expected"), [(10, 28.0), (3, 0.0), (2, 0.0)])
def test_time_left_is_what_the_trials_to_come_take_at_that_pace(of, expected):
    assert seconds_left(paced(2.0, 6.0, 10.0, None), of) == expected


def test_time_left_is_unknown_before_there_is_a_pace():
    assert seconds_left(paced(2.0, 6.0, None), 10) is None
