"""Studies in a file: what survives, what is refused, and with which words; each with the real thing."""

import os
import random
import re
import runpy
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from study_trials import FOREST, all_facts, complete, header, of_all_kinds, trial

from rembo import Point
from rembo.baselines.si_bo import OrthonormalEmbedding
from rembo.study.codec import encode
from rembo.study.database import checksum_of
from rembo.study.environment import environment
from rembo.study.rows import STUDY
from rembo.study.sqlite import SQLite
from rembo.study.storage import StorageError, WrittenIn

GOLDEN = Path(__file__).parent.parent / "golden"
ROOT = os.geteuid() == 0
NOBODY = 65534


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


@pytest.fixture
def stored(path):
    """A file with a study of several trials, some of them in a forest."""
    in_forest = [trial(number, embedding=FOREST, run=1) for number in range(6, 40)]
    with SQLite(path).begin(header()) as record:
        for each in [*of_all_kinds(), *in_forest]:
            record.add(each)
    return path


@pytest.fixture
def folder():
    """A folder that ordinary users can enter."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@contextmanager
def as_an_ordinary_user():
    """For whom the modes of files and folders count, even if root runs the tests."""
    os.seteuid(NOBODY if ROOT else os.getuid())
    yield
    os.seteuid(os.getuid())


def lay_out(files, folder, mode):
    """Copies of the files, all with this mode, in a folder that cannot be written; the first of them."""
    copies = [Path(shutil.copy(each, folder)) for each in files]
    for copy in copies:
        copy.chmod(mode)
    folder.chmod(0o555)
    return copies[0]


def sql(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return [connection.execute(statement).fetchall() for statement in statements][-1]


def child(program, *arguments):
    """Another process, which has what it needs to write trials."""
    start = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from study_trials import *
from rembo.study.sqlite import SQLite
from rembo.study.storage import StorageError
"""
    command = [sys.executable, "-c", start + program, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def outcome(path):
    """What reading says: the trials, or that it cannot be read."""
    try:
        return all_facts(SQLite(path).read("tuning").trials)
    except StorageError:
        return "refused"


# What is in the file


def test_file_bears_our_mark_and_the_format(stored):
    assert sql(stored, "PRAGMA application_id") == [(0x52656D62,)]
    assert sql(stored, "PRAGMA user_version") == [(1,)]


def test_closed_file_has_neither_a_log_nor_a_lock_beside_it(stored):
    assert [each.name for each in stored.parent.iterdir()] == ["tune.db"]


def test_embedding_is_stored_once(stored):
    assert sql(stored, "SELECT count(*) FROM embedding") == [(2,)]


def test_embedding_is_not_stored_again_when_a_study_goes_on(stored):
    with SQLite(stored).begin(header()) as record:
        record.add(trial(99, embedding=FOREST))
    assert sql(stored, "SELECT count(*) FROM embedding") == [(2,)]


def test_embeddings_of_runs_in_turn_are_stored_once_each(path):
    with SQLite(path).begin(header()) as record:
        for number in range(6):
            record.add(trial(number, embedding=FOREST if number % 2 else None, run=number % 3))
    assert sql(path, "SELECT count(*) FROM embedding") == [(2,)]


def test_embeddings_of_an_unhashable_kind_are_stored(path):
    A = np.linspace(0.0, 1.0, 8).reshape(4, 2)
    with SQLite(path).begin(header()) as record:
        record.add(replace(trial(0), point=Point(OrthonormalEmbedding(A), [0.5, 1.0])))
        record.add(replace(trial(1), point=Point(OrthonormalEmbedding(A + 1.0), [0.5, 1.0])))
    assert SQLite(path).read("tuning").trials[1].point.embedding == OrthonormalEmbedding(A + 1.0)


def test_trial_in_a_billion_dimensions_takes_less_than_a_kilobyte(path):
    with SQLite(path).begin(header()) as record:
        for number in range(400):
            record.add(complete(number, embedding=FOREST))
    assert path.stat().st_size < 400 * 1000


def test_point_outside_the_box_stays_there(path):
    outside = Point(FOREST, np.full(4, 3.0), projected=False)
    with SQLite(path).begin(header()) as record:
        record.add(trial(0, embedding=FOREST))
        record.add(replace(trial(1), point=outside))
    assert SQLite(path).read("tuning").trials[1].point == outside


def test_text_that_is_no_unicode_is_stored_legibly(path):
    with SQLite(path).begin(header()) as record:
        record.add(trial(0, error="no file \udcff", worker="\udc80"))
        (read,) = record.trials()
    assert (read.error, read.worker) == ("no file \\udcff", "\\udc80")


def test_attribute_that_cannot_be_stored_is_named(path):
    with (
        SQLite(path).begin(header()) as record,
        pytest.raises(TypeError, match=r"user_attrs\.model is <.*which no file"),
    ):
        record.add(trial(0, user_attrs={"model": object()}))


def test_value_that_is_no_number_is_refused(path):
    with SQLite(path).begin(header()) as record:
        with pytest.raises(StorageError, match="one that is complete needs a value that is a number"):
            record.add(complete(0, float("nan")))
        assert record.trials() == []


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """The golden file in a folder of its own, and what it must hold."""
    copy = tmp_path_factory.mktemp("golden") / "study_v1.db"
    shutil.copyfile(GOLDEN / "study_v1.db", copy)
    return SQLite(copy), runpy.run_path(str(GOLDEN / "make_study_v1.py"))["STUDIES"]


def test_golden_file_of_format_1_lists_its_studies(golden):
    assert golden[0].names() == ["a billion", "solver", "flag"]


@pytest.mark.parametrize("name", ["a billion", "solver", "flag"])
def test_golden_file_of_format_1_is_read_as_it_was_written(golden, name):
    storage, studies = golden
    expected, trials = studies[name]
    read = storage.read(name)
    assert encode(vars(read.header)) == encode(vars(expected))
    assert all_facts(read.trials) == all_facts(trials)


def test_reading_the_golden_file_of_format_1_changes_nothing(golden):
    golden[0].read("solver")
    assert golden[0].path.read_bytes() == (GOLDEN / "study_v1.db").read_bytes()


@pytest.mark.parametrize("name", ["a billion", "solver", "flag"])
def test_golden_file_of_format_1_can_be_written_on(golden, name):
    storage, studies = golden
    with storage.begin(studies[name][0]) as record:
        record.add(trial(1000))
        assert record.trials()[-1].number == 1000


def test_golden_points_mean_what_they_meant(golden):
    trials = golden[0].read("a billion").trials
    assert [float(each.x[999_999_998]) for each in trials[:5]] == pytest.approx(
        [10.0, 8.5, 2.125, 0.75, 6.99297999], abs=1e-8
    )


def test_environment_is_stored_once_however_often_the_study_goes_on(path):
    for number in range(3):
        with SQLite(path).begin(header()) as record:
            record.add(complete(number))
    assert SQLite(path).read("tuning").written_in == [WrittenIn(0, environment())]


def test_environment_of_a_file_that_was_begun_by_an_earlier_version_is_known_from_then_on(tmp_path):
    storage = SQLite(shutil.copy(GOLDEN / "study_v1.db", tmp_path))
    header, trials = runpy.run_path(str(GOLDEN / "make_study_v1.py"))["STUDIES"]["a billion"]
    storage.begin(header).close()
    read = storage.read("a billion")
    assert (read.environment_of(trials[0]), read.written_in) == (None, [WrittenIn(10, environment())])


# Who may write, and who may read


def test_second_writer_is_told_who_writes_and_what_to_do(path):
    program = "record = SQLite(sys.argv[1]).begin(header()); print('open', flush=True); sys.stdin.read()"
    with child(program, path) as other:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(StorageError) as refusal:
            SQLite(path).begin(header())
        other.stdin.close()
    assert f"{path}: study 'tuning' is being written by process {other.pid}: wait for it or end it" in str(
        refusal.value
    )


def test_killed_writer_leaves_no_lock_even_if_its_forked_child_lives(path):
    program = """
import os
record = SQLite(sys.argv[1]).begin(header())
record.add(trial(0))
print(os.fork() or 'child', flush=True)
sys.stdin.read()
"""
    with child(program, path) as other:
        assert other.stdout.readline()
        other.kill()
        os.waitpid(other.pid, 0)
        with SQLite(path).begin(header()) as record:
            assert all_facts(record.trials()) == all_facts([trial(0)])


WRITE_MANY = """
with SQLite(sys.argv[1]).begin(header(sys.argv[2])) as record:
    for number in range(100):
        record.add(trial(number))
        record.update(complete(number, seconds=0.01))
"""


def test_processes_that_make_one_file_together_lose_nothing(path):
    names = ["a", "b", "c"]
    writers = [child(WRITE_MANY, path, name) for name in names]
    assert [writer.communicate(timeout=60) and writer.returncode for writer in writers] == [0, 0, 0]
    expected = all_facts([complete(number, seconds=0.01) for number in range(100)])
    assert [all_facts(SQLite(path).read(name).trials) == expected for name in names] == [True] * 3


def test_study_is_begun_as_soon_as_others_let_go_of_the_file(stored):
    sql(stored, "PRAGMA journal_mode = DELETE")
    other = sqlite3.connect(stored, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN")
    other.execute("SELECT * FROM trial").fetchone()
    threading.Timer(0.2, other.close).start()
    with SQLite(stored).begin(header()) as record:
        assert len(record.trials()) == 40


def test_threads_share_a_record(path):
    trials = [trial(number) for number in range(200)]
    with SQLite(path).begin(header()) as record, ThreadPoolExecutor(8) as threads:
        list(threads.map(record.add, trials))
        assert all_facts(record.trials()) == all_facts(trials)


def test_reading_while_another_process_writes_sees_whole_trials(path):
    SQLite(path).begin(header("a")).close()
    with child(WRITE_MANY, path, "a") as writer:
        seen = []
        while writer.poll() is None:
            seen.append(len(SQLite(path).read("a").trials))
    assert (seen == sorted(seen), len(SQLite(path).read("a").trials)) == (True, 100)


def test_reading_changes_nothing(stored):
    def state():
        return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in stored.parent.iterdir()}

    before = state()
    SQLite(stored).read("tuning")
    assert state() == before


def test_reading_needs_no_more_than_the_right_to_read(stored, folder):
    copy = lay_out([stored], folder, 0o444)
    with as_an_ordinary_user():
        read = outcome(copy)
    assert read == outcome(stored)


def test_reading_after_a_crash_needs_no_more_than_the_right_to_read(path, folder):
    program = "record = SQLite(sys.argv[1]).begin(header()); record.add(trial(0)); import os; os._exit(0)"
    child(program, path).communicate(timeout=60)
    copy = lay_out(sorted(path.parent.iterdir()), folder, 0o444)
    with as_an_ordinary_user():
        read = outcome(copy)
    assert read == all_facts([trial(0)])


# What is refused


def refusal_of(action):
    with pytest.raises(StorageError) as refusal:
        action()
    return str(refusal.value)


BOTH_WAYS = pytest.mark.parametrize(
    "use", [lambda storage: storage.begin(header()), SQLite.names], ids=["write", "read"]
)


def spoil(path, content):
    path.write_bytes(content)
    return path


@BOTH_WAYS
def test_file_that_is_no_database_is_refused_and_left_alone(path, use):
    spoil(path, b"number,value\n" * 100)
    assert f"{path}: it is no SQLite file: give the path of a study" in refusal_of(lambda: use(SQLite(path)))
    assert path.read_bytes() == b"number,value\n" * 100


@BOTH_WAYS
def test_file_of_another_program_is_refused_and_left_alone(path, use):
    sql(path, "CREATE TABLE trials (id)")
    before = path.read_bytes()
    assert f"{path} is a SQLite file of another program" in refusal_of(lambda: use(SQLite(path)))
    assert path.read_bytes() == before


@BOTH_WAYS
def test_file_of_a_newer_format_is_refused_with_the_cure(stored, use):
    sql(stored, "PRAGMA user_version = 2")
    words = refusal_of(lambda: use(SQLite(stored)))
    assert words == f"{stored} has format 2, this version of rembo reads 1: install a newer rembo"


@BOTH_WAYS
def test_folder_in_place_of_a_file_is_refused(tmp_path, use):
    assert refusal_of(lambda: use(SQLite(tmp_path))) == f"{tmp_path} is a folder: give the path of a file in it"


@BOTH_WAYS
def test_missing_folder_is_refused(tmp_path, use):
    path = tmp_path / "none" / "tune.db"
    assert refusal_of(lambda: use(SQLite(path))) == f"{path}: the folder {path.parent} does not exist: make it first"


def test_missing_file_cannot_be_read(path):
    assert refusal_of(SQLite(path).names) == f"{path} does not exist: check the path, or begin a study there"
    assert not path.exists()


def test_empty_file_cannot_be_read(path):
    path.touch()
    assert refusal_of(SQLite(path).names) == f"{path} is empty: begin a study there first"


def test_empty_file_can_be_begun(path):
    path.touch()
    SQLite(path).begin(header()).close()
    assert SQLite(path).names() == ["tuning"]


def test_read_only_folder_cannot_be_written(folder):
    path = lay_out([__file__], folder, 0o444).with_name("tune.db")
    with as_an_ordinary_user():
        words = refusal_of(lambda: SQLite(path).begin(header()))
    assert f"{path}: it cannot be opened: allow it" in words


def test_read_only_file_cannot_be_written(stored, folder):
    copy = lay_out([stored], folder, 0o444)
    with as_an_ordinary_user():
        words = refusal_of(lambda: SQLite(copy).begin(header()))
    assert f"{copy}: it must not be written: allow it" in words


def test_unreadable_file_cannot_be_read(stored, folder):
    copy = lay_out([stored], folder, 0o000)
    with as_an_ordinary_user():
        words = refusal_of(SQLite(copy).names)
    assert f"{copy}: it cannot be opened" in words


def test_study_of_a_class_that_rembo_does_not_know_is_refused(stored):
    description = '{"$type":"rembo.Newer"}'
    checksum = zlib.crc32(ascii((1, 1, description)).encode("ascii"))
    sql(stored, f"UPDATE embedding SET description = '{description}', checksum = {checksum} WHERE id = 1")
    words = refusal_of(lambda: SQLite(stored).read("tuning"))
    assert f"{stored}: this version of rembo cannot read it: install a newer one ('rembo.Newer' is none of" in words


def test_study_that_was_refused_can_be_begun_once_it_is_repaired(stored):
    content = stored.read_bytes()
    sql(stored, "UPDATE embedding SET description = '{}'")
    with pytest.raises(StorageError, match="the file is damaged") as refusal:
        SQLite(stored).begin(header())
    spoil(stored, content)
    SQLite(stored).begin(header()).close()
    assert str(stored) in str(refusal.value)


def test_file_that_comes_and_goes_is_refused_or_read(stored):
    """Between two looks at it, it may have gone."""
    other, stop = stored.parent / "other.db", threading.Event()

    def come_and_go():
        while not stop.is_set():
            os.link(stored, other)
            other.unlink()

    found = []
    with ThreadPoolExecutor(1) as executor:
        coming = executor.submit(come_and_go)
        try:
            for _ in range(2000):
                with suppress(StorageError):
                    found.append(SQLite(other).names())
        finally:
            stop.set()
        coming.result()
    assert {tuple(each) for each in found} == {("tuning",)}


# What is damaged


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.9, 0.999])
def test_truncated_file_is_refused(stored, share):
    content = stored.read_bytes()
    spoil(stored, content[: int(share * len(content))])
    assert str(stored) in refusal_of(lambda: SQLite(stored).read("tuning"))


def test_truncated_file_is_not_written_on(stored):
    content = stored.read_bytes()[:-4096]
    spoil(stored, content)
    assert "the file is damaged" in refusal_of(lambda: SQLite(stored).begin(header()))
    assert stored.read_bytes() == content


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bit_is_refused_or_does_not_matter(stored, seed):
    expected, content = outcome(stored), stored.read_bytes()
    rng = random.Random(seed)
    damages = []
    for _ in range(25):
        place, bit = rng.randrange(len(content)), rng.randrange(8)
        flipped = bytes([content[place] ^ (1 << bit)])
        spoil(stored, content[:place] + flipped + content[place + 1 :])
        damages.append(outcome(stored))
    assert {repr(each) for each in damages} <= {repr(expected), repr("refused")}
    assert "refused" in damages


def test_flipped_bit_in_a_number_is_noticed(stored):
    content = stored.read_bytes()
    place = content.rindex(np.sin(np.arange(3.0)).tobytes())
    spoil(stored, content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    assert "the file is damaged: restore a copy of it" in refusal_of(lambda: SQLite(stored).read("tuning"))


def test_flipped_bit_in_the_tables_themselves_is_noticed(stored):
    spoil(stored, stored.read_bytes().replace(b"CREATE TABLE trial", b"CREATE \xd4ABLE trial"))
    assert "the file is damaged: restore a copy of it" in refusal_of(lambda: SQLite(stored).read("tuning"))


# What fails while it is written


@pytest.fixture
def waits(monkeypatch):
    """For each commit from now on whether it waits for the disk, in the order of the commits."""
    connect, settings, log = sqlite3.connect, [], []

    def note(statement):
        settings.append(statement.endswith("FULL")) if statement.startswith("PRAGMA synchronous") else None
        log.append(settings[-1]) if statement == "COMMIT" else None

    def watched(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_trace_callback(note)
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched)
    return log


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ([10.0, 10.0], [True, True]),
        ([0.01, 0.01], [False, False]),
        ([0.2, 0.2, 0.2, 0.2], [False, True, False, True]),
        ([-5.0, 0.26], [False, True]),
    ],
)
def test_commit_waits_for_the_disk_once_enough_is_at_stake(path, waits, durations, expected):
    with SQLite(path).begin(header()) as record:
        for number in range(len(durations)):
            record.add(trial(number))
        waits.clear()
        for number, seconds in enumerate(durations):
            record.update(complete(number, seconds=seconds))
    assert waits == expected


def test_commit_waits_where_nobody_knows_what_is_at_stake(path, waits):
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
        record.update(replace(complete(0), started_at=None))
    assert waits[-2:] == [False, True]


def test_commit_of_a_result_waits_once_though_it_is_told_later(path, waits):
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
        record.update(kept := replace(complete(0, seconds=100.0), told=None))
        record.update(replace(kept, told=1))
    assert waits[-2:] == [True, False]


def test_commit_of_a_trial_that_runs_does_not_wait(path, waits):
    with SQLite(path).begin(header()) as record:
        record.add(trial(0))
        record.update(trial(0, started_at=1.0, finished_at=100.0))
    assert waits[-2:] == [False, False]


def is_healthy(path):
    return sql(path, "PRAGMA integrity_check") == [("ok",)]


def test_full_disk_loses_nothing_and_the_write_can_be_tried_again(path):
    program = """
import resource
record = SQLite(sys.argv[1]).begin(header())
record.add(trial(0))
size, limit = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, limit))
try:
    for number in range(1, 1000):
        record.add(trial(number))
except StorageError as error:
    print(number, len(record.trials()), 'the disk failed or is full: see to it and try again' in str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, limit))
record.add(trial(number))
record.close()
"""
    output, _ = child(program, path).communicate(timeout=60)
    number, read, worded = re.fullmatch(r"(\d+) (\d+) (\w+)\n", output).groups()
    assert (read, worded) == (number, "True")
    assert all_facts(SQLite(path).read("tuning").trials) == all_facts([trial(each) for each in range(int(number) + 1)])


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 200 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)]
    if not ROOT or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk, and not everywhere")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(record):
    for number in range(1000):
        record.add(trial(number))


def test_full_small_disk_loses_nothing_and_goes_on_when_freed(small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(50_000))
    with SQLite(small_disk / "tune.db").begin(header()) as record:
        with pytest.raises(StorageError, match="the disk is full: free some space and try again"):
            fill(record)
        fitted = len(record.trials())
        ballast.unlink()
        record.add(trial(fitted))
        assert all_facts(record.trials()) == all_facts([trial(number) for number in range(fitted + 1)])


def test_full_small_disk_refuses_a_study_until_it_is_freed(small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(180_000))
    with pytest.raises(StorageError, match="is full") as refusal:
        SQLite(small_disk / "tune.db").begin(header())
    ballast.unlink()
    SQLite(small_disk / "tune.db").begin(header()).close()
    assert str(small_disk) in str(refusal.value)


WRITE_ON = """
with SQLite(sys.argv[1]).begin(header()) as record:
    number = sum(each.value is not None for each in record.trials())
    if number < len(record.trials()):
        record.update(complete(number))
        number += 1
    while True:
        record.add(trial(number))
        record.update(complete(number))
        print(number, flush=True)
        number += 1
"""


def written_before_being_killed(path, seconds):
    """How many trials a process says it has stored until it is killed, so many seconds after its first word."""
    with child(WRITE_ON, path) as writer:
        said = writer.stdout.readline()
        time.sleep(seconds)
        writer.kill()
        said += writer.stdout.read()
    return int(re.findall(r"(\d+)\n", said)[-1]) + 1


def survives_a_kill(path, seconds):
    """Whether all trials that were said to be stored are there, complete, in a file that is healthy."""
    written = written_before_being_killed(path, seconds)
    trials = SQLite(path).read("tuning").trials
    stored = all_facts(trials[:written]) == all_facts([complete(number) for number in range(written)])
    return stored and len(trials) <= written + 1 and is_healthy(path)


def test_kills_at_twenty_instants_lose_nothing_that_was_said_to_be_stored(path):
    rng = random.Random(0)
    assert [survives_a_kill(path, rng.uniform(0.0, 0.05)) for _ in range(20)] == [True] * 20


@pytest.mark.parametrize("column", ["space", "optimizer"])
def test_settings_nested_too_deeply_are_told_as_such(stored, column):
    deep = "[" * 100_000
    sql(stored, f"UPDATE study SET {column} = '{deep}'")
    (row,) = sql(stored, f"SELECT {', '.join(STUDY)} FROM study")
    sql(stored, f"UPDATE study SET checksum = {checksum_of(row)}")
    with pytest.raises(StorageError, match=r"this version of rembo cannot read it.*recursion"):
        SQLite(stored).read("tuning")
