"""What lp_solve needs from the system: found, compiled once, or told with its package."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rembo.problems.lpsolve import COMPILER, LP_SOLVE, SPACE, Corridor, Iterations, LpSolve, Seconds
from rembo.problems.lpsolve.tools import LIBRARY, Tool, driver

needs_both = pytest.mark.skipif(
    not (LP_SOLVE.available and COMPILER.available), reason=f"{LP_SOLVE.absence}; {COMPILER.absence}"
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "rembo"


def test_tool_of_the_system_is_found():
    assert Tool("sh", "dash").available
    assert Path(Tool("sh", "dash").path).is_file()


def test_missing_tool_is_an_error_that_names_its_package():
    missing = Tool("no-such-program", "no-such-package")
    assert not missing.available
    with pytest.raises(FileNotFoundError, match="no-such-program is not installed: as root, apt-get install no-such-p"):
        _ = missing.path


def test_missing_lp_solve_is_told_with_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="apt-get install lp-solve"):
        LpSolve(Corridor(4), Seconds(1.0)).run(SPACE.default)


def test_missing_library_is_told_with_its_package():
    with pytest.raises(FileNotFoundError, match=r"/none\.so is not there.* apt-get install lp-solve"):
        driver(Path("/none.so"))


@needs_both
def test_missing_compiler_is_told_with_its_package(cache, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="cc is not installed: as root, apt-get install gcc libc6-dev"):
        LpSolve(Corridor(4), Iterations(10)).run(SPACE.default)


@needs_both
def test_driver_is_compiled_once(cache):
    first = driver().stat()
    assert (driver().stat().st_ino, os.listdir(cache)) == (first.st_ino, [driver().name])


@needs_both
def test_library_that_cannot_be_linked_is_an_error_and_leaves_nothing(cache, tmp_path):
    (tmp_path / "broken.so").write_text("this is no library")
    with pytest.raises(RuntimeError, match="cc cannot compile the driver of lp_solve"):
        driver(tmp_path / "broken.so")
    assert os.listdir(cache) == []


@needs_both
def test_compilations_at_the_same_time_do_not_disturb_each_other(cache):
    with ThreadPoolExecutor(3) as racers:
        made = {racer.result() for racer in [racers.submit(driver) for _ in range(3)]}
    assert (made, os.listdir(cache)) == ({driver()}, [driver().name])


@needs_both
def test_driver_that_cannot_read_its_files_says_so():
    run = subprocess.run([driver(), "10", "5", "/none.lp", "/none.ini"], capture_output=True, text=True)
    assert (run.returncode, "Unable to read /none.lp or /none.ini" in run.stderr) == (66, True)


@needs_both
def test_library_is_that_of_the_debian_package():
    assert LIBRARY.is_file()
