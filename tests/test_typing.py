"""A user's own program type-checks under mypy --strict."""

import os
import sys
from pathlib import Path

import pytest
from mypy import api

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


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """What mypy says of a program."""
    monkeypatch.setenv("MYPYPATH", str(SOURCE))

    def check(program):
        file = tmp_path / "program.py"
        file.write_text(program)
        options = ["--strict", "--follow-imports=silent", f"--python-executable={sys.executable}"]
        said, crashed, _ = api.run([*options, "--config-file=", f"--cache-dir={tmp_path / 'cache'}", os.fspath(file)])
        assert not crashed
        return said

    return check


@pytest.mark.parametrize("program", [ARRAY_FUNCTION, POINT_ARITHMETIC], ids=["function of an array", "arithmetic"])
def test_program_of_a_user_type_checks(checked, program):
    assert checked(program).startswith("Success")


def test_misuse_of_a_point_is_found(checked):
    assert 'expected "str"' in checked(WRONG)
