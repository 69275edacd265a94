"""The writer's lock, and reading beside it: who waits for whom, and what is left behind."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from study_searches import BOX, bowl, random_study

from rembo.study import StorageError, Study
from rembo.study.lock import Lock


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


def beside(path):
    """The files beside a study's."""
    return sorted(each.name for each in path.parent.iterdir())


def held_elsewhere(path):
    """Another process that has asked a trial of the study and does not tell it."""
    program = f"""
import sys
from rembo import Box, RandomSearch, Study
study = Study(Box(20), optimizer=RandomSearch(Box(20), seed=0), storage={str(path)!r})
study.ask()
print("asked", flush=True)
sys.stdin.read()
"""
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "asked\n"
    return other


# The lock itself


def test_lock_is_held_once(tmp_path):
    lock = Lock.take(tmp_path / "lock")
    assert Lock.take(tmp_path / "lock") is None
    lock.release()
    assert Lock.take(tmp_path / "lock") is not None


def test_lock_leaves_no_file(tmp_path):
    lock = Lock.take(tmp_path / "lock")
    lock.release()
    lock.release()
    assert list(tmp_path.iterdir()) == []


def test_lock_that_nobody_refers_to_is_free(tmp_path):
    assert Lock.take(tmp_path / "lock") is not None
    assert Lock.take(tmp_path / "lock") is not None


def test_reading_the_side_file_does_not_free_the_lock(tmp_path):
    lock = Lock.take(tmp_path / "lock")
    (tmp_path / "lock").read_bytes()
    assert Lock.take(tmp_path / "lock") is None
    lock.release()


def test_lock_is_held_by_one_of_many_threads_at_a_time(tmp_path):
    held = []

    def hold(_):
        lock = Lock.take(tmp_path / "lock")
        if lock is not None:
            held.append(1)
            assert len(held) == 1
            held.pop()
            lock.release()
        return lock is not None

    with ThreadPoolExecutor(8) as threads:
        assert any(threads.map(hold, range(400)))


# Reading


def test_study_is_read_while_another_process_writes_it(path):
    with random_study(storage=path) as study:
        study.optimize(bowl, 3)
    with held_elsewhere(path) as other:
        read = Study.load(path)
        assert (len(read.trials), read.best_value) == (4, study.best_value)
        other.kill()


def test_trials_are_those_that_are_stored_now(path):
    reader, writer = random_study(storage=path), random_study(storage=path)
    for count in (2, 3):
        writer.optimize(bowl, count)
        assert len(reader.trials) == count


def test_optimizer_of_a_reader_knows_what_another_object_told(path):
    reader, writer = random_study(storage=path), random_study(storage=path)
    writer.optimize(bowl, 3)
    assert reader.optimizer.best_trial.value == writer.best_value


def test_study_in_a_folder_that_cannot_be_written_is_read(path):
    with random_study(storage=path) as study:
        study.optimize(bowl, 2)
    path.parent.chmod(0o555)
    assert len(Study.load(path).trials) == 2
    path.parent.chmod(0o755)
    assert beside(path) == ["tune.db"]


# Writing


def test_same_cell_runs_twice(path):
    for _ in range(2):
        study = random_study(storage=path)
        study.optimize(bowl, 3)
    assert len(study.trials) == 3


def test_two_objects_of_one_process_take_turns(path):
    one, other = random_study(storage=path), random_study(storage=path)
    for study in (one, other, one):
        trial = study.ask()
        study.tell(trial, bowl(trial.x))
    whole = random_study()
    whole.optimize(bowl, 3)
    assert [trial.value for trial in other.trials] == [trial.value for trial in whole.trials]


def test_study_is_held_from_ask_until_it_is_told(path):
    one, other = random_study(storage=path), random_study(storage=path)
    trial = one.ask()
    with pytest.raises(StorageError, match=r"written by another Study of this process.*call its close\(\)"):
        other.ask()
    one.tell(trial, 1.0)
    assert other.ask().number == 1


def test_study_that_was_closed_lets_another_go_on_with_what_it_asked(path):
    one, other = random_study(storage=path), random_study(storage=path)
    one.ask()
    one.close()
    assert (other.ask().number, other.trials[0].attempts) == (0, 2)


def test_second_writer_is_told_which_process_writes(path):
    with held_elsewhere(path) as other:
        with pytest.raises(StorageError, match=f"is being written by process {other.pid}"):
            random_study(storage=path).optimize(bowl, 3)
        other.kill()
    assert random_study(storage=path).optimize(bowl, 3).name == "COMPLETED"


def test_process_that_has_just_taken_the_lock_is_not_mistaken_for_this_one(path):
    random_study(storage=path).optimize(bowl, 1)
    program = "import sys; from pathlib import Path; from rembo.study.lock import Lock; "
    program += "lock = Lock.take(Path(sys.argv[1])); print('taken', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", program, f"{path}-1.lock"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "taken\n"
        with pytest.raises(StorageError, match="is being written by another process: wait for it"):
            random_study(storage=path).optimize(bowl, 2)
        other.stdin.close()


def test_link_to_a_file_leads_to_the_same_lock(path):
    random_study(storage=path)
    (path.parent / "link.db").symlink_to(path)
    one, other = random_study(storage=path), random_study(storage=path.parent / "link.db")
    one.ask()
    with pytest.raises(StorageError, match="is being written"):
        other.ask()


@pytest.mark.parametrize("use", [lambda study: study.optimize(bowl, 2), lambda study: study.tell(study.ask(), 1.0)])
def test_nothing_stays_beside_the_file(path, use):
    use(random_study(storage=path))
    assert beside(path) == ["tune.db"]


def test_lock_file_of_a_killed_process_is_removed_by_the_next_writer(path):
    with held_elsewhere(path) as other:
        other.kill()
    assert "tune.db-1.lock" in beside(path)
    random_study(storage=path).optimize(bowl, 1)
    assert beside(path) == ["tune.db"]


def test_study_that_was_removed_and_begun_again_is_noticed(path):
    one = random_study(storage=path)
    os.remove(path)
    random_study(storage=path, direction="minimize")
    with pytest.raises(StorageError, match="was removed and begun again by somebody else: open it anew"):
        one.optimize(bowl, 2)


def test_study_in_memory_can_be_run_after_it_was_closed():
    with random_study() as study:
        study.optimize(bowl, 1)
    study.optimize(bowl, 2)
    assert (len(study.trials), study.space) == (2, BOX)
