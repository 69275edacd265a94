"""Copies of a study's file: whole, also while it is written, or not there at all."""

import threading

import pytest
from study_searches import bowl, full_disk, random_study
from study_trials import all_facts, complete, header, trial

from rembo import Study, backup
from rembo.study import StorageError
from rembo.study.sqlite import SQLite


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


@pytest.fixture
def target(tmp_path):
    (tmp_path / "copies").mkdir()
    return tmp_path / "copies" / "copy.db"


def beside(path):
    return sorted(each.name for each in path.parent.iterdir())


def test_backup_holds_all_studies(path, target):
    for name in ("first", "second"):
        with SQLite(path).begin(header(name)) as record:
            record.add(complete(0))
    backup(path, target)
    assert SQLite(target).names() == ["first", "second"]
    assert all_facts(SQLite(target).read("second").trials) == all_facts([complete(0)])


def test_backup_is_one_file(path, target):
    SQLite(path).begin(header()).close()
    backup(path, target)
    assert beside(target) == ["copy.db"]


def test_backup_of_a_study_that_is_written_holds_what_is_still_in_the_log(path, target):
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
        backup(path, target)
        record.add(trial(1))
    assert all_facts(SQLite(target).read("tuning").trials) == all_facts([trial(0)])


@pytest.mark.parametrize("attempt", range(5))
def test_backup_while_trials_are_written_is_a_study_that_goes_on(path, target, attempt):
    with random_study(storage=path) as study:
        study.optimize(bowl, 5)
        writing = threading.Thread(target=study.optimize, args=(bowl, 50), kwargs={"progress": False})
        writing.start()
        backup(path, target)
        writing.join()
    with random_study(storage=target) as copy:
        assert 5 <= len(copy.trials) <= 50
        copy.optimize(bowl, 50)
        assert [trial.value for trial in copy.trials] == [trial.value for trial in Study.load(path).trials]


def test_backup_is_as_private_as_its_source(path, target):
    SQLite(path).begin(header()).close()
    path.chmod(0o640)
    backup(path, target)
    assert target.stat().st_mode & 0o777 == 0o640


def test_backup_refuses_to_overwrite(path, target):
    SQLite(path).begin(header()).close()
    target.write_text("mine")
    with pytest.raises(StorageError, match=r"copy\.db is there already: give another path, or remove it first"):
        backup(path, target)
    assert target.read_text() == "mine"


def test_backup_over_its_source_is_refused(path):
    SQLite(path).begin(header()).close()
    with pytest.raises(StorageError, match="is there already"):
        backup(path, path)
    assert SQLite(path).names() == ["tuning"]


def test_backup_of_a_missing_file_makes_nothing(path, target):
    with pytest.raises(StorageError, match="does not exist: check the path"):
        backup(path, target)
    assert (path.exists(), beside(target)) == (False, [])


@pytest.mark.parametrize("content", [b"", b"no database" * 100])
def test_backup_of_what_is_no_study_makes_nothing(path, target, content):
    path.write_bytes(content)
    with pytest.raises(StorageError, match=str(path)):
        backup(path, target)
    assert beside(target) == []


def test_backup_to_a_folder_that_is_not_there_is_refused(path, tmp_path):
    SQLite(path).begin(header()).close()
    with pytest.raises(StorageError, match=r"the folder .*nowhere does not exist: make it first"):
        backup(path, tmp_path / "nowhere" / "copy.db")


def test_backup_that_does_not_fit_leaves_nothing(path, target):
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
    with full_disk(8192), pytest.raises(StorageError, match=r"copy\.db: the disk"):
        backup(path, target)
    assert beside(target) == []


@pytest.mark.parametrize("ends", [(None, "copy.db"), ("tune.db", None)])
def test_backup_of_memory_is_refused(ends):
    with pytest.raises(TypeError, match="source and target must be paths of files, not None"):
        backup(*ends)
