"""A study: what it is made of, what it keeps, what it refuses, and that the page about studies says what is true."""

import math
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from study_searches import BOX, FINITE, bowl, cost, default_study, random_study, states, story, troubled

from rembo import Box, Float, GaussianEmbedding, Growing, Point, RandomSearch, Rembo, Space, TrialState
from rembo.study import Reason, StorageError, Study
from rembo.study.trial import Origin

PAGE = Path(__file__).parents[2] / "docs" / "studies.md"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


@pytest.fixture
def study():
    return random_study()


# What it is made of


def test_study_has_the_default_optimizer():
    assert isinstance(Study(BOX).optimizer, Growing)


@pytest.mark.parametrize("prepare", [lambda path: None, Path.touch], ids=["no file", "an empty file"])
def test_study_without_a_seed_begins_a_file_and_finds_its_seed_there(path, prepare):
    prepare(path)
    with Study(BOX, storage=path) as first:
        first.optimize(bowl, 2)
    with Study(BOX, storage=path) as second:
        assert (second.optimizer.seed, len(second.trials)) == (first.optimizer.seed, 2)


def test_second_study_of_a_file_has_a_seed_of_its_own(path):
    with Study(BOX, storage=path) as first, Study(BOX, storage=path, name="other") as other:
        assert first.optimizer.seed != other.optimizer.seed


def test_study_that_was_loaded_is_the_one_that_was_stored(path):
    with Study(FINITE, optimizer=Rembo(FINITE, embedding_dim=2, seed=3), storage=path, direction="maximize") as stored:
        stored.optimize(cost, 5)
    with Study.load(path) as loaded:
        assert story(loaded) == story(stored)
        assert (loaded.space, loaded.direction, type(loaded.optimizer)) == (FINITE, "maximize", Rembo)


def test_study_goes_on_in_another_object_as_in_one(path):
    whole = default_study()
    whole.optimize(bowl, 10)
    with default_study(storage=path) as first:
        first.optimize(bowl, 6)
    with Study.load(path) as second:
        second.optimize(bowl, 10)
        assert story(second) == story(whole)


def test_study_that_was_closed_can_be_opened_and_read(path):
    with random_study(storage=path) as closed:
        closed.optimize(bowl, 2)
    with random_study(storage=path) as opened:
        assert story(opened) == story(closed)


def test_study_may_be_closed_twice(path):
    study = random_study(storage=path)
    study.close()
    study.close()
    assert study.name == "study"


def test_study_that_cannot_be_replayed_leaves_its_file_free(path):
    with random_study(storage=path) as study:
        study.optimize(bowl, 2)
    used = RandomSearch(BOX, seed=0)
    with pytest.raises(ValueError, match="has made 1 trials that the file would not know"):
        Study(BOX, optimizer=_asked(used), storage=path)
    random_study(storage=path).close()


def _asked(optimizer):
    optimizer.ask()
    return optimizer


def test_other_settings_are_refused_with_the_difference(path):
    random_study(storage=path).close()
    with pytest.raises(StorageError, match=r"optimizer\.seed is 0 in the file and 1 here"):
        random_study(storage=path, seed=1)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"optimizer": "rembo"}, TypeError, "optimizer must be one of rembo's"),
        ({"optimizer": RandomSearch(BOX, seed=1), "seed": 2}, ValueError, "seed 2 and an optimizer"),
        ({"optimizer": RandomSearch(Box(3))}, ValueError, "make it with the same space"),
        ({"direction": "down"}, ValueError, "must be 'minimize' or 'maximize'"),
        ({"storage": 3}, TypeError, "storage must be the path of a file"),
    ],
)
def test_study_that_makes_no_sense_is_refused(options, kind, words):
    with pytest.raises(kind, match=words):
        Study(BOX, **options)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"f": 3}, TypeError, "f must be a function"),
        ({"n_trials": 0}, ValueError, "n_trials"),
        ({"timeout": 0}, ValueError, "timeout 0 must be a positive number of seconds"),
        ({"timeout": 10**400}, ValueError, "timeout 10+ must be a positive number of seconds"),
        ({"trial_timeout": 10**400}, ValueError, "time limit 10+ must be a positive number of seconds"),
        ({"max_overhead": 10**400}, ValueError, "max_overhead 10+ must be a share"),
        ({"deterministic": -1}, ValueError, "deterministic"),
        ({"max_overhead": 0.0}, ValueError, r"max_overhead 0\.0 must be a share"),
        ({"max_overhead": 1.5}, ValueError, r"max_overhead 1\.5 must be a share"),
        ({"callbacks": 3}, TypeError, "callbacks must be a list of functions"),
        ({"trial_timeout": -1}, ValueError, "the time limit -1"),
    ],
)
def test_run_that_makes_no_sense_is_refused(study, options, kind, words):
    with pytest.raises(kind, match=words):
        study.optimize(**{"f": bowl, "n_trials": 3} | options)
    assert study.trials == ()


# Where to begin


def test_own_optimizer_evaluates_the_first_point_first():
    study = random_study(x0=[0.25] * 20)
    study.optimize(bowl, 3)
    assert (study.trials[0].x[7], study.trials[0].origin) == (0.25, Origin.GIVEN)


def test_first_point_is_asked_once(path):
    with random_study(storage=path, x0=[0.25] * 20) as study:
        study.optimize(bowl, 1)
    with random_study(storage=path, x0=[0.25] * 20) as study:
        study.optimize(bowl, 3)
        assert [trial.origin for trial in study.trials] == [Origin.GIVEN, Origin.ASKED, Origin.ASKED]


def test_first_point_is_what_is_asked_by_hand_first():
    assert random_study(x0=[0.25] * 20).ask().x[7] == 0.25


def test_default_optimizer_begins_at_the_first_point():
    study = Study(BOX, seed=0, x0=[0.25] * 20)
    assert (study.ask().x[7], study.trials[0].origin) == (0.25, Origin.DESIGN)


def test_first_point_that_cannot_be_represented_is_refused():
    study = Study(BOX, optimizer=Rembo(BOX, embedding_dim=2, seed=0), x0=[0.3] * 19)
    with pytest.raises(ValueError, match="19"):
        study.optimize(bowl, 3)
    assert study.trials == ()


def test_point_of_ones_own_is_a_trial(study):
    study.tell(study.adopt([0.5] * 20), 3.0)
    assert (study.best_value, study.trials[0].origin) == (3.0, Origin.GIVEN)


def test_point_of_another_space_is_refused(study):
    with pytest.raises(ValueError, match="30"):
        study.adopt(Point(GaussianEmbedding(30, 2, seed=0), [0.0, 0.0]))


def test_enqueued_points_are_evaluated_before_anything_new(study):
    for number in (0.25, 0.75):
        study.enqueue([number] * 20)
    assert [trial.state for trial in study.trials] == [TrialState.WAITING] * 2
    study.optimize(bowl, 3)
    assert [trial.x[0] for trial in study.trials[:2]] == [0.25, 0.75]
    assert [trial.origin for trial in study.trials] == [Origin.GIVEN, Origin.GIVEN, Origin.ASKED]


def test_enqueued_point_is_what_is_asked_next(study):
    assert study.ask().number == study.enqueue([0.5] * 20).number - 1
    assert study.ask().x[0] == 0.5


def test_enqueued_point_of_another_space_is_refused(study):
    with pytest.raises(ValueError, match="30"):
        study.enqueue(Point(GaussianEmbedding(30, 2, seed=0), [0.0, 0.0]))


# By hand


def test_trial_that_is_told_is_complete(study):
    told = study.tell(study.ask(), 2.0, user_attrs={"epochs": 3})
    assert (told.state, told.value, told.user_attrs, study.best_trial) == (
        TrialState.COMPLETE, 2.0, {"epochs": 3}, told,
    )  # fmt: skip


def test_trial_is_told_by_its_number(study):
    study.ask()
    assert study.tell(0, 2.0).value == 2.0


def test_trial_that_was_left_is_asked_again(path):
    with random_study(storage=path) as study:
        left = study.ask()
    with random_study(storage=path) as study:
        again = study.ask()
        assert (again.number, again.point, again.attempts) == (0, left.point, 2)


@pytest.mark.parametrize("value", [math.nan, math.inf, "low", None])
def test_value_that_is_no_finite_number_is_refused(study, value):
    trial = study.ask()
    with pytest.raises(ValueError, match=r"must be a finite number, .*: report a failure with fail"):
        study.tell(trial, value)
    assert study.tell(trial, 1.0).value == 1.0


def test_attribute_that_no_file_can_hold_is_refused_and_nothing_lost(path):
    with random_study(storage=path) as study:
        trial = study.ask()
        with pytest.raises(TypeError, match=r"user_attrs\.model is <object"):
            study.tell(trial, 1.0, user_attrs={"model": object()})
        assert study.tell(trial, 1.0).value == 1.0


def test_failure_is_told_with_its_reason(study):
    failed = study.fail(study.ask(), "no licence", Reason.TIMEOUT)
    assert (failed.state, failed.reason, failed.failure) == (TrialState.FAIL, Reason.TIMEOUT, "no licence")


def test_study_without_a_value_has_no_best_trial(study):
    study.fail(study.ask(), "no licence")
    with pytest.raises(ValueError, match="no trial is complete yet"):
        _ = study.best_trial


# What it found


def test_best_of_a_maximisation_has_the_highest_value():
    study = random_study(direction="maximize")
    study.optimize(bowl, 10)
    assert study.best_value == max(trial.value for trial in study.trials) == bowl(study.best_params)


def test_maximisation_asks_what_the_minimisation_of_the_negative_asks():
    up, down = default_study(direction="maximize"), default_study()
    up.optimize(bowl, 10)
    down.optimize(lambda x: -bowl(x), 10)
    assert [trial.point for trial in up.trials] == [trial.point for trial in down.trials]


def test_maximisation_goes_on_after_it_was_closed(path):
    whole = default_study(direction="maximize")
    whole.optimize(bowl, 10)
    with default_study(storage=path, direction="maximize") as first:
        first.optimize(bowl, 5)
    with Study.load(path) as second:
        second.optimize(bowl, 10)
        assert (story(second), second.best_value) == (story(whole), whole.best_value)


def test_what_f_returns_beside_its_value_is_kept(path):
    with random_study(storage=path) as study:
        study.optimize(lambda x: (bowl(x), {"epochs": 3}), 1)
    with Study.load(path) as again:
        assert again.trials[0].user_attrs == {"epochs": 3}


def test_pruned_trial_has_no_value(study):
    study.optimize(troubled, 20)
    pruned = next(trial for trial in study.trials if trial.state is TrialState.PRUNED)
    assert (pruned.value, pruned.failure) == (None, "not worth it")


def test_importance_names_what_matters():
    study = Study(Space({"a": Float(0, 1), "b": Float(0, 1), "c": Float(0, 1)}), seed=0)
    study.optimize(lambda x: (x["b"] - 0.3) ** 2, 15)
    assert study.importance()[0].parameters == ("b",)


def test_importance_needs_the_default_optimizer(study):
    with pytest.raises(TypeError, match="RandomSearch does not tell what matters"):
        study.importance()


def test_table_of_trials_has_a_row_for_each_and_a_column_for_each_parameter():
    pytest.importorskip("pandas")
    study = random_study(space=FINITE)
    study.optimize(lambda x: (cost(x), {"epochs": 3}), 4)
    table = study.trials_dataframe()
    assert list(table["value"]) == [trial.value for trial in study.trials]
    assert list(table["params_solver"]) == [trial.x["solver"] for trial in study.trials]
    assert list(table["user_attrs_epochs"]) == [3] * 4


def test_table_of_trials_says_why_each_was_asked():
    pytest.importorskip("pandas")
    study = Study(Box(3), seed=0)
    study.optimize(lambda x: float((x[:] ** 2).sum()), 12)
    origins = list(study.trials_dataframe()["origin"])
    assert origins == [trial.row()["origin"] for trial in study.trials] == [trial.origin.name for trial in study.trials]
    assert (origins[0], set(origins) - {"DESIGN"} != set()) == ("DESIGN", True)


def test_origins_survive_the_file_of_a_study(tmp_path):
    with Study(Box(3), storage=tmp_path / "tune.db", seed=0) as study:
        study.optimize(lambda x: float((x[:] ** 2).sum()), 12)
    with Study(Box(3), storage=tmp_path / "tune.db", seed=0) as again:
        assert [trial.origin for trial in again.trials] == [trial.origin for trial in study.trials]
        assert [trial.origin for trial in again.optimizer.trials] == [trial.origin for trial in study.trials]


def test_table_of_trials_without_pandas_is_a_sentence(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="needs pandas: pip install 'pandas>=2'"):
        study.trials_dataframe()


def test_all_configurations_of_a_finite_space_are_asked_once():
    study = Study(FINITE, seed=0)
    study.optimize(cost, 12, deterministic=4)
    assert len({tuple(trial.x.values()) for trial in study.trials}) == 12
    assert states(study) == ["COMPLETE"] * 12


# The page


def test_code_of_the_page_on_studies_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("distributed", reason="the page shows a Dask cluster, too")
    monkeypatch.chdir(tmp_path)
    page = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", page)  # where the processes of a pool look for f
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    exec(compile("\n".join(blocks), str(PAGE), "exec"), vars(page))
    assert "holds: True" in capsys.readouterr().out
