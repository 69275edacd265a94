"""The table of trials: filtered, sorted, with columns for parameters."""

import pytest

from rembo import Box, Categorical, Float, RandomSearch, Space
from rembo.dashboard.asked import Asked, Range
from rembo.dashboard.table import Readings, table_of
from rembo.optimizer import TrialState
from rembo.study import Study

SPACE = Space({"rate": Float(0.0, 1.0), "kind": Categorical(["z", "a"]), "weights": Box(10**9, 0.0, 8.0)})
SCALARS = Space({"rate": Float(0.0, 1.0), "kind": Categorical(["z", "a"])})


@pytest.fixture(scope="module")
def trials():
    """Five trials, the second of which failed."""
    study = Study(SCALARS, optimizer=RandomSearch(SCALARS, seed=0))
    told = [(0.5, "z", 3.0), (0.25, "a", None), (0.75, "a", 1.0), (0.0, "z", 2.0), (1.0, "a", -1.0)]
    for rate, kind, value in told:
        trial = study.adopt({"rate": rate, "kind": kind})
        study.fail(trial, "no") if value is None else study.tell(trial, value)
    return study.trials


def numbers(trials, **asked):
    return [trial.number for trial in table_of(SCALARS, trials, Asked(**asked), Readings()).trials]


def test_trials_come_the_newest_first(trials):
    assert numbers(trials) == [4, 3, 2, 1, 0]


@pytest.mark.parametrize(("rising", "expected"), [(True, [4, 2, 3, 0, 1]), (False, [0, 3, 2, 4, 1])])
def test_a_trial_without_a_value_is_last_either_way(trials, rising, expected):
    assert numbers(trials, sort="value", rising=rising) == expected


def test_trials_are_sorted_by_a_parameter(trials):
    assert numbers(trials, sort="p.rate", rising=True, columns=("rate",)) == [3, 1, 0, 2, 4]


def test_trials_are_sorted_by_names_in_the_order_of_the_user(trials):
    assert numbers(trials, sort="p.kind", rising=True, columns=("kind",))[:2] == [0, 3]


def test_an_order_that_does_not_exist_is_that_of_the_trials(trials):
    assert numbers(trials, sort="p.absent") == [4, 3, 2, 1, 0]


def test_trials_are_filtered_by_state(trials):
    assert numbers(trials, state=TrialState.FAIL) == [1]


@pytest.mark.parametrize(
    ("bounds", "expected"), [(Range(1.0, None), [3, 2, 0]), (Range(None, 1.0), [4, 2]), (Range(1.5, 2.5), [3])]
)
def test_trials_are_filtered_by_a_range_of_values(trials, bounds, expected):
    assert numbers(trials, values=bounds) == expected


def test_trials_are_filtered_by_a_range_of_a_parameter(trials):
    assert numbers(trials, columns=("rate",), ranges={"rate": Range(0.25, 0.75)}) == [2, 1, 0]


def test_trials_are_filtered_by_a_name(trials):
    assert numbers(trials, columns=("kind",), names={"kind": "a"}) == [4, 2, 1]


def test_columns_that_no_parameter_has_are_told(trials):
    table = table_of(SCALARS, trials, Asked(columns=("rate", "absent")), Readings())
    assert ([column.name for column in table.columns], table.unknown) == (["rate"], ("absent",))


def test_a_coordinate_of_a_billion_is_a_column():
    study = Study(SPACE, optimizer=RandomSearch(SPACE, seed=0))
    trial = study.tell(study.ask(), 1.0)
    asked = Asked(columns=("weights[999999999]",), sort="p.weights[999999999]")
    (column,) = table_of(SPACE, study.trials, asked, Readings()).columns
    assert column.value(float(trial.point[column.index])) == trial.x["weights"][999_999_999]


def test_a_position_that_was_read_is_not_read_again(trials):
    readings = Readings()
    (column,) = table_of(SCALARS, trials, Asked(columns=("rate",)), readings).columns
    first = readings.along(column, trials[:2])
    longer = readings.along(column, (trials[4], trials[4], *trials[2:]))
    assert longer[:2] == first
    assert longer[2:] == [0.5, -1.0, 1.0]
