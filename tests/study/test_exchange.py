"""Trials that leave a study as tables, and past evaluations that enter it."""

import csv
import json
import sys

import optuna
import pyarrow.parquet
import pytest
from numpy.testing import assert_allclose

from rembo import Bool, Box, Categorical, Float, Growing, Integer, RandomSearch, Space, TrialState
from rembo.study import Outcome, Reason, Study, TrialPruned
from rembo.study.exchange import (
    Imported,
    PastTrial,
    best_of,
    export_trials,
    import_trials,
    read_csv,
    read_optuna,
)
from rembo.study.trial import Origin

MIXED = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "layers": Integer(1, 8),
        "solver": Categorical(["adam", 3, None]),
        "warm": Bool(),
        "weights": Box(3),
    }
)
COLUMNS = "rate,layers,solver,warm,weights,value"
ROW = '0.001,2,adam,true,"[0.5, 0.0, -1.0]",1.5'
X = {"rate": 0.001, "layers": 2, "solver": "adam", "warm": True, "weights": [0.5, 0.0, -1.0]}


def study_of(space, direction="minimize"):
    return Study(space, optimizer=RandomSearch(space, seed=0), direction=direction)


@pytest.fixture
def mixed():
    """A study with a complete, a failed and a pruned trial."""
    study = study_of(MIXED)
    study.tell(study.ask(), 0.1, {"epochs": 3, "curve": [1.0, 2.0]})
    study.fail(study.ask(), "it broke", Reason.CRASHED)
    study.optimize(prune, n_trials=3)
    return study


def prune(x):
    raise TrialPruned("hopeless")


def coordinates(study):
    return [MIXED.encode(trial.x) for trial in study.trials]


def table(tmp_path, *rows, columns=COLUMNS):
    (tmp_path / "past.csv").write_text("\n".join([columns, *rows, ""]))
    return tmp_path / "past.csv"


def past(x, value=1.0):
    return PastTrial(x, Outcome(value))


def test_table_is_read_as_values_of_the_space(tmp_path):
    (row,) = read_csv(table(tmp_path, ROW), MIXED)
    assert (row.x, row.outcome) == (X, Outcome(1.5))


def test_exported_study_can_be_imported_as_it_was(tmp_path, mixed):
    export_trials(mixed.trials, tmp_path / "out.csv")
    again = study_of(MIXED)
    assert import_trials(again, read_csv(tmp_path / "out.csv", MIXED)) == Imported(3, 0, 0)
    assert [trial.state for trial in again.trials] == [TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED]
    assert_allclose(coordinates(again), coordinates(mixed), atol=1e-12)  # scaled to [-1,1] and back
    assert [trial.error for trial in again.trials] == [None, "it broke", "hopeless"]


def test_trials_that_are_not_finished_are_not_imported(tmp_path):
    rows = [f"{ROW},WAITING", f"{ROW},RUNNING", f"{ROW},COMPLETE"]
    assert len(read_csv(table(tmp_path, *rows, columns=f"{COLUMNS},state"), MIXED)) == 1


@pytest.mark.parametrize("value", ["", "nan", "inf"])
def test_row_without_a_finite_value_has_failed(tmp_path, value):
    (row,) = read_csv(table(tmp_path, f"0.5,{value}", columns="x,value"), Space({"x": Float(0.0, 1.0)}))
    assert (row.outcome.state, row.outcome.reason) == (TrialState.FAIL, Reason.NO_NUMBER)


@pytest.mark.parametrize(("text", "value"), [("TRUE", True), ("1", True), ("False", False), ("0", False)])
def test_truth_is_read_in_any_spelling(tmp_path, text, value):
    (row,) = read_csv(table(tmp_path, f"{text},1", columns="x,value"), Bool())
    assert row.x is value


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("3.0", 3), ("12345678901", 12345678901)])
def test_whole_number_may_be_written_with_a_point(tmp_path, text, value):
    (row,) = read_csv(table(tmp_path, f"{text},1", columns="x,value"), Integer(0, 2**39))
    assert row.x == value


@pytest.mark.parametrize(
    ("rows", "columns", "sentence"),
    [
        (["0.5,1"], "y,value", "has no column 'x': it has y, value"),
        (["0.5,1"], "x,cost", "has no column 'value': it has x, cost"),
        ([], "", "has no column 'x': it has none"),
        (["0.5,1", "many,1"], "x,value", "past.csv:3: 'many' in column 'x' cannot be read"),
        (["0.5,good"], "x,value", "past.csv:2: 'good' in column 'value' cannot be read"),
        (["0.5,1,BAD"], "x,value,state", "past.csv:2: state 'BAD' is none of WAITING, RUNNING, COMPLETE"),
    ],
)
def test_mistake_in_a_table_is_told_with_its_place(tmp_path, rows, columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_csv(table(tmp_path, *rows, columns=columns), Space({"x": Float(0.0, 1.0)}))


def test_imported_trials_are_given_and_say_so():
    study = study_of(Box(2))
    import_trials(study, [past([0.5, 0.0])])
    assert (study.trials[0].origin, study.trials[0].user_attrs) == (Origin.GIVEN, {"imported": True})
    assert study.optimizer.best_trial.value == 1.0


def test_imported_values_of_a_maximised_study_stay_as_they_are():
    study = study_of(Box(2), "maximize")
    import_trials(study, [past([0.5, 0.0], 1.0), past([0.1, 0.0], 3.0)])
    assert study.best_value == 3.0


def test_past_evaluation_outside_the_space_is_only_counted():
    study = study_of(Box(2))
    assert import_trials(study, [past([0.5, 7.0]), past([0.5]), past([0.5, 0.5])]) == Imported(1, 2, 0)


def test_default_optimizer_represents_the_best_past_configuration():
    space = Box(200)
    everything = [past([((i * number) % 11) / 11 for i in range(200)], float(number)) for number in (5, 2, 3)]
    study = Study(space, x0=best_of(everything, space), seed=0)
    assert import_trials(study, everything) == Imported(1, 0, 2)
    assert list(study.best_params) == pytest.approx(everything[1].x)


def test_warm_study_does_not_evaluate_the_best_once_more():
    best = {"x": 0.5, "y": 0.5}
    space = Space({"x": Float(0.0, 1.0), "y": Float(0.0, 1.0)})
    study = Study(space, optimizer=Growing(space, x0=best, seed=0))
    import_trials(study, [past(best)])
    assert study.ask().x != best


def test_best_of_past_evaluations_is_inside_the_space_and_complete():
    everything = [
        past([9.0], 0.0),
        past([0.2], 2.0),
        past([0.1], 1.0),
        PastTrial([0.0], Outcome.failed(Reason.ERROR, "")),
    ]
    assert (best_of(everything, Box(1)), best_of(everything, Box(1), "maximize")) == ([0.1], [0.2])


def test_best_of_nothing_is_none():
    assert best_of([], Box(1)) is None


def test_csv_has_a_column_for_each_parameter_and_attribute(tmp_path, mixed):
    export_trials(mixed.trials, tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="") as file:
        first = next(csv.DictReader(file))
    assert float(first["params_rate"]) == mixed.trials[0].x["rate"]
    assert json.loads(first["params_weights"]) == list(mixed.trials[0].x["weights"])
    assert (first["user_attrs_epochs"], first["origin"]) == ("3", "ASKED")


def test_exported_rows_say_why_a_trial_was_asked_and_imported_ones_that_they_were_given(tmp_path):
    space = Space({"a": Float(0.0, 1.0), "b": Bool()})
    study = Study(space, optimizer=Growing(space, seed=0))
    study.optimize(lambda x: (x["a"] - 0.3) ** 2 + x["b"], 12)
    export_trials(study.trials, tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="") as file:
        origins = [row["origin"] for row in csv.DictReader(file)]
    assert origins == [trial.origin.name for trial in study.trials]
    assert len({"DESIGN", *origins}) == len(set(origins)) > 1
    again = study_of(space)
    import_trials(again, read_csv(tmp_path / "out.csv", space))
    assert {trial.origin for trial in again.trials} == {Origin.GIVEN}


def test_json_lines_have_the_same_rows(tmp_path, mixed):
    export_trials(mixed.trials, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["state"] for row in rows] == ["COMPLETE", "FAIL", "PRUNED"]
    assert rows[0]["user_attrs_curve"] == [1.0, 2.0]


def test_parquet_keeps_the_types_of_columns(tmp_path, mixed):
    export_trials(mixed.trials, tmp_path / "out.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["value"] for row in rows] == [0.1, None, None]
    assert rows[0]["params_weights"] == list(mixed.trials[0].x["weights"])


def test_parquet_has_choices_of_several_types_as_texts(tmp_path):
    space = Categorical(["adam", 3, None])
    study = study_of(space)
    import_trials(study, [past("adam"), past(3), past(None)])
    export_trials(study.trials, tmp_path / "out.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["params_x"] for row in rows] == ["adam", "3", None]


def test_missing_pyarrow_is_a_sentence_that_names_the_cure(tmp_path, mixed, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"Parquet needs pyarrow: pip install 'pyarrow>=15'"):
        export_trials(mixed.trials, tmp_path / "out.parquet")


def test_long_arrays_are_not_exported(tmp_path):
    study = study_of(Box(1001))
    study.tell(study.ask(), 1.0)
    export_trials(study.trials, tmp_path / "out.jsonl")
    assert "params_x" not in json.loads((tmp_path / "out.jsonl").read_text())


@pytest.fixture
def storage(tmp_path):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return f"sqlite:///{tmp_path / 'optuna.db'}"


def objective(trial):
    """An objective of all kinds of parameters that completes, is pruned, and fails."""
    trial.suggest_float("rate", 1e-3, 1.0, log=True)
    trial.suggest_int("layers", 1, 8)
    trial.suggest_categorical("solver", ["adam", None])
    trial.suggest_int("fixed", 3, 3)
    trial.set_user_attr("epochs", 7)
    if trial.number == 1:
        raise optuna.TrialPruned
    return [1.5, None, float("nan")][trial.number]


def test_optuna_study_comes_with_its_space_states_and_direction(storage):
    optuna.create_study(storage=storage, direction="maximize").optimize(objective, n_trials=3)
    found = read_optuna(storage)
    wanted = Space({"rate": Float(1e-3, 1.0, True), "layers": Integer(1, 8), "solver": Categorical(["adam", None])})
    assert (found.space, found.direction) == (wanted, "maximize")
    assert [each.outcome.state.name for each in found.trials] == ["COMPLETE", "PRUNED", "FAIL"]
    assert import_trials(study_of(found.space), found.trials) == Imported(3, 0, 0)


def test_optuna_trial_keeps_its_values_times_and_attributes(storage):
    theirs = optuna.create_study(storage=storage)
    theirs.optimize(objective, n_trials=1)
    (past,) = read_optuna(storage).trials
    assert (past.x["rate"], past.outcome.value) == (theirs.best_params["rate"], 1.5)
    assert past.outcome.finished_at == theirs.trials[0].datetime_complete.timestamp()
    assert past.outcome.user_attrs == {"epochs": 7}


def test_optuna_trial_without_a_parameter_lies_outside_the_space(storage):
    theirs = optuna.create_study(storage=storage)
    theirs.optimize(lambda trial: trial.suggest_float("xy"[trial.number % 2], 0.0, 1.0), n_trials=2)
    found = read_optuna(storage)
    assert import_trials(study_of(found.space), found.trials) == Imported(0, 2, 0)


@pytest.mark.parametrize(
    ("suggest", "sentence"),
    [
        (lambda trial: trial.suggest_float("x", 0.0, 1.0, step=0.25), "'x' has the step 0.25"),
        (lambda trial: trial.suggest_int("x", 0, 10, step=2), "'x' has the step 2"),
        (lambda trial: trial.suggest_float("x", 0.0, 1.0 + trial.number), "give the space"),
    ],
)
def test_distribution_that_no_parameter_has_is_refused(storage, suggest, sentence):
    optuna.create_study(storage=storage).optimize(suggest, n_trials=2)
    with pytest.raises(ValueError, match=sentence):
        read_optuna(storage)


def test_optuna_study_of_two_objectives_is_refused(storage):
    optuna.create_study(storage=storage, directions=["minimize", "maximize"])
    with pytest.raises(ValueError, match="has 2 objectives, and only 1 can be taken"):
        read_optuna(storage)


def test_missing_optuna_is_a_sentence_that_names_the_cure(storage, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'optuna>=3.6' 'greenlet>=3'"):
        read_optuna(storage)
