"""Studies with classes that the server has not imported: their pages show all that does not need them."""

import sys
from importlib import import_module

import pytest
from dashboard_client import serving

from rembo import BayesOpt, Bool, Float, Rembo, Space
from rembo.study import Study

MINE = """
from dataclasses import dataclass

import rembo


@dataclass(frozen=True)
class Mine(rembo.HashEmbedding):
    pass


@dataclass(frozen=True)
class Rough(rembo.Matern32):
    pass
"""
SPACE = Space({"rate": Float(0, 1), "flag": Bool()}, default={"rate": 0.25})
ADDRESSES = ["study", "study?column=rate&sort=p.rate&low.rate=0.5", "charts", "trial?number=2", "belief"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two studies by classes of a module that is then forgotten, and cannot be imported."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    mine = import_module("mine")
    searches = {
        "embedding": Rembo(SPACE, 2, embedding=mine.Mine, seed=0),
        "kernel": BayesOpt(SPACE, kernel=mine.Rough()),
    }
    for name, optimizer in searches.items():
        with Study(SPACE, optimizer=optimizer, storage=tmp_path / "own.db", name=name) as study:
            study.optimize(lambda x: x["rate"], 6, progress=False)
    monkeypatch.setitem(sys.modules, "mine", None)
    return tmp_path


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("name", ["embedding", "kernel"])
def test_page_of_an_unknown_class_is_shown(name, address, folder):
    joint = "&" if "?" in address else "?"
    with serving(folder) as client:
        assert client.get(f"/{address}{joint}file=own.db&name={name}").status == 200


@pytest.mark.parametrize(("name", "unknown"), [("embedding", "mine:Mine"), ("kernel", "mine:Rough")])
def test_charts_of_an_unknown_model_name_the_class(name, unknown, folder):
    with serving(folder) as client:
        assert f"the class {unknown} is not rembo's" in client.get(f"/belief?file=own.db&name={name}").text
