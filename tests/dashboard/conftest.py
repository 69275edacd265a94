"""Studies to look at: one of the default optimizer that knows failures, and one whose every word is hostile."""

import pytest
from dashboard_client import SCRIPT, serving

from rembo import Box, Float, RandomSearch, Space
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
