"""`rembo show`: what a study has found."""

import json
from dataclasses import asdict

import pytest

from rembo import Bool, Box, RandomSearch, Space
from rembo.study import Study


@pytest.fixture
def study(folder):
    """A study by the default optimizer with failures of two kinds."""
    with Study(Box(3), storage=folder / "study.db", name="mine", seed=0) as made:
        made.fail(made.ask(), "Traceback ...\nZeroDivisionError: first")
        made.fail(made.ask(), "Traceback ...\nZeroDivisionError: second")
        made.optimize(lambda x: x[0] ** 2, n_trials=10)
        yield made


def test_show_tells_the_best_trial(study, rembo):
    code, out, _ = rembo("show", "study.db")
    assert code == 0
    assert f"best       {study.best_value!r} in trial {study.best_trial.number}" in out
    assert "trials     10: 2 FAIL, 8 COMPLETE" in out


def test_show_reads_a_study_while_it_is_being_written(study, rembo):
    study.optimize(lambda x: x[0] ** 2, n_trials=11)
    assert "trials     11: " in rembo("show", "study.db")[1]


def test_show_lists_the_best_and_the_last_trials(study, rembo):
    data = json.loads(rembo("show", "study.db", "--json")[1])
    values = sorted(trial.value for trial in study.trials if trial.value is not None)
    assert [trial["value"] for trial in data["best_trials"]] == values[:5]
    assert [trial["number"] for trial in data["last_trials"]] == [5, 6, 7, 8, 9]


def test_show_tells_failures_by_reason_with_the_last_error(study, rembo):
    out = rembo("show", "study.db")[1]
    assert "failures   2 ERROR, the last in trial 1:\n           ZeroDivisionError: second\n" in out


def test_show_tells_what_matters_to_the_default_optimizer(study, rembo):
    data = json.loads(rembo("show", "study.db", "--json")[1])
    first = study.importance()[0]
    expected = {**asdict(first), "parameters": list(first.parameters), "matters": first.matters}
    assert data["importance"][0] == expected


def test_show_tells_what_a_change_does_to_f(study, rembo):
    first = study.importance()[0]
    line = next(line for line in rembo("show", "study.db")[1].splitlines() if line.startswith("matters"))
    assert f"{first.effect:+.3g} ({first.effect_low:+.3g} to {first.effect_high:+.3g})" in line
    assert line.endswith(first.parameters[0])


def test_show_tells_what_may_matter_apart_from_what_surely_does(study, rembo):
    lines = rembo("show", "study.db")[1].splitlines()
    labels = [line[:10] for line in lines]
    assert labels.index("matters   ") < labels.index("may matter")


def test_show_says_of_a_group_that_it_is_not_told_apart(folder, rembo):
    with Study(Box(300), storage=folder / "wide.db", seed=0) as made:
        made.optimize(lambda x: x[0] ** 2, n_trials=10)
    sizes = [group.size for group in made.importance()[:10]]
    assert rembo("show", "wide.db")[1].count("one or more of") == sum(size > 1 for size in sizes) > 0


def test_show_leaves_importance_out_if_asked(study, rembo):
    assert "matter" in rembo("show", "study.db")[1]
    assert "matter" not in rembo("show", "study.db", "--no-importance")[1]


def test_show_knows_no_importance_of_other_optimizers(folder, rembo):
    rembo("tune", "scenario.toml")
    code, out, _ = rembo("show", "scenario.db")
    assert (code, "matter" in out, "by RandomSearch" in out) == (0, False, True)


def test_best_of_a_maximised_study_is_the_highest(folder, rembo):
    folder.scenario("direction = 'maximize'")
    rembo("tune", "scenario.toml")
    data = json.loads(rembo("show", "scenario.db", "--json")[1])
    assert data["best_trials"][0]["value"] == max(folder.values())


def test_show_lists_the_studies_where_there_are_several(study, folder, rembo):
    rembo("tune", "scenario.toml", "--storage", "study.db", "--name", "other")
    _, out, _ = rembo("show", "study.db")
    assert out.startswith("study.db has 2 studies; --name shows one of them\n  mine: 10 trials, best ")
    assert rembo("show", "study.db", "--name", "other")[1].startswith("study      other in study.db: ")


def test_show_names_the_studies_that_are_there_if_one_is_not(study, rembo):
    code, _, err = rembo("show", "study.db", "--name", "absent")
    assert (code, "has no study named 'absent': it has 'mine'" in err) == (3, True)


def test_show_says_so_if_there_are_no_trials_yet(folder, rembo):
    Study(Box(10**6), storage=folder / "new.db", seed=0).close()
    assert "trials     none yet" in rembo("show", "new.db")[1]


def test_numbers_of_a_long_array_are_not_shown(folder, rembo):
    with Study(Box(10**6), storage=folder / "long.db", seed=0) as study:
        study.optimize(lambda x: x[0], n_trials=1)
    assert "x: too many numbers to show" in rembo("show", "long.db")[1]


@pytest.fixture
def compiled(folder):
    """A study of 120 flags whose default is worse than the best by a quarter."""
    names = [f"flag{number}" for number in range(120)]
    space = Space({name: Bool() for name in names}, default=dict.fromkeys(names, False))
    with Study(space, optimizer=RandomSearch(space, seed=0), storage=folder / "flags.db") as study:
        study.tell(study.adopt(space.default), 100.0)
        study.tell(study.adopt({**space.default, "flag7": True, "flag99": True}), 75.0)


def test_show_tells_what_differs_from_the_default_and_folds_the_rest(compiled, rembo):
    out = rembo("show", "flags.db")[1]
    assert "default    100.0 in trial 0\n" in out
    assert "2 of 120 differ from the default; 25 % better than the default\n" in out
    assert "flag7 = True (default False)\n           flag99 = True (default False)\n           and 118 more" in out
    assert "1           75           flag7=True flag99=True\n" in out


def test_show_unfolds_all_parameters_the_differing_ones_first(compiled, rembo):
    lines = rembo("show", "flags.db", "--all")[1].splitlines()
    shown = [line.split()[0] for line in lines if " = " in line]
    assert (len(shown), shown[:3]) == (120, ["flag7", "flag99", "flag0"])


def test_show_gives_the_default_to_programs(compiled, rembo):
    default = json.loads(rembo("show", "flags.db", "--json")[1])["default"]
    assert (default["differing"], default["of"]) == (["flag7", "flag99"], 120)
    assert default["trial"] == {"number": 0, "value": 100.0}


def test_show_says_nothing_of_a_default_where_there_is_none(study, rembo):
    assert "default" not in rembo("show", "study.db")[1]
    assert json.loads(rembo("show", "study.db", "--json")[1])["default"] is None
