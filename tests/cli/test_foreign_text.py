"""Names and errors that come from elsewhere: no command lets a terminal obey them, or stumbles over them."""

import json
import re
from pathlib import Path

import pytest

import rembo.cli
from rembo import Bool, Categorical, Float, Space
from rembo.ablation.ablate import one_by_one
from rembo.cli import main
from rembo.cli.watch import Lines, Progress
from rembo.study import Study

EVIL = "\x1b]0;evil\x07 caf\udce9 \x1b[2J"
MODULES = [each for each in Path(rembo.cli.__file__).parent.glob("*.py") if each.stem not in ("say", "watch")]
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def moody(x):
    if x["fails"]:
        raise ValueError(EVIL)
    return x[f"rate {EVIL}"]


@pytest.fixture
def file(tmp_path):
    """A study whose errors, names and choices would take over a terminal."""
    space = Space({"kind": Categorical([EVIL, "plain"]), f"rate {EVIL}": Float(0, 1), "fails": Bool()})
    with Study(space, storage=tmp_path / "study.db", seed=0) as study:
        study.optimize(moody, 12, progress=False)
    return tmp_path / "study.db"


@pytest.mark.parametrize(
    "command", [["show"], ["show", "--all", "--no-importance"], ["verify"], ["ablate"], ["show", "--name", EVIL]]
)
def test_no_command_prints_what_a_terminal_obeys(command, file, capsys):
    main([command[0], str(file), *command[1:]])
    printed = capsys.readouterr()
    assert not OBEYED.search(printed.out + printed.err)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".html"])
def test_exports_and_reports_take_any_text(suffix, file, tmp_path):
    command = "report" if suffix == ".html" else "export"
    assert main([command, str(file), "-o", str(tmp_path / f"out{suffix}")]) == 0


def test_log_of_a_study_spells_what_a_function_raised(file, caplog):
    logged = "".join(record.getMessage() for record in caplog.get_records("setup"))
    assert "\\udce9" in logged
    assert not OBEYED.search(logged)


def test_log_of_an_ablation_spells_what_a_function_raised(caplog):
    one_by_one(moody, [{"fails": True}])
    assert "\\udce9" in caplog.text
    assert not OBEYED.search(caplog.text)


def test_json_of_show_has_the_text_itself(file, capsys):
    main(["show", "--json", "--no-importance", str(file)])
    assert f"rate {EVIL}" in json.loads(capsys.readouterr().out)["best"]["params"]


def test_display_of_tune_spells_what_a_program_wrote(capsys):
    Lines().note(EVIL)
    assert not OBEYED.search(capsys.readouterr().err)


def test_live_display_of_tune_spells_what_a_program_wrote(capsys):
    rich = pytest.importorskip("rich.console")
    from rembo.cli.live import LiveDisplay

    LiveDisplay(rich.Console(stderr=True, force_terminal=False), "title", Progress(0, 1)).note(EVIL)
    assert not OBEYED.search(capsys.readouterr().err)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_commands_print_nothing_but_by_say_and_remark(module):
    assert not re.search(r"(?<![\w.])print\(", module.read_text())
