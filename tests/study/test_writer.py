"""The writer of a study: nobody overwrites what another has written, whatever becomes of the lock and of the file."""

import errno
import itertools
import os
import shutil
import socket
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from study_searches import BOX, bowl, full_disk, random_study
from study_trials import all_facts, complete, header, trial

from rembo.optimizer import RandomSearch
from rembo.study import StorageError, Study, sqlite
from rembo.study.database import connect
from rembo.study.isolation import isolated
from rembo.study.lock import Lock
from rembo.study.open_files import has_open
from rembo.study.sqlite import SQLite
from rembo.study.writer import Writer


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


@pytest.fixture
def machines(monkeypatch, tmp_path_factory):
    """Each writer is on a machine of its own, in a shared folder: only the lock file tells."""
    folder, number = tmp_path_factory.mktemp("machines"), itertools.count()
    monkeypatch.setattr(Lock, "take_file", lambda path, part: Lock.take(folder / f"{next(number)}"))


@pytest.fixture
def taken_over(path, machines):
    """A record whose lock file was removed, and that of the writer that came then."""
    with SQLite(path).begin(header()) as first:
        first.add(trial(0))
        (path.parent / "tune.db-1.lock").unlink()
        with SQLite(path).begin(header()) as second:
            yield first, second


def beside(path):
    return sorted(each.name for each in path.parent.iterdir())


# Who is the writer


@pytest.mark.parametrize("name", ["link.db", "here/../tune.db", "here/link.db"])
def test_every_path_to_a_file_leads_to_one_writer(path, name):
    (path.parent / "here").mkdir()
    (path.parent / "link.db").symlink_to("tune.db")
    (path.parent / "here" / "link.db").symlink_to("../link.db")
    with SQLite(path).begin(header()), pytest.raises(StorageError, match="is being written"):
        SQLite(path.parent / name).begin(header())


def test_relative_path_leads_to_the_same_writer(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    with SQLite("tune.db").begin(header()), pytest.raises(StorageError, match="is being written"):
        SQLite(path).begin(header())


def test_study_that_is_written_is_read_through_a_link_as_it_is_now(path):
    (path.parent / "link.db").symlink_to(path)
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
        assert all_facts(SQLite(path.parent / "link.db").read("tuning").trials) == all_facts([trial(0)])


def test_fork_of_a_writer_does_not_write(path):
    study = random_study(storage=path)
    trial = study.ask()

    def refusal():
        with pytest.raises(StorageError) as caught:
            study.tell(trial, 2.0)
        return str(caught.value)

    assert f"is being written by process {os.getpid()}, of which this one is a fork" in isolated(refusal)
    study.tell(trial, 1.0)
    assert Study.load(path).best_value == 1.0


@pytest.mark.parametrize("name", ["tune.db", "other.db"])
def test_file_with_two_names_is_not_written(path, name):
    SQLite(path).begin(header()).close()
    os.link(path, path.parent / "other.db")
    with pytest.raises(StorageError, match=r"has 2 names \(hard links\).*: remove the others"):
        SQLite(path.parent / name).begin(header())


def test_file_with_two_names_is_read(path):
    SQLite(path).begin(header()).close()
    os.link(path, path.parent / "other.db")
    assert SQLite(path.parent / "other.db").names() == ["tuning"]


linux = pytest.mark.skipif(sys.platform != "linux", reason="only there a file is locked under all its names")


@linux
def test_file_that_was_renamed_is_not_written_by_its_new_name(path):
    with SQLite(path).begin(header()) as first:
        there = path.rename(path.with_name("new.db"))
        with pytest.raises(StorageError, match=r"is being written by another Study of this process"):
            SQLite(there).begin(header())
        there.rename(path)
        first.add(trial(0))
    assert all_facts(SQLite(path).read("tuning").trials) == all_facts([trial(0)])


@linux
def test_process_that_writes_a_renamed_file_is_named(path):
    def refusal():
        with pytest.raises(StorageError) as caught:
            SQLite(path.with_name("new.db")).begin(header())
        return str(caught.value)

    with SQLite(path).begin(header()):
        path.rename(path.with_name("new.db"))
        assert f"is being written by process {os.getpid()}:" in isolated(refusal)
        path.with_name("new.db").rename(path)


@linux
def test_study_is_written_where_a_sandbox_has_no_such_sockets(path, monkeypatch):
    def refused(*arguments):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(socket, "socket", refused)
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
    assert SQLite(path).names() == ["tuning"]


@linux
def test_removed_lock_file_lets_no_second_writer_in(path):
    with SQLite(path).begin(header()):
        (path.parent / "tune.db-1.lock").unlink()
        with pytest.raises(StorageError, match="is being written"):
            SQLite(path).begin(header())
    SQLite(path).begin(header()).close()
    assert beside(path) == ["tune.db"]


# A lock file that somebody removes in a folder that machines share


@pytest.mark.parametrize("write", [lambda record: record.add(trial(1)), lambda record: record.update(complete(0, 9.0))])
def test_writer_that_was_taken_over_writes_nothing(path, taken_over, write):
    first, second = taken_over
    second.update(complete(0))
    with pytest.raises(StorageError, match=f"{path}: another process has taken over study 'tuning': nothing.*anew"):
        write(first)
    assert all_facts(second.trials()) == all_facts([complete(0)])


def test_writer_that_took_over_goes_on_after_the_first_has_closed(taken_over):
    first, second = taken_over
    first.close()
    second.add(trial(1))
    assert [each.number for each in second.trials()] == [0, 1]


def test_first_writer_leaves_the_lock_of_the_second_alone(path, taken_over):
    taken_over[0].close()
    assert "tune.db-1.lock" in beside(path)


def test_finished_trials_of_both_writers_stay_what_they_were(path, machines):
    one, other = random_study(storage=path), random_study(storage=path)
    asked = one.ask()
    (path.parent / "tune.db-1.lock").unlink()
    other.optimize(bowl, 3)
    stored = [trial.value for trial in other.trials]
    with pytest.raises(StorageError, match="another process has taken over study 'study'"):
        one.tell(asked, -100.0)
    assert [trial.value for trial in Study.load(path).trials] == stored


def test_study_that_was_taken_over_must_be_opened_anew(path, machines):
    one, other = random_study(storage=path), random_study(storage=path)
    asked = one.ask()
    (path.parent / "tune.db-1.lock").unlink()
    other.optimize(bowl, 3)
    with pytest.raises(StorageError, match="has taken over"):
        one.tell(asked, 1.0)
    with pytest.raises(StorageError, match="has taken over"):
        one.close()
    with pytest.raises(StorageError, match=r"was continued by another process.*Open the study anew"):
        one.optimize(bowl, 5)
    with pytest.raises(StorageError, match="was continued by another process"):
        one.close()
    assert random_study(storage=path).optimize(bowl, 5).name == "COMPLETED"


def test_results_that_a_full_disk_refused_are_written_by_the_same_study(path):
    study = random_study(storage=path)
    trial = study.ask()
    with full_disk(), pytest.raises(StorageError, match="the disk"):
        study.tell(trial, 1.0)
    with full_disk(), pytest.raises(StorageError, match="the disk"):
        study.close()
    assert study.optimize(bowl, 3).name == "COMPLETED"
    assert Study.load(path).trials[0].value == 1.0


def test_close_writes_what_a_full_disk_refused_before(path):
    study = random_study(storage=path)
    trial = study.ask()
    with full_disk(), pytest.raises(StorageError, match="the disk"):
        study.tell(trial, 1.0)
    with full_disk(), pytest.raises(StorageError, match="the disk"):
        study.close()
    study.close()
    assert Study.load(path).trials[0].value == 1.0


# A file that somebody removes, renames or replaces


@pytest.fixture
def written(path):
    """A record that has stored a trial."""
    record = SQLite(path).begin(header())
    record.add(trial(0))
    yield record
    with suppress(StorageError):
        record.close()


def test_file_that_was_removed_is_noticed_at_the_next_write(path, written):
    path.unlink()
    with pytest.raises(StorageError, match=f"{path}: the file was removed or renamed while study 'tuning' was written"):
        written.add(trial(1))


def test_file_that_was_removed_is_said_to_be_lost(path, written):
    path.unlink()
    with pytest.raises(StorageError, match="what it held is lost: restore a copy, or save its trials"):
        written.add(trial(1))


def test_file_that_was_renamed_is_named(path, written):
    there = path.rename(path.with_name("old.db"))
    with pytest.raises(StorageError, match=f"it is now at {there}, with all that was stored before: move it back"):
        written.add(trial(1))


def test_file_that_was_renamed_has_all_that_was_stored(path, written):
    there = path.rename(path.with_name("old.db"))
    with pytest.raises(StorageError):
        written.add(trial(1))
    copied = shutil.copy(there, path.with_name("copied.db"))
    assert all_facts(SQLite(copied).read("tuning").trials) == all_facts([trial(0)])


def test_file_that_was_renamed_after_the_last_write_is_noticed_when_it_is_closed(path, written):
    there = path.rename(path.with_name("old.db"))
    with pytest.raises(StorageError, match=f"it is now at {there}, with all that was stored before"):
        written.close()
    written.close()
    copied = shutil.copy(there, path.with_name("copied.db"))
    assert all_facts(SQLite(copied).read("tuning").trials) == all_facts([trial(0)])


def test_file_that_was_renamed_is_not_begun_again_beside_its_log(path, written):
    there = path.rename(path.with_name("old.db"))
    with pytest.raises(
        StorageError, match=r"is not there, but its log tune\.db-wal is.*Move it back, or remove the log"
    ):
        SQLite(path).begin(header("other"))
    there.rename(path)
    written.add(trial(1))
    assert all_facts(SQLite(path).read("tuning").trials) == all_facts([trial(0), trial(1)])


def test_file_that_is_moved_back_is_written_on(path, written):
    there = path.rename(path.with_name("old.db"))
    with pytest.raises(StorageError):
        written.add(trial(1))
    there.rename(path)
    written.add(trial(1))
    assert all_facts(SQLite(path).read("tuning").trials) == all_facts([trial(0), trial(1)])


@pytest.mark.parametrize("use", [lambda study: study.optimize(bowl, 5), Study.ask], ids=["optimize", "ask"])
def test_file_that_was_removed_between_two_writes_is_not_begun_again(path, use):
    study = random_study(storage=path)
    study.optimize(bowl, 3)
    path.unlink()
    with pytest.raises(StorageError, match=f"{path} is no longer there, and study 'study' with it: move it back"):
        use(study)
    assert beside(path) == []


def test_file_that_was_replaced_between_two_writes_is_left_alone(path):
    study = random_study(storage=path)
    study.optimize(bowl, 3)
    path.unlink()
    SQLite(path).begin(header("other")).close()
    with pytest.raises(StorageError, match="has no study named 'study': it has 'other'"):
        study.optimize(bowl, 5)
    assert SQLite(path).names() == ["other"]


def test_file_that_was_replaced_is_noticed_and_the_new_one_left_alone(path, written):
    other = SQLite(path.with_name("other.db"))
    other.begin(header("other")).close()
    path.rename(path.with_name("old.db"))
    other.path.rename(path)
    before = path.read_bytes()
    with pytest.raises(StorageError, match=r"the file was replaced while.*it is now at .*old\.db, without what was"):
        written.add(trial(1))
    assert path.read_bytes() == before


def test_file_that_is_renamed_in_the_moment_of_closing_has_all_that_was_stored(path, written, monkeypatch):
    check, there = Writer.check_file, path.with_name("old.db")

    def checked_just_before(writer):
        check(writer)
        path.rename(there)

    monkeypatch.setattr(Writer, "check_file", checked_just_before)
    written.close()
    copied = shutil.copy(there, path.with_name("copied.db"))
    assert all_facts(SQLite(copied).read("tuning").trials) == all_facts([trial(0)])


def test_writer_leaves_an_empty_log_to_a_reader(path, written):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
        reader.execute("SELECT * FROM study").fetchall()
        written.close()
        assert Path(f"{path}-wal").stat().st_size == 0


@linux
@pytest.mark.parametrize("comes", [None, "other.db"])
def test_file_that_is_gone_before_it_is_locked_is_not_written(path, comes, monkeypatch):
    for each in (path, path.with_name("other.db")):
        SQLite(each).begin(header()).close()

    def opened_just_before(*arguments):
        connection = connect(*arguments)
        path.rename(path.with_name("old.db"))
        if comes:
            path.with_name(comes).rename(path)
        return connection

    monkeypatch.setattr(sqlite, "connect", opened_just_before)
    with pytest.raises(StorageError, match="was removed, renamed or replaced while it was opened: see where it is"):
        SQLite(path).begin(header())


@linux
def test_file_that_is_gone_is_not_open(path):
    with open(path, "w"):
        assert has_open(path)
        path.unlink()
        assert not has_open(path)  # nor is it for the pipes of this process, which are at no path, either


def test_study_that_is_loaded_is_not_begun_again_where_its_file_has_just_gone(path, monkeypatch):
    random_study(storage=path).optimize(bowl, 1)
    monkeypatch.setattr(SQLite, "enter", None)
    assert len(Study.load(path).trials) == 1


def test_folder_that_was_renamed_is_named(tmp_path):
    (tmp_path / "here").mkdir()
    with SQLite(tmp_path / "here" / "tune.db").begin(header()) as record:
        (tmp_path / "here").rename(tmp_path / "there")
        with pytest.raises(StorageError, match=f"it is now at {tmp_path}/there/tune.db"):
            record.add(trial(0))
        (tmp_path / "there").rename(tmp_path / "here")
        record.add(trial(0))


def test_log_that_was_removed_is_noticed_and_costs_nothing(path, written):
    Path(f"{path}-wal").unlink()
    with pytest.raises(StorageError, match=r"its log .*tune\.db-wal was removed while.*close the study"):
        written.add(trial(1))
    written.close()
    assert all_facts(SQLite(path).read("tuning").trials) == all_facts([trial(0)])


def test_search_goes_on_when_its_file_is_moved_back(path):
    study = Study(BOX, optimizer=RandomSearch(BOX, seed=0), storage=path)

    def moving(x):
        if len(study.trials) == 3:
            path.rename(path.with_name("old.db"))
        return bowl(x)

    with pytest.raises(StorageError, match="it is now at"):
        study.optimize(moving, 5)
    path.with_name("old.db").rename(path)
    study.optimize(bowl, 5)
    assert [trial.state.name for trial in Study.load(path).trials] == ["COMPLETE"] * 5
