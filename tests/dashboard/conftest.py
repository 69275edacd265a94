"""Studies to look at: one of the default optimizer that knows failures, and one whose every word is hostile."""

import pytest
from dashboard_client import SCRIPT, serving

from rembo import Bool, Box, Categorical, Float, RandomSearch, Space
from rembo.dashboard.catalogue import Place
from rembo.study import Study


def half_fails(x):
    if x[3] < 0.0:
        raise ValueError("no value here")
    return (x[3] - 0.4) ** 2


@pytest.fixture(scope="session")
def studies(tmp_path_factory):
    """A folder with a file of two studies, which no test changes."""
    path = tmp_path_factory.mktemp("studies") / "tune.db"
    with Study(Box(20), storage=path, name="bowl", seed=0) as study:
        study.optimize(half_fails, n_trials=20, progress=False)
    space = Space({SCRIPT: Float(0.0, 1.0), "{%b}": Float(0.0, 1.0)})
    random = RandomSearch(space, seed=0)
    with Study(space, optimizer=random, storage=path, name=SCRIPT, direction="maximize") as study:
        study.fail(study.ask(), f"Traceback ...\nValueError: {SCRIPT}")
        study.optimize(lambda x: x[SCRIPT], n_trials=120, progress=False)
    return path.parent


def made_flags(path, name, count, seed=0):
    """A study of so many flags and one rate, told of its default and of eleven other configurations."""
    parameters = {"rate": Float(0.0, 1.0), "kind": Categorical(["a", "b", "c"])}
    parameters |= {f"flag{number}": Bool() for number in range(count - 2)}
    default = {name: {"rate": 0.5, "kind": "b"}.get(name, False) for name in parameters}
    space = Space(parameters, default=default)
    with Study(space, optimizer=RandomSearch(space, seed=seed), storage=path, name=name) as study:
        study.tell(study.adopt(default), 100.0)
        study.tell(study.adopt({**default, "kind": "c", "flag7": True}), 75.0)
        study.fail(study.adopt({**default, "rate": 0.25}), "Traceback ...\nValueError: too slow")
        for step in range(9):
            study.tell(study.adopt({**default, "rate": step / 16}), 101.0 + step)


@pytest.fixture(scope="session")
def flags_folder(tmp_path_factory):
    """Two files, the first with a study of 183 parameters and one of 1000."""
    folder = tmp_path_factory.mktemp("flags")
    made_flags(folder / "a.db", "flags", 183)
    made_flags(folder / "a.db", "thousand", 1000)
    made_flags(folder / "b.db", "flags", 12, seed=1)
    return folder


@pytest.fixture(scope="session")
def flags(flags_folder):
    with serving(flags_folder) as made:
        yield made


@pytest.fixture(scope="session")
def bowl():
    return Place("tune.db", "bowl")


@pytest.fixture(scope="session")
def hostile():
    return Place("tune.db", SCRIPT)


@pytest.fixture(scope="session")
def client(studies):
    with serving(studies) as made:
        yield made
