"""Scratch folders: gone at the end, gone after a kill -9, and nobody else's are touched."""

import os
import signal
import socket
import subprocess
import sys
import tempfile

import pytest

from rembo import scratch
from rembo.scratch import scratch_folder

HOLDER = """
import sys, time
from pathlib import Path
from rembo.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "file").touch()
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def fresh():
    """Each test looks for abandoned folders as a new process does."""
    scratch.remove_abandoned.cache_clear()


@pytest.fixture
def holder(tmp_path):
    """Starts a process that uses a folder; returns the process and the name of the folder."""
    started = []

    def start():
        process = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process, os.path.basename(process.stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def killed(holder):
    process, name = holder()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return name


def abandoned(folder, host=None, name="abcdefgh"):
    return folder / f"rembo-{host or socket.gethostname()}-{name}"


def test_scratch_folder_is_removed_with_all_that_is_in_it(tmp_path):
    with scratch_folder(tmp_path) as folder:
        (folder / "deep").mkdir()
        (folder / "deep" / "file").touch()
    assert os.listdir(tmp_path) == []


def test_scratch_folder_is_made_among_the_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder() as folder:
        assert folder.parent == tmp_path


def test_scratch_folder_is_closed_to_other_users(tmp_path):
    with scratch_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700


def test_folder_of_a_killed_process_stays_until_the_next_one_runs(tmp_path, holder):
    name = killed(holder)
    assert os.listdir(tmp_path) == [name]
    with scratch_folder(tmp_path) as folder:
        assert os.listdir(tmp_path) == [folder.name]


def test_folder_of_a_living_process_is_not_removed(tmp_path, holder):
    _, name = holder()
    with scratch_folder(tmp_path):
        assert name in os.listdir(tmp_path)


def test_folder_that_this_process_uses_is_not_removed(tmp_path):
    with scratch_folder(tmp_path) as first:
        scratch.remove_abandoned.cache_clear()
        with scratch_folder(tmp_path):
            assert first.exists()


@pytest.mark.parametrize("name", ["rembo-elsewhere-abcdefgh", "rembo-abcdefgh", "rembo-study", "other"])
def test_folder_of_another_host_or_kind_is_not_removed(tmp_path, name):
    (tmp_path / name).mkdir()
    with scratch_folder(tmp_path):
        assert (tmp_path / name).exists()


def test_folder_of_a_host_whose_name_begins_alike_is_not_removed(tmp_path):
    theirs = abandoned(tmp_path, f"{socket.gethostname()}-2")
    theirs.mkdir()
    with scratch_folder(tmp_path):
        assert theirs.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_folder_of_another_user_is_not_removed(tmp_path):
    theirs = abandoned(tmp_path)
    theirs.mkdir()
    os.chown(theirs, 12345, 12345)
    with scratch_folder(tmp_path):
        assert theirs.exists()


def test_link_is_neither_followed_nor_removed(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    link = abandoned(tmp_path)
    link.symlink_to(tmp_path / "precious")
    with scratch_folder(tmp_path):
        assert (link.is_symlink(), os.listdir(tmp_path / "precious")) == (True, ["file"])


def test_link_inside_an_abandoned_folder_is_removed_and_not_followed(tmp_path, holder):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    name = killed(holder)
    (tmp_path / name / "link").symlink_to(tmp_path / "precious")
    with scratch_folder(tmp_path):
        assert ((tmp_path / name).exists(), os.listdir(tmp_path / "precious")) == (False, ["file"])


def test_file_with_the_name_of_a_folder_is_left_alone(tmp_path):
    abandoned(tmp_path).touch()
    with scratch_folder(tmp_path):
        assert abandoned(tmp_path).exists()


def test_folder_made_where_others_tidy_up_is_there(tmp_path):
    """Many processes that start at once never remove what another has just made."""
    script = (
        "import sys; from pathlib import Path; from rembo import scratch\n"
        "for _ in range(300):\n"
        "    with scratch.scratch_folder(Path(sys.argv[1])) as folder:\n"
        "        scratch.remove_abandoned.cache_clear(); (folder / 'file').touch()\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", script, tmp_path]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert os.listdir(tmp_path) == []
