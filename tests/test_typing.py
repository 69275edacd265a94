"""A user's own program type-checks under mypy --strict."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

api = pytest.importorskip("mypy.api")

SOURCE = Path(__file__).parent.parent / "src"
ARRAY_FUNCTION = """
import numpy as np
import rembo

def f(x: np.ndarray) -> float:
    return float((x**2).sum())

rembo.minimize(f, rembo.Box(10), n_trials=5)
rembo.minimize(f, [(0, 1), (1e-5, 1e-1, "log")], 5, x0=[0.5, 1e-3])
rembo.Rembo([(0.0, 1.0)] * 30, 4)
rembo.Study(np.array([[0.0, 1.0]]))
"""
POINT_ARITHMETIC = """
import numpy as np
import numpy.typing as npt
import rembo

def f(x: rembo.Point, w: npt.NDArray[np.float64]) -> float:
    squares: npt.NDArray[np.float64] = x**2
    moved: npt.NDArray[np.float64] = 2 * x - w + abs(-x) / 3.0
    inside: npt.NDArray[np.bool_] = x > 0
    chosen: npt.NDArray[np.float64] = x[x > 0]
    one: float = x[17]
    same: bool = x == x
    alike: npt.NDArray[np.bool_] = x == 0.5
    total = float(x.sum() + x @ w + np.linalg.norm(x))
    return total + one + float(squares.sum() + moved.mean() + inside.sum() + chosen.max() + alike.sum()) + same
"""
WRONG = """
import rembo

def f(x: rembo.Point) -> str:
    return x**2
"""


BARE = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 2)  # np.ndarray needs no parameters


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where programs are checked, with what mypy remembers of the packages they import."""
    return tmp_path_factory.mktemp("typing")


@pytest.fixture
def checked(folder, monkeypatch):
    """What mypy says of a program."""
    monkeypatch.setenv("MYPYPATH", str(SOURCE))

    def check(program):
        file = folder / "program.py"
        file.write_text(program)
        options = ["--strict", "--follow-imports=silent", f"--python-executable={sys.executable}", "--config-file="]
        said, crashed, _ = api.run([*options, f"--cache-dir={folder / 'cache'}", os.fspath(file)])
        assert not crashed
        return said

    return check


@pytest.mark.skipif(not BARE, reason="np.ndarray alone is generic before NumPy 2.2")
def test_function_of_an_array_type_checks(checked):
    assert checked(ARRAY_FUNCTION).startswith("Success")


def test_arithmetic_of_points_type_checks(checked):
    assert checked(POINT_ARITHMETIC).startswith("Success")


def test_misuse_of_a_point_is_found(checked):
    assert 'expected "str"' in checked(WRONG)
