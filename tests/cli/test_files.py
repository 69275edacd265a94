"""`rembo new`, `rembo export`, `rembo verify` and `rembo demo`."""

import csv
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rembo.scenario import Scenario
from rembo.study.database import checksum_of
from rembo.study.rows import TRIAL

EXAMPLE = Path(__file__).parents[2] / "examples" / "tune"
PAGE = (Path(__file__).parents[2] / "docs" / "tune.md").read_text()


def test_new_writes_a_scenario_and_says_how_to_try_it(folder, rembo):
    code, out, _ = rembo("new", "fresh.toml")
    assert (code, (folder / "fresh.toml").read_text()) == (0, Scenario.new_text())
    assert "rembo tune fresh.toml --dry-run" in out


def test_new_refuses_to_overwrite(folder, rembo):
    before = (folder / "scenario.toml").read_text()
    code, _, err = rembo("new")
    assert (code, (folder / "scenario.toml").read_text()) == (2, before)
    assert "scenario.toml is there already" in err


def test_export_writes_a_row_for_each_trial(folder, rembo):
    rembo("tune", "scenario.toml")
    code, out, _ = rembo("export", "scenario.db", "-o", "out.csv")
    with open("out.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    assert (code, out, [float(row["value"]) for row in rows]) == (0, "out.csv: 5 trials\n", folder.values())


def test_export_to_an_unknown_format_names_those_that_there_are(folder, rembo):
    rembo("tune", "scenario.toml")
    code, _, err = rembo("export", "scenario.db", "-o", "out.xlsx")
    assert (code, "'out.xlsx' must end in one of .csv, .jsonl, .parquet" in err) == (2, True)


def test_backup_copies_the_studies(folder, rembo):
    rembo("tune", "scenario.toml")
    code, out, _ = rembo("backup", "scenario.db", "copy.db")
    assert (code, out) == (0, "copy.db has the studies of scenario.db as they are now\n")
    assert rembo("show", "copy.db", "--json")[1] == rembo("show", "scenario.db", "--json")[1]


def test_backup_refuses_to_overwrite(folder, rembo):
    rembo("tune", "scenario.toml")
    (folder / "copy.db").write_text("mine")
    code, _, err = rembo("backup", "scenario.db", "copy.db")
    assert (code, (folder / "copy.db").read_text()) == (3, "mine")
    assert "copy.db is there already: give another path" in err


ARRAY = "w = {type = 'array', size = 3, low = 0.0, high = 1.0, default = [0.5, 0.5, 0.5]}"
ESCAPING = "../x"  # a name of a study that would lead out of its folder


def files_outside(folder):
    return sorted(each.name for each in folder.path.parent.iterdir() if each != folder.path)


def test_files_of_the_best_command_stay_beside_the_study_whatever_it_is_called(folder, rembo):
    before = files_outside(folder)
    folder.scenario(command="head -n 1 {file:w}", parameters=ARRAY)
    assert rembo("tune", "scenario.toml", "--name", ESCAPING)[0] == 0
    assert ((folder / "..%2Fx-best").is_dir(), files_outside(folder)) == (True, before)


def test_files_of_an_ablated_command_stay_beside_the_study_whatever_it_is_called(folder, rembo):
    before = files_outside(folder)
    folder.scenario(command="head -n 1 {file:w}", parameters=ARRAY)
    rembo("tune", "scenario.toml", "--name", ESCAPING)
    assert rembo("ablate", "scenario.db", "--name", ESCAPING)[0] == 0
    assert ((folder / "..%2Fx-ablated").is_dir(), files_outside(folder)) == (True, before)


def test_verify_says_that_a_study_holds(folder, rembo):
    rembo("tune", "scenario.toml")
    code, out, _ = rembo("verify", "scenario.db")
    assert (code, out) == (0, "study 'scenario' holds: 4 suggestions follow, 1 points were given\n")


def test_verify_names_the_first_trial_that_does_not_follow(folder, rembo):
    rembo("tune", "scenario.toml")
    tamper_with_trial(3, folder / "scenario.db")
    code, _, err = rembo("verify", "scenario.db")
    assert code == 1
    assert "study 'scenario' does not hold: trial 3 does not follow from what was told before it" in err


def test_verify_says_that_it_cannot_tell_what_was_suggested_elsewhere(folder, rembo):
    rembo("tune", "scenario.toml")
    tamper_with_trial(3, folder / "scenario.db")
    forget_the_environment(folder / "scenario.db")
    code, _, err = rembo("verify", "scenario.db")
    assert code == 4
    assert "whether study 'scenario' holds cannot be told here: trial 3 does not follow" in err
    assert "an earlier version of rembo" in err


def forget_the_environment(file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM environment")


def tamper_with_trial(number, file):
    """Move the point of a trial, in a file that is as good as before."""
    with closing(sqlite3.connect(file)) as connection, connection:
        columns = ", ".join(TRIAL)
        row = list(connection.execute(f"SELECT {columns} FROM trial WHERE number = ?", (number,)).fetchone())
        row[TRIAL.index("y")] = (np.frombuffer(row[TRIAL.index("y")]) / 2.0).tobytes()
        values = (row[TRIAL.index("y")], checksum_of(row), number)
        connection.execute("UPDATE trial SET y = ?, checksum = ? WHERE number = ?", values)


def test_demo_finds_two_coordinates_among_a_billion(rembo):
    code, out, err = rembo("demo", "--n-trials", 30, "--quiet")
    assert (code, err) == (0, "")
    assert float(re.search(r"best value (\S+)", out)[1]) < 10.0  # the middle of the box gives 24.1


def test_example_to_copy_runs_as_it_stands(folder, rembo):
    shutil.copytree(EXAMPLE, folder / "copy")
    code, out, _ = rembo("tune", "copy/scenario.toml", "--n-trials", 2)
    line = out.splitlines()[1]
    assert (code, subprocess.run(line, shell=True, capture_output=True).stdout[:8]) == (0, b"length: ")


@pytest.mark.parametrize("command", ["new", "tune", "resume", "show", "export", "import", "backup", "verify", "demo"])
def test_page_tells_of_every_command(command):
    assert f"`rembo {command}" in PAGE


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 130, 143])
def test_page_tells_of_every_exit_code(code):
    assert f"\n| {code} | " in PAGE
