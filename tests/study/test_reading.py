"""Reading and writing at the same time: neither waits for the other, and reading changes nothing that is stored.

Nobody here has any patience: whoever would have to wait for a lock fails at once.
"""

import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from study_searches import bowl, random_study
from study_trials import all_facts, complete, header, trial

from rembo.study import Study, backup, database, verify
from rembo.study.sqlite import SQLite

READERS = {
    "names": lambda path: SQLite(path).names(),
    "read": lambda path: len(SQLite(path).read("study").trials),
    "overviews": lambda path: len(SQLite(path).overviews()),
    "load": lambda path: Study.load(path).best_value,
    "verify": lambda path: verify(path).followed,
    "backup": lambda path: backup(path, path.with_name("copy.db")),
}


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.0)


@pytest.fixture
def path(tmp_path):
    """A file with a study of five trials."""
    with random_study(storage=tmp_path / "tune.db") as study:
        study.optimize(bowl, 5)
    return tmp_path / "tune.db"


@contextmanager
def long_read(path):
    """A read that has begun, and ends with the context; gives what counts the trials that it sees."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        yield (count := lambda: connection.execute("SELECT count(*) FROM trial").fetchone()[0])
        count()


@contextmanager
def half_a_write(path):
    """A writer in the middle of a transaction, which it gives up at the end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM trial")
        yield
        connection.execute("ROLLBACK")


def test_fifty_trials_are_written_during_a_long_read(path):
    with long_read(path) as count:
        before = count()
        with random_study(storage=path) as study:
            assert study.optimize(bowl, 55).name == "COMPLETED"
        assert (before, count(), len(Study.load(path).trials)) == (5, 5, 55)


def test_long_read_that_begins_while_a_study_is_written_does_not_stop_it(path):
    with random_study(storage=path).hold() as study, long_read(path) as count:
        before = count()
        study.optimize(bowl, 55)
        assert (before, count(), len(study.trials)) == (5, 5, 55)


@pytest.mark.parametrize("use", READERS.values(), ids=READERS)
def test_reader_that_comes_in_the_middle_of_a_write_sees_what_was_there_before(path, use):
    expected = use(path)
    path.with_name("copy.db").unlink(missing_ok=True)
    with half_a_write(path):
        assert use(path) == expected


@pytest.mark.parametrize("use", READERS.values(), ids=READERS)
def test_reader_that_comes_during_a_long_read_does_not_wait(path, use):
    with random_study(storage=path).hold() as study, long_read(path):
        study.optimize(bowl, 10)
        use(path)
        assert study.optimize(bowl, 15).name == "COMPLETED"


CRASH = """
import os, sys
from study_trials import complete, header
from rembo.study.sqlite import SQLite
SQLite(sys.argv[1]).begin(header()).add(complete(0))
os._exit(0)
"""


@pytest.fixture
def crashed(tmp_path):
    """A file whose writer has died, so that its log is still there."""
    path = tmp_path / "crashed.db"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{CRASH}", path]
    subprocess.run(command, check=True, timeout=60)
    return path


def test_reading_after_a_crash_leaves_the_file_and_its_log_as_they_were(crashed):
    def stored():
        return [(each.read_bytes(), each.stat().st_mtime_ns) for each in (crashed, Path(f"{crashed}-wal"))]

    before = stored()
    assert all_facts(SQLite(crashed).read("tuning").trials) == all_facts([complete(0)])
    assert stored() == before


def test_backup_after_a_crash_has_what_is_still_in_the_log(crashed):
    backup(crashed, crashed.with_name("copy.db"))
    assert all_facts(SQLite(crashed.with_name("copy.db")).read("tuning").trials) == all_facts([complete(0)])


def test_writer_goes_on_after_a_crash_while_it_is_read(crashed):
    with long_read(crashed), SQLite(crashed).begin(header()) as record:
        record.add(trial(1))
        assert [each.number for each in SQLite(crashed).read("tuning").trials] == [0, 1]
