"""Snapshots: what is kept of a study equals what its file holds, and is read again only where it changed."""

import os

import pytest

from rembo import Box, RandomSearch
from rembo.dashboard import snapshots
from rembo.dashboard.catalogue import Catalogue, Place, UnknownPlaceError
from rembo.dashboard.snapshots import Snapshots
from rembo.study import Study
from rembo.study.sqlite import SQLite

PLACE = Place("tune.db", "mine")


def begin(path, name="mine"):
    return Study(Box(5), optimizer=RandomSearch(Box(5), seed=0), storage=path, name=name)


def settle(path):
    """Make a file look as if it had not changed for a while."""
    for file in path.parent.glob("tune.db*"):
        os.utime(file, (1.0, 1.0))


def story(study):
    return [(trial.number, trial.state, trial.value, trial.told, trial.point) for trial in study.trials]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


@pytest.fixture
def kept(path):
    return Snapshots(Catalogue(path.parent))


def test_a_snapshot_follows_a_study_while_it_is_written(path, kept):
    with begin(path) as study:
        first, second = study.ask(), study.ask()
        study.tell(second, 2.0)
        kept.latest(PLACE)
        study.tell(first, 1.0)
        study.ask()
        assert story(kept.latest(PLACE).study) == story(SQLite(path).read("mine"))


def test_a_study_that_did_not_change_is_not_read_again(path, kept):
    begin(path).close()
    settle(path)
    assert kept.latest(PLACE) is kept.latest(PLACE)


def test_a_file_that_changed_a_moment_ago_is_read_again(path, kept):
    begin(path).close()
    assert kept.latest(PLACE) is not kept.latest(PLACE)


def test_a_study_that_was_begun_again_has_none_of_its_old_trials(path, kept):
    with begin(path) as study:
        study.optimize(lambda x: x[0], n_trials=3, progress=False)
    kept.latest(PLACE)
    path.unlink()
    begin(path).close()
    assert kept.latest(PLACE).study.trials == []


def test_a_study_that_is_not_in_its_file_is_unknown(path, kept):
    begin(path).close()
    with pytest.raises(UnknownPlaceError, match=r"There is no study 'absent' in tune\.db"):
        kept.latest(Place("tune.db", "absent"))


def test_studies_beyond_what_memory_may_hold_are_forgotten(path, kept, monkeypatch):
    monkeypatch.setattr(snapshots, "MOST_TRIALS", 1)
    with begin(path) as study, begin(path, "other") as other:
        study.ask(), other.ask()
    settle(path)
    first = kept.latest(PLACE)
    kept.latest(Place("tune.db", "other"))
    assert kept.latest(PLACE) is not first


def test_looking_at_a_study_changes_no_file(path, kept):
    with begin(path) as study:
        study.ask()
    before = sorted((file.name, file.stat().st_mtime_ns) for file in path.parent.iterdir())
    kept.latest(PLACE)
    assert sorted((file.name, file.stat().st_mtime_ns) for file in path.parent.iterdir()) == before
