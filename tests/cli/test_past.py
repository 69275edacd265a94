"""`rembo import`: past evaluations as a warm start."""

import optuna
import pytest

from rembo.study import Study

PAST = "x,value\n0.9,0.36\n0.35,0.0025\n0.1,0.04\n"
ARRAY = "w = {type = 'array', size = 200, low = 0.0, high = 1.0}"


@pytest.fixture
def past(folder):
    (folder / "past.csv").write_text(PAST)
    folder.scenario(optimizer="default")
    return folder


@pytest.fixture
def optuna_url(folder):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    url = f"sqlite:///{folder / 'optuna.db'}"
    study = optuna.create_study(storage=url, study_name="theirs", direction="maximize")
    study.optimize(lambda trial: -((trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2), n_trials=3)
    return url


def test_import_begins_a_study_with_the_values_of_a_table(past, rembo):
    code, out, _ = rembo("import", "past.csv", "--scenario", "scenario.toml")
    assert (code, past.values()) == (0, [0.36, 0.0025, 0.04])
    assert out == "study 'scenario' knows 3 past evaluations\ngo on with: rembo tune scenario.toml --name scenario\n"


def test_tune_goes_on_from_past_evaluations_with_its_own_budget(past, rembo):
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    assert rembo("tune", "scenario.toml")[0] == 0
    assert len(past.values()) == 3 + 5
    assert rembo("verify", "scenario.db")[0] == 0


def test_program_is_tried_before_an_imported_study_goes_on(past, rembo):
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    past.program("echo no result")
    assert rembo("tune", "scenario.toml")[0] == 2
    assert len(past.values()) == 3


def test_search_in_many_dimensions_starts_from_the_best_past_configuration(past, rembo):
    past.scenario(command="./program {w}", parameters=ARRAY, optimizer="default")
    rows = [f'"{[(3 * number + i) % 7 / 7 for i in range(200)]}",{number}' for number in range(1, 4)]
    (past / "past.csv").write_text("\n".join(["w,cost", *rows]))
    _, out, _ = rembo("import", "past.csv", "--scenario", "scenario.toml", "--value", "cost")
    assert "knows 1 past evaluations\n2 more lie where the search has no points yet; it starts from the best" in out
    assert past.values() == [1.0]


def test_past_evaluations_outside_the_ranges_are_counted(past, rembo):
    (past / "past.csv").write_text(f"{PAST}7.5,9\n")
    _, out, _ = rembo("import", "past.csv", "--scenario", "scenario.toml")
    assert "1 more lie outside the parameters' ranges, or lack a parameter\n" in out


def test_import_into_a_study_that_is_there_is_refused(past, rembo):
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    code, _, err = rembo("import", "past.csv", "--scenario", "scenario.toml")
    assert (code, "has a study 'scenario' already: give a --name" in err) == (2, True)


def test_optuna_study_becomes_a_study_that_python_goes_on_with(folder, optuna_url, rembo):
    assert rembo("import", optuna_url, "--storage", "ours.db", "--study", "theirs")[0] == 0
    with Study.load(folder / "ours.db") as study:
        assert (study.name, study.direction, len(study.trials)) == ("theirs", "maximize", 3)


def test_optuna_study_warms_a_scenario_of_its_direction(folder, optuna_url, rembo):
    folder.scenario("direction = 'maximize'")
    assert rembo("import", optuna_url, "--scenario", "scenario.toml")[0] == 0
    assert len(folder.values()) == 3


def test_optuna_study_of_the_other_direction_is_refused(folder, optuna_url, rembo):
    code, _, err = rembo("import", optuna_url, "--scenario", "scenario.toml")
    assert (code, "has a study to maximize, scenario.toml is to minimize" in err) == (2, True)


def test_import_from_an_optuna_study_changes_nothing_there(folder, optuna_url, rembo):
    before = (folder / "optuna.db").read_bytes()
    assert rembo("import", optuna_url, "--storage", "ours.db", "--study", "theirs")[0] == 0
    assert (folder / "optuna.db").read_bytes() == before


def test_import_from_a_missing_file_makes_none(folder, rembo):
    code, _, err = rembo("import", "sqlite:///typo.db", "--storage", "ours.db")
    assert (code, (folder / "typo.db").exists(), (folder / "ours.db").exists()) == (2, False, False)
    assert "sqlite:///typo.db names the file 'typo.db', which is not there: check the path" in err


@pytest.mark.parametrize("content", ["", "no database\n" * 100])
def test_import_from_a_file_of_another_kind_leaves_it_alone(folder, rembo, content):
    (folder / "other.db").write_text(content)
    code, _, err = rembo("import", "sqlite:///other.db", "--storage", "ours.db")
    assert (code, (folder / "other.db").read_text()) == (2, content)
    assert "sqlite:///other.db cannot be read as a storage of Optuna" in err


def test_import_from_our_own_file_adds_no_tables_of_optuna(past, rembo):
    rembo("import", "past.csv", "--scenario", "scenario.toml")
    before = (past / "scenario.db").read_bytes()
    assert rembo("import", "sqlite:///scenario.db", "--storage", "ours.db")[0] == 2
    assert (past / "scenario.db").read_bytes() == before


@pytest.mark.parametrize("name", ["with space.db", "50%.db"])
def test_optuna_study_is_found_whatever_its_file_is_called(folder, optuna_url, rembo, name):
    (folder / "optuna.db").rename(folder / name)
    code, _, err = rembo("import", f"sqlite:///{name}", "--storage", "ours.db")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["past.csv", "--storage", "ours.db"], "give a --scenario"),
        (["sqlite:///optuna.db"], "give a --storage"),
        (["sqlite:///optuna.db", "--storage", "ours.db", "--study", "absent"], "has no Optuna study 'absent'"),
        (["absent.csv", "--scenario", "scenario.toml"], "absent.csv"),
    ],
)
def test_what_import_lacks_is_named(past, optuna_url, rembo, arguments, sentence):
    code, _, err = rembo("import", *arguments)
    assert (code, sentence in err) == (2, True)
