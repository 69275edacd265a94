"""Packages that are not always there: one table of versions, one wording that works wherever rembo came from."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from rembo.extras import REQUIREMENTS, absent

ROOT = Path(__file__).parent.parent
PLACES = ("*.md", "docs/**/*.md", *(f"{folder}/**/*.py" for folder in ("src", "examples", "benchmarks", "experiments")))
# What only experiments need, and ask for themselves.
EXPERIMENTS = {"coco-experiment>=2.8", "ioh>=0.3.22", "pyscipopt>=6", "gymnasium[mujoco]>=1.0"}
# rembo itself, from a clone; a package of which any version will do; what experiments need, two of them in no extra
ELSEWHERE = {".", "cloudpickle", *EXPERIMENTS, "--pre", "lasso-bench-fork-leoiv", "baxus"}


def extras():
    """The requirements of all extras but those that only tests need."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return {each for name, needed in listed.items() if name != "dev" for each in needed if not each.startswith("rembo")}


def commands():
    """Every command of our texts that installs something: its file, and what it installs."""
    files = [file for place in PLACES for file in sorted(ROOT.glob(place))]
    found = [(file, end) for file in files for end in re.findall(r"pip install ([^`\"#)\n]+)", file.read_text())]
    return [(file.name, shlex.split(end.rstrip(" ."))) for file, end in found]


def test_versions_are_those_of_the_extras():
    assert {*REQUIREMENTS.values(), *EXPERIMENTS} == extras()


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_requirement_is_listed_under_its_own_name(name):
    assert re.split(r"[\[>]", REQUIREMENTS[name])[0] == name


def test_every_command_names_packages_and_no_extra():
    known = {*REQUIREMENTS.values(), *ELSEWHERE}
    assert [(file, names) for file, names in commands() if not known.issuperset(names)] == []


def test_commands_are_found():
    assert ("plots.md", ["plotly>=6"]) in commands()


def test_package_that_is_missing_is_named_with_its_version():
    error = absent("a table needs pandas", "pandas")
    assert isinstance(error, ModuleNotFoundError)
    assert str(error) == "a table needs pandas: pip install 'pandas>=2'"
