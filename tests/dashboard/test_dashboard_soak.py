"""A page that is open and asks again and again does nothing to the study that is being written."""

import threading

import pytest
from dashboard_client import serving

from rembo import Box, RandomSearch
from rembo.study import Study
from rembo.study.sqlite import SQLite

N_TRIALS = 300
BOX = Box(20)


def bowl(x):
    return (x[3] - 0.4) ** 2 + x[17] ** 2


def story(trials):
    return [(trial.number, trial.point, trial.value, trial.asked, trial.told) for trial in trials]


@pytest.fixture
def polled(tmp_path):
    """What a study has found beside which a page was asked for all the time, and the answers."""
    answers, over = [], threading.Event()
    with (
        serving(tmp_path) as client,
        Study(BOX, optimizer=RandomSearch(BOX, seed=0), storage=tmp_path / "tune.db", name="mine") as study,
    ):

        def poll():
            while not over.is_set():
                answers.extend(client.get(f"/{page}?file=tune.db&name=mine").status for page in ("study", "charts"))

        asking = threading.Thread(target=poll)
        asking.start()
        study.optimize(bowl, N_TRIALS, progress=False)
        over.set()
        asking.join()
    return SQLite(tmp_path / "tune.db").read("mine").trials, answers


def test_a_study_beside_which_a_page_is_open_finds_what_it_finds_alone(polled):
    alone = Study(BOX, optimizer=RandomSearch(BOX, seed=0))
    alone.optimize(bowl, N_TRIALS, progress=False)
    trials, answers = polled
    assert story(trials) == story(alone.trials)
    assert set(answers) == {200}
