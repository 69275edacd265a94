"""What `minimize` returns: typed, printed for a person, and still SciPy's."""

import math
import os
import time

import pytest
from scipy.optimize import OptimizeResult

import rembo
from rembo import Bool, Box, Categorical, Float, Integer, RandomSearch, Space, maximize, minimize
from rembo.result import Result
from rembo.study import Reason

NAMES = [f"flag_{number}" for number in range(40)]
SPACE = Space(
    {"rate": Float(0.0, 1.0), "layers": Integer(1, 9), **{name: Bool() for name in NAMES}},
    {"rate": 0.25, "layers": 3, **dict.fromkeys(NAMES, False)},
)


def cost(x):
    return abs(x["layers"] - 5) + sum(x[name] for name in NAMES[:30]) + x["rate"]


def random_search(space, f, n=4, **options):
    return minimize(f, space, n, optimizer=RandomSearch(space, seed=0), **options)


# What it is


def test_result_is_scipys_and_has_a_name_of_its_own():
    result = random_search(Box(3), lambda x: x[0])
    assert isinstance(result, Result)
    assert isinstance(result, OptimizeResult)
    assert result["fun"] == result.fun


# How it is printed


def test_print_of_a_search_in_many_dimensions_is_short():
    result = minimize(lambda x: x[3] ** 2, Box(100), 30, seed=0)
    assert len(str(result)) < 500
    assert str(result) == repr(result)


def test_print_says_the_best_value_its_trial_and_why_the_search_ended():
    result = random_search(Box(3), lambda x: x[0])
    best = min(result.trials, key=lambda trial: trial.value)
    lines = str(result).splitlines()
    assert lines[0] == f"best value: {best.value!r} in trial {best.number}"
    assert lines[-1] == "ended: the number of trials was reached"


def test_print_counts_failures():
    result = random_search(Box(3), lambda x: x[0] if x[0] > 0 else math.nan)
    failed = sum(trial.value is None for trial in result.trials)
    assert f"trials: 4, {failed} of which failed" in str(result)
    assert result.message == f"the number of trials was reached; {failed} of 4 trials failed"


def test_print_names_what_differs_from_the_default_and_counts_the_rest():
    result = maximize(cost, SPACE, 12, seed=0)
    changed = SPACE.changes(result.x)
    assert f"best parameters: {len(changed)} of 42 differ from the default" in str(result)
    assert f"  {42 - len(changed)} as the default" in str(result)


def test_print_of_many_differences_is_cut():
    result = random_search(SPACE, cost, 2)
    text = str(result)
    assert "  layers = " in text
    assert f"  and {len(SPACE.changes(result.x)) - 20} more" in text


def test_print_without_a_default_lists_all_parameters():
    result = random_search(Space({"rate": Float(0.0, 1.0), "solver": Categorical(["a", "b"])}), lambda x: x["rate"])
    assert "best parameters:\n  rate = " in str(result)
    assert "  solver = '" in str(result)


@pytest.mark.parametrize("space", [Box(100), SPACE], ids=["box", "space"])
def test_repr_of_a_trial_shows_its_number_value_and_parameters(space):
    trial = random_search(space, lambda x: 0.5).trials[1]
    assert repr(trial).startswith("StudyTrial(1, value 0.5, ")
    assert len(repr(trial)) < 500


def test_repr_of_a_failed_trial_says_why():
    study = rembo.Study(Box(3), seed=0)
    study.fail(study.ask(), "no memory")
    assert repr(study.trials[0]).startswith("StudyTrial(0, no memory, ")


def test_repr_of_a_study_says_what_it_has_found():
    study = rembo.Study(Box(3), seed=0, name="bowl")
    study.tell(study.ask(), 0.5)
    assert repr(study) == "Study('bowl', minimize, 1 trials, best value 0.5 in trial 0)"


# A table


def test_table_has_a_column_for_each_coordinate_of_a_box():
    study = rembo.Study(Box(3), seed=0)
    study.optimize(lambda x: x[0], 2)
    table = study.trials_dataframe()
    assert table["params_x[2]"].tolist() == [trial.x[2] for trial in study.trials]


def test_table_has_columns_for_a_box_among_other_parameters():
    study = rembo.Study(Space({"rate": Float(0.0, 1.0), "weights": Box(2)}), seed=0)
    study.optimize(lambda x: x["rate"], 1)
    assert {"params_rate", "params_weights[0]", "params_weights[1]"} <= set(study.trials_dataframe().columns)


def test_table_has_no_columns_for_a_box_that_is_too_wide():
    study = rembo.Study(Box(101), seed=0)
    study.optimize(lambda x: x[0], 1)
    assert not any(name.startswith("params") for name in study.trials_dataframe().columns)


# Limits, which studies have too


def test_evaluation_that_takes_too_long_is_a_failed_trial():
    def f(x):
        if x[0] < 0:
            time.sleep(60)
        return x[0]

    result = random_search(Box(3), f, 6, trial_timeout=0.5)
    failed = [trial for trial in result.trials if trial.value is None]
    assert {trial.reason for trial in failed} == {Reason.TIMEOUT}


def test_evaluation_that_ends_its_process_is_a_failed_trial_under_a_limit():
    result = random_search(Box(3), lambda x: x[0] if x[0] > 0 else os._exit(3), 6, trial_timeout=60)
    assert {trial.reason for trial in result.trials if trial.value is None} == {Reason.CRASHED}


def test_evaluation_that_takes_too_much_memory_is_a_failed_trial():
    def f(x):
        return x[0] if x[0] > 0 else len(b"x" * 2**30)

    result = random_search(Box(3), f, 6, trial_memory=2**29)
    assert {trial.reason for trial in result.trials if trial.value is None} == {Reason.MEMORY}
