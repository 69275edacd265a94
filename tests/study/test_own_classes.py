"""Classes of the user's own in a study's file: it goes on with them, and looking at it imports nothing."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import reduce

import numpy as np
import own_parts
import pytest
from own_parts import MAKE, Eager

from rembo import BayesOpt, Box
from rembo.cli import main
from rembo.dashboard.catalogue import Catalogue, Place
from rembo.dashboard.snapshots import Snapshots
from rembo.study import StorageError, Study, verify
from rembo.study.codec import decode, describe, own_classes
from rembo.study.own_class import UnknownClassError
from rembo.study.sqlite import SQLite

SPACE = Box(6)
every_part = pytest.mark.parametrize("part", MAKE)


def bowl(x):
    return float(((x[:] - 0.3) ** 2).sum())


def searched(part, path, n_trials):
    with Study(SPACE, optimizer=MAKE[part](SPACE), storage=path, name="own") as study:
        study.optimize(bowl, n_trials, progress=False)
        return [(trial.x[:].tolist(), trial.value) for trial in study.trials]


@pytest.fixture
def stored(tmp_path):
    """Stores a study of six trials."""

    def store(part):
        searched(part, tmp_path / "own.db", 6)
        return tmp_path / "own.db"

    return store


@pytest.fixture
def unknown(stored, monkeypatch):
    """Stores one by classes whose module this program has not imported, and trips over an import of it."""

    def store(part):
        file = stored(part)
        monkeypatch.setitem(sys.modules, "own_parts", None)
        return file

    return store


@every_part
def test_study_of_an_own_class_goes_on_as_if_never_interrupted(part, stored, tmp_path):
    again = searched(part, stored(part), 12)
    assert again == searched(part, tmp_path / "whole.db", 12)


@every_part
def test_study_of_an_own_class_is_loaded_where_its_module_is_imported(part, stored):
    study = Study.load(stored(part))
    study.optimize(bowl, 8, progress=False)
    assert len(study.trials) == 8


@every_part
def test_study_of_an_own_class_verifies(part, stored):
    assert verify(stored(part)).holds


@every_part
def test_load_says_which_module_to_import(part, unknown):
    with pytest.raises(UnknownClassError, match=r"the class own_parts:\w+ is not rembo's: import own_parts before"):
        Study.load(unknown(part))


@every_part
def test_show_looks_at_an_unknown_class_without_importing_it(part, unknown, capsys):
    assert main(["show", str(unknown(part))]) == 0
    shown = capsys.readouterr().out
    assert "6 COMPLETE" in shown
    assert f"own_parts:{type_of(part)}" in shown


def type_of(part):
    names = {"kernel": "Rational", "embedding": "Halves", "acquisition": "Eager", "maximiser": "BestOfDraws"}
    return names.get(part, "Alternating")


@every_part
def test_json_of_show_and_exports_have_the_values_of_an_unknown_class(part, unknown, capsys, tmp_path):
    file = unknown(part)
    assert main(["show", "--json", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["best"]["value"] > 0.0
    assert main(["export", str(file), "-o", str(tmp_path / "out.csv")]) == 0
    assert (tmp_path / "out.csv").read_text().count("COMPLETE") == 6


@every_part
def test_dashboard_looks_at_an_unknown_class_without_importing_it(part, unknown):
    file = unknown(part)
    snapshot = Snapshots(Catalogue(file)).latest(Place(file.name, "own"))
    assert [trial.value is None for trial in snapshot.study.trials] == [False] * 6
    assert json.loads(snapshot.charts())["history"]["problem"] is None


@every_part
def test_report_of_an_unknown_class_names_it(part, unknown, tmp_path):
    assert main(["report", str(unknown(part)), "-o", str(tmp_path / "out.html")]) == 0
    assert f"own_parts:{type_of(part)}" in (tmp_path / "out.html").read_text()


def test_parameters_in_an_unknown_embedding_are_said_to_be_unknown(unknown, capsys):
    main(["show", str(unknown("embedding"))])
    assert "x: known where the class above is imported" in capsys.readouterr().out


def test_trial_in_an_unknown_embedding_says_what_to_import(unknown):
    trial = SQLite(unknown("embedding")).read("own").trials[0]
    assert (trial.readable, trial.value is None) == (False, False)
    with pytest.raises(UnknownClassError, match="the class own_parts:Halves is not rembo's: import own_parts"):
        np.asarray(trial.x)


def test_reading_a_file_imports_no_module_of_the_current_folder(stored, tmp_path):
    (tmp_path / "own_parts.py").write_text("raise SystemExit('imported')")
    file = stored("kernel")
    done = subprocess.run([sys.executable, "-m", "rembo", "show", str(file)], cwd=tmp_path, capture_output=True)
    assert (done.returncode, b"own_parts:Rational" in done.stdout) == (0, True)


def test_another_optimizer_is_refused_though_the_stored_one_is_unknown(unknown):
    with pytest.raises(StorageError, match=r"was begun with other settings.*Alternating"):
        Study(SPACE, storage=unknown("optimizer"), name="own")


@dataclass(frozen=True)
class Here:
    by: float = 0.0
    score = Eager.score


def local_class():
    @dataclass(frozen=True)
    class Inside(Here):
        pass

    return Inside()


def of_the_program(monkeypatch):
    monkeypatch.setattr(Here, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Here", Here, raising=False)
    return Here()


@pytest.mark.parametrize("make", [lambda patch: local_class(), of_the_program], ids=["local", "of the program"])
def test_class_that_cannot_be_found_again_is_refused_with_the_cure(make, monkeypatch, tmp_path):
    optimizer = BayesOpt(SPACE, acquisition=make(monkeypatch), seed=0)
    with pytest.raises(TypeError, match=r"no other program can find again: define it at the top level of a module"):
        Study(SPACE, optimizer=optimizer, storage=tmp_path / "study.db")


def test_class_of_the_program_is_taken_by_a_study_in_memory(monkeypatch):
    optimizer = BayesOpt(SPACE, acquisition=of_the_program(monkeypatch), seed=0)
    study = Study(SPACE, optimizer=optimizer)
    study.optimize(bowl, 4, progress=False)
    assert study.optimizer.settings == optimizer.settings


@pytest.mark.parametrize("name", ["os:system", "subprocess:Popen", "own_parts:np", "rembo.study.own_class:own_name"])
def test_file_makes_nothing_but_settings(name):
    with pytest.raises(ValueError, match="is no frozen dataclass or optimizer"):
        decode({"$type": name})


def test_own_class_has_this_form_for_ever():
    assert describe(own_parts.Eager(0.5), "part") == {"$type": "own_parts:Eager", "by": 0.5}
    assert describe(own_parts.BestOfDraws(7), "part") == {"$type": "own_parts:BestOfDraws", "draws": 7}


def test_attributes_of_a_trial_have_no_own_class_which_would_hide_the_study(tmp_path):
    with Study(SPACE, storage=tmp_path / "study.db", seed=0) as study:
        trial = study.ask()
        with pytest.raises(TypeError, match=r"user_attrs\.part is Eager\(by=0\.1\).*which no file of a study can hold"):
            study.tell(trial, 1.0, {"part": Eager()})


def test_part_without_settings_is_refused(tmp_path):
    optimizer = BayesOpt(SPACE, maximizer=lambda *given: None, seed=0)
    with pytest.raises(TypeError, match=r"settings\.maximizer is <function .*which no file of a study can hold"):
        Study(SPACE, optimizer=optimizer, storage=tmp_path / "study.db")


def test_class_that_its_module_has_no_longer_is_told_as_such(stored, monkeypatch):
    file = stored("kernel")
    monkeypatch.delattr(own_parts, "Rational")
    with pytest.raises(UnknownClassError, match="own_parts has it no longer: give it back its name there"):
        Study.load(file)


def test_module_is_not_asked_for_what_it_would_import(monkeypatch):
    monkeypatch.setattr(own_parts, "__getattr__", lambda name: pytest.fail(f"{name} is imported"), raising=False)
    with pytest.raises(UnknownClassError):
        decode({"$type": "own_parts:Later"})


def test_names_of_own_classes_are_found_however_deep_they_stand():
    deep = reduce(lambda inner, _: [inner], range(2000), {"$type": "mine:Deep"})
    assert own_classes(deep) == ["mine:Deep"]
