"""What the shell is told: exit codes, and errors that are sentences."""

import subprocess
import sys
from pathlib import Path

import pytest

import rembo as package
from rembo.cli import main
from rembo.cli.parser import parser


def test_version_is_told(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"rembo {package.__version__}\n")


def test_python_runs_the_package_as_the_command_line(folder):
    process = folder.start("--help")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out.startswith("usage: rembo"), err) == (0, True, "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["tuna"],
        ["tune", "scenario.toml", "--workers", "0"],
        ["tune", "scenario.toml", "--n-trials", "many"],
        ["tune", "scenario.toml", "--workers", "2", "--dask", "local"],
        ["export", "scenario.db"],
    ],
)
def test_wrong_arguments_end_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert (end.value.code, "rembo" in capsys.readouterr().err) == (2, True)


def test_unknown_key_of_a_scenario_is_told_with_its_line(folder, rembo):
    folder.scenario("n_trial = 3")
    code, out, err = rembo("tune", "scenario.toml")
    assert (code, out) == (2, "")
    assert err == "rembo: scenario.toml:5: unknown key 'n_trial': did you mean 'n_trials'?\n"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [("./absent {x}", "program './absent' is not there"), ("./program {y}", "unknown name {y}: known are")],
)
def test_mistake_in_the_command_is_told_before_anything_runs(folder, rembo, command, sentence):
    folder.scenario(command=command)
    code, _, err = rembo("tune", "scenario.toml")
    assert (code, sentence in err, (folder / "scenario.db").exists()) == (2, True, False)


def test_missing_scenario_is_a_sentence(folder, rembo):
    code, _, err = rembo("tune", "absent.toml")
    assert (code, err.count("\n"), "absent.toml: cannot be read" in err) == (2, 1, True)


def test_debug_shows_where_an_error_comes_from(folder, rembo):
    _, _, err = rembo("tune", "absent.toml", "--debug")
    assert err.startswith("Traceback")


@pytest.mark.parametrize("command", [["show"], ["verify"], ["resume"], ["export", "-o", "out.csv"]])
def test_file_that_is_no_study_ends_with_3(folder, rembo, command):
    (folder / "broken.db").write_text("not a database" * 100)
    code, out, err = rembo(*command, "broken.db")
    assert (code, out) == (3, "")
    assert "broken.db: it is no SQLite file" in err


def test_storage_in_a_folder_that_is_not_there_ends_with_3(folder, rembo):
    code, _, err = rembo("tune", "scenario.toml", "--storage", "absent/study.db")
    assert (code, "absent does not exist: make it first" in err) == (3, True)


@pytest.mark.parametrize("address", ["local:none", "local:0", "tcp://127.0.0.1:9"])
def test_wrong_dask_address_is_a_sentence(folder, rembo, address, monkeypatch):
    monkeypatch.setattr("rembo.cli.dask._PATIENCE", 0.5)
    code, _, err = rembo("tune", "scenario.toml", "--dask", address, "--quiet")
    assert (code, err.startswith("rembo: "), address in err) == (2, True, True)


def test_missing_dask_is_a_sentence_that_names_the_cure(folder, rembo, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = rembo("tune", "scenario.toml", "--dask", "local", "--quiet")
    assert (code, err) == (2, "rembo: --dask needs Dask: pip install 'distributed>=2025.1'\n")


def test_reader_that_has_had_enough_is_no_error(folder, rembo):
    rembo("tune", "scenario.toml")
    process = folder.start("show", "scenario.db")
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=120)) == ("", 0)


COMMANDS = ("new", "tune", "resume", "show", "export", "import", "verify", "demo")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_says_what_it_does(command, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([command, "--help"])
    assert capsys.readouterr().out.startswith(f"usage: rembo {command}")


def test_dask_cluster_never_runs_code_that_lies_in_the_current_folder(folder, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    for name in ("numpy", "multiprocessing", "pickle", "socket"):
        (folder / f"{name}.py").write_text(f"open('ran', 'a').write({name!r})")
    folder.program('echo "${PYTHONSAFEPATH-unset}" >> seen; echo 1')
    command = [Path(sys.executable).with_name("rembo"), "tune", "scenario.toml", "--dask", "local:2", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, (folder / "ran").exists()) == (0, False), done.stderr
    assert set((folder / "seen").read_text().split()) == {"unset"}
