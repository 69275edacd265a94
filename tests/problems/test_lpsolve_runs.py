"""lp_solve as a black box, with the real program: what a run is worth, and that nothing of it is left."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from rembo import RandomSearch
from rembo.problems.lpsolve import COMPILER, LP_SOLVE, READY, READY_SMALL, SPACE, Corridor, Iterations, LpSolve, Seconds
from rembo.study.isolation import children_of

pytestmark = [
    pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence),
    pytest.mark.skipif(not COMPILER.available, reason=COMPILER.absence),
]
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a background job of a shell ignores

EASY = Corridor(4, seed=1, slack=1.0)
FINDER = SPACE.default | {"bb_floorfirst": "BRANCH_FLOOR"}  # finds corridors at once, which the default does not
ENDLESS = LpSolve(READY, Iterations(10**12, patience=1.0))
of_both_limits = pytest.mark.parametrize("limit", [Seconds(20.0), Iterations(10**5)], ids=str)


def configurations(number):
    search = RandomSearch(SPACE, seed=number)
    return [search.ask().x for _ in range(number)]


def left_behind():
    """What a run could leave: open files, processes, temporary files."""
    return len(os.listdir("/proc/self/fd")), children_of(os.getpid()), os.listdir(tempfile.gettempdir())


@pytest.fixture
def empty_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


@of_both_limits
@pytest.mark.parametrize("seed", range(3))
def test_default_configuration_solves_easy_corridors_to_the_proven_optimum(limit, seed):
    outcome = LpSolve(Corridor(4, seed, slack=1.0), limit).run(SPACE.default)
    assert (outcome.gap, outcome.code, outcome.killed) == (0.0, 0, False)


@of_both_limits
def test_outcome_has_parcels_that_are_a_corridor_of_its_gap(limit):
    outcome = LpSolve(EASY, limit).run(SPACE.default)
    assert EASY.fault(outcome.parcels) is None
    assert outcome.reason == f"utility {EASY.utility(outcome.parcels)} of {EASY.utility(outcome.parcels)}"


def test_value_is_the_gap_of_the_outcome():
    problem, x = LpSolve(READY_SMALL, Iterations(500)), FINDER
    assert 0.0 < problem(x) == problem.run(x).gap < 1.0


def test_gaps_of_random_configurations_lie_between_none_and_one():
    gaps = np.array([LpSolve(EASY, Iterations(300))(x) for x in configurations(20)])
    assert ((gaps >= 0.0) & (gaps <= 1.0)).all()
    assert gaps.min() < 0.2


def test_run_that_finds_nothing_has_gap_one_and_says_why():
    outcome = LpSolve(READY, Iterations(10)).run(SPACE.default)
    assert (outcome.gap, outcome.parcels) == (1.0, frozenset())
    assert outcome.reason == "no solution is printed: stopped"


def test_time_limit_ends_the_search_and_keeps_what_was_found():
    outcome = LpSolve(READY_SMALL, Seconds(1.5)).run(FINDER)
    assert outcome.killed
    assert 0.0 <= outcome.gap < 1.0
    assert outcome.seconds < 10.0


def test_time_limit_without_a_solution_is_told():
    outcome = LpSolve(READY, Seconds(0.2)).run(SPACE.default)
    assert (outcome.gap, outcome.killed, outcome.reason) == (1.0, True, "no solution is found in time")


def test_more_iterations_find_no_worse_corridor():
    gaps = [LpSolve(READY_SMALL, Iterations(number))(FINDER) for number in (500, 1000, 2000)]
    assert gaps == sorted(gaps, reverse=True)


@pytest.mark.parametrize(
    "random",
    [
        {"bb_rule": "NODE_GAPSELECT", "NODE_RANDOMIZEMODE": True},
        {"pivoting": "PRICER_FIRSTINDEX", "PRICE_RANDOMIZE": True},
    ],
    ids=str,
)
def test_iteration_limit_gives_the_same_answer_again_whatever_is_random(random):
    problem = LpSolve(READY_SMALL, Iterations(1500))
    first = problem.run(FINDER | random)
    time.sleep(1.1)  # lp_solve seeds by the second
    assert problem.run(FINDER | random).parcels == first.parcels != frozenset()


def test_run_killed_before_its_iterations_has_gap_one_whatever_it_had_found():
    outcome = LpSolve(READY_SMALL, Iterations(10**12, patience=1.5)).run(FINDER)
    assert (outcome.gap, outcome.killed, outcome.parcels) == (1.0, True, frozenset())
    assert outcome.reason == "killed after 1.5 s, before 1000000000000 iterations"


@pytest.mark.parametrize("problem", [ENDLESS, LpSolve(EASY, Iterations(100)), LpSolve(READY, Seconds(0.3))], ids=str)
def test_run_leaves_nothing_behind(problem, empty_temporary_folder):
    before = left_behind()
    problem.run(SPACE.default)
    assert left_behind() == before


@pytest.mark.parametrize("limit", [Seconds(30.0), Iterations(10**12)], ids=str)
def test_interrupted_run_leaves_nothing_behind(limit, empty_temporary_folder):
    before = left_behind()
    interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        LpSolve(READY, limit).run(SPACE.default)
    interrupt.join()
    assert left_behind() == before


KILLED = """
from rembo.problems.lpsolve import *
LpSolve(READY, {limit}).run(SPACE.default)
"""


@pytest.mark.parametrize("limit", ["Seconds(1.5)", "Iterations(10**12, patience=1.5)"])
def test_solver_ends_and_leaves_no_file_after_its_caller_was_killed(limit, tmp_path):
    command = [sys.executable, "-c", KILLED.format(limit=limit)]
    with subprocess.Popen(command, env=os.environ | {"TMPDIR": str(tmp_path)}) as caller:
        solver = wait_for(lambda: children_of(caller.pid))
        caller.kill()
    assert wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in solver))
    assert os.listdir(tmp_path) == []


def wait_for(condition):
    deadline = time.monotonic() + 30.0
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return met


def test_problem_is_small_when_pickled_and_the_same_after():
    problem = LpSolve(Corridor(10, seed=3, slack=3.0), Iterations(1000))
    copy = pickle.dumps(problem)
    assert pickle.loads(copy) == problem
    assert len(copy) < 1000


def test_problem_knows_its_space_and_optimum():
    assert (ENDLESS.space, ENDLESS.optimum) == (SPACE, 0.0)


def test_files_that_cannot_be_read_are_an_error(monkeypatch):
    problem = LpSolve(EASY, Seconds(5.0))
    monkeypatch.setattr(LpSolve, "model", "max: this is no model")
    with pytest.raises(RuntimeError, match=r"lp_solve has not begun: syntax error .*\nUnable to read model"):
        problem.run(SPACE.default)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Seconds(0.0), r"seconds 0\.0 must be a number of seconds above 0 and at most 1000000\.0"),
        (lambda: Seconds(float("inf")), "seconds inf must be a number of seconds above 0"),
        (lambda: Iterations(0), "iterations 0 must lie between 1 and"),
        (lambda: Iterations(10, patience=-1.0), r"patience -1\.0 must be a number of seconds above 0"),
    ],
)
def test_limit_out_of_range_is_an_error(make, message):
    with pytest.raises(ValueError, match=message):
        make()
