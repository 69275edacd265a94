"""Workers of every kind: each submission comes back once, also when a process dies, and what runs can be ended."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from objectives import (
    SPACE,
    HangWithChildren,
    KillWorkerBelowZero,
    Record,
    all_gone,
    begun,
    die_of,
    first,
    patiently,
    point,
    processes_of,
    segfault_below_zero,
    sleep,
    slowly_first,
)

from rembo import TrialState
from rembo.study.evaluation import Evaluation
from rembo.study.isolation import Limits
from rembo.study.trial import Reason
from rembo.study.workers import ExecutorWorkers, Here, Pool, workers_for


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture
def processes():
    with ProcessPoolExecutor(2) as executor:
        yield executor


@pytest.fixture
def pool():
    workers = Pool(2)
    yield workers
    workers.close()


@pytest.fixture(params=["here", "pool", "threads", "processes"])
def workers(request):
    if request.param in ("here", "pool"):
        made = Here() if request.param == "here" else Pool(2)
    else:
        made = ExecutorWorkers(request.getfixturevalue(request.param), 2)
    yield made
    made.close()


def outcomes(workers, evaluation, points):
    """What comes back, by trial, in the order in which it came."""
    futures = {workers.submit(evaluation, x, number): number for number, x in enumerate(points)}
    came = []
    while len(came) < len(points):
        done = workers.wait([future for future in futures if future not in dict(came)], timeout=60)
        assert done
        came.extend((future, future.result()) for future in done)
    return {futures[future]: outcome for future, outcome in came}


def test_each_submission_comes_back_once(workers, tmp_path):
    points = [point(number / 20) for number in range(20)]
    came = outcomes(workers, Evaluation(Record(tmp_path), SPACE), points)
    assert [came[number].value for number in range(20)] == [x[0] for x in points]
    assert begun(tmp_path) == [x[0] for x in points]


def test_failures_come_back_too(workers):
    outcome = outcomes(workers, Evaluation(_raise, SPACE), [point(0.5)])[0]
    assert (outcome.state, outcome.reason) == (TrialState.FAIL, Reason.ERROR)


def _raise(x):
    raise ValueError(x[0])


def test_hanging_trial_is_killed_with_its_children(workers, tmp_path):
    evaluation = Evaluation(HangWithChildren(tmp_path), SPACE, Limits(seconds=1.5))
    assert outcomes(workers, evaluation, [point(0.5)])[0].reason is Reason.TIMEOUT
    assert all_gone(processes_of(tmp_path))


@pytest.mark.parametrize("kind", ["pool", "threads", "processes"])
def test_waiting_ends_at_the_timeout(kind, request):
    made = request.getfixturevalue(kind)
    workers = made if kind == "pool" else ExecutorWorkers(made, 2)
    future = workers.submit(Evaluation(_wait_a_second, SPACE), point(0.5), 0)
    assert workers.wait([future], timeout=0.01) == set()


def _wait_a_second(x):
    threading.Event().wait(0.3)


def test_culprit_fails_alone_where_a_process_of_the_pool_dies(pool):
    points = [point(value) for value in (0.1, -0.5, 0.2, 0.3, -0.6, 0.4)]
    came = outcomes(pool, Evaluation(segfault_below_zero, SPACE), points)
    assert [came[number].value for number in range(6)] == [0.1, None, 0.2, 0.3, None, 0.4]
    assert {came[1].reason, came[4].reason} == {Reason.CRASHED}
    assert "SIGSEGV" in came[1].error


def test_pool_goes_on_after_a_process_has_died(pool):
    outcomes(pool, Evaluation(segfault_below_zero, SPACE), [point(-0.5)])
    assert outcomes(pool, Evaluation(first, SPACE), [point(0.25)])[0].value == 0.25


def test_pool_that_broke_while_nobody_waited_takes_the_next(pool):
    lost = pool.submit(Evaluation(segfault_below_zero, SPACE), point(-0.5), 0)
    patiently(lambda: len(multiprocessing.active_children()) < pool.count)
    following = pool.submit(Evaluation(first, SPACE), point(0.25), 1)
    assert pool.wait([following], timeout=60) == {following}
    assert pool.wait([lost], timeout=60).pop().result().reason is Reason.CRASHED


@pytest.fixture
def slow_to_start():
    """Processes of pools that take the time of their imports before they can do anything."""
    usual = multiprocessing.get_start_method()
    multiprocessing.set_start_method("spawn", force=True)
    yield
    multiprocessing.set_start_method(usual, force=True)


def test_process_that_is_killed_as_soon_as_it_starts_is_replaced(slow_to_start, pool):
    submitted = pool.submit(Evaluation(first, SPACE), point(0.25), 0)
    for process in multiprocessing.active_children():
        process.kill()
    assert pool.wait([submitted], timeout=60).pop().result().value == 0.25


def test_what_kills_its_worker_twice_is_lost(pool):
    came = outcomes(pool, Evaluation(KillWorkerBelowZero(), SPACE), [point(0.5), point(-0.5)])
    assert (came[0].value, came[1].reason) == (0.5, Reason.LOST)


def test_other_processes_of_the_pool_lose_nothing_when_one_dies(pool, tmp_path):
    """Each death of a process would have taken the long evaluation beside it along."""
    evaluation = Evaluation(_DieBelowZero(tmp_path), SPACE)
    came = outcomes(pool, evaluation, [point(0.5), *(point(-0.1 * number) for number in range(1, 7))])
    assert [came[number].reason for number in range(7)] == [None] + [Reason.CRASHED] * 6
    assert (tmp_path / "begun").read_text() == "once\n"


class _DieBelowZero:
    """Dies at once below zero, and takes longer than many deaths elsewhere."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, x):
        if first(x) < 0.0:
            die_of(signal.SIGSEGV)
        with (self.folder / "begun").open("a") as file:
            file.write("once\n")
        time.sleep(1.0)
        return first(x)


UNGUARDED = """
import multiprocessing

from rembo import Box, Study

multiprocessing.set_start_method("spawn")
Study(Box(2), seed=0).optimize(abs, 3, n_workers=2)
"""


def test_program_whose_processes_start_it_once_more_is_an_error_that_says_so(tmp_path):
    (tmp_path / "program.py").write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert "the processes of the pool die before they can evaluate" in done.stderr
    assert 'if __name__ == "__main__":' in done.stderr


def test_child_of_a_process_of_the_pool_that_died_is_killed(pool, tmp_path):
    outcomes(pool, Evaluation(_StartAndDie(tmp_path), SPACE), [point(0.5)])
    assert all_gone([int(path.name) for path in tmp_path.iterdir()])


class _StartAndDie:
    def __init__(self, folder):
        self.folder = folder

    def __call__(self, x):
        (self.folder / str(subprocess.Popen(["sleep", "600"]).pid)).touch()
        die_of(signal.SIGSEGV)


def test_isolated_crash_does_not_break_the_pool(pool):
    evaluation = Evaluation(segfault_below_zero, SPACE, Limits(seconds=60))
    came = outcomes(pool, evaluation, [point(-0.5), point(0.5)])
    assert (came[0].reason, came[1].value) == (Reason.CRASHED, 0.5)


def test_closing_lets_the_grace_period_finish_what_runs():
    pool = Pool(1)
    future = pool.submit(Evaluation(slowly_first, SPACE), point(0.25), 0)
    pool.close(grace_seconds=60)
    assert future.result(timeout=0).value == 0.25


def test_closing_cancels_what_does_not_end():
    pool = Pool(1)
    future = pool.submit(Evaluation(sleep, SPACE), point(0.25), 0)
    pool.close(grace_seconds=0.1)
    assert future.cancelled()


@pytest.mark.parametrize("limits", [Limits(), Limits(seconds=600)], ids=["without limits", "isolated"])
def test_closing_kills_what_runs_with_its_children(limits, tmp_path):
    pool = Pool(1)
    pool.submit(Evaluation(_HangWithOneChild(tmp_path), SPACE, limits), point(0.25), 0)
    pids = processes_of(tmp_path)
    pool.close()
    assert all_gone(pids)


class _HangWithOneChild:
    def __init__(self, folder):
        self.folder = folder

    def __call__(self, x):
        child = subprocess.Popen(["sleep", "600"])
        (self.folder / "writing").write_text(f"{os.getpid()} {child.pid}")
        (self.folder / "writing").rename(self.folder / "pids")
        child.wait()


def test_closing_kills_what_runs_isolated_in_a_thread(threads, tmp_path):
    workers = ExecutorWorkers(threads, 2)
    future = workers.submit(Evaluation(HangWithChildren(tmp_path), SPACE, Limits(seconds=600)), point(0.25), 0)
    pids = processes_of(tmp_path)
    workers.close()
    assert future.result(timeout=60).reason is Reason.CRASHED
    assert all_gone(pids)


def test_executor_of_the_user_stays_open(threads):
    ExecutorWorkers(threads, 2).close()
    assert threads.submit(int).result() == 0


def test_pool_processes_ignore_the_interrupt(pool):
    evaluation = Evaluation(_interrupt_itself, SPACE)
    assert outcomes(pool, evaluation, [point(0.5)])[0].value == 0.5


def _interrupt_itself(x):
    os.kill(os.getpid(), signal.SIGINT)
    return x[0]


def test_interrupt_that_f_raises_in_the_pool_is_a_failure(pool):
    outcome = outcomes(pool, Evaluation(_raise_interrupt, SPACE), [point(0.5)])[0]
    assert (outcome.reason, outcome.error) == (Reason.ERROR, "f raised KeyboardInterrupt")


def _raise_interrupt(x):
    raise KeyboardInterrupt


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_modules_in_the_current_folder_are_not_run_by_the_pool(method, tmp_path):
    for name in ("numpy", "pickle", "json", "socket"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})")
    program = tmp_path / "program" / "search.py"
    program.parent.mkdir()
    program.write_text(_SEARCH_IN_A_POOL)
    command = [sys.executable, str(program), method]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, (tmp_path / "ran").exists()) == ("None\n", False), done.stderr


_SEARCH_IN_A_POOL = """
import multiprocessing, os, sys
import rembo
def f(x):
    return 0.0, {"safe path": os.environ.get("PYTHONSAFEPATH")}
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    study = rembo.Study(rembo.Box(3), optimizer=rembo.RandomSearch(rembo.Box(3)))
    study.optimize(f, n_trials=2, n_workers=2)
    print(study.trials[0].user_attrs["safe path"])
"""


def test_pool_dies_with_the_process_that_made_it(tmp_path):
    program = f"""
import sys
sys.path[:] = {sys.path}
from pathlib import Path
from objectives import SPACE, point
from test_workers import _HangWithOneChild
from rembo.study.evaluation import Evaluation
from rembo.study.isolation import Limits
from rembo.study.workers import Pool
pool = Pool(2)
future = pool.submit(Evaluation(_HangWithOneChild(Path({str(tmp_path)!r})), SPACE, Limits(seconds=600)), point(0.5), 0)
pool.wait([future])
"""
    main = subprocess.Popen([sys.executable, "-c", program])
    pids = processes_of(tmp_path)
    main.kill()
    main.wait()
    assert all_gone(pids)


EVALUATION = Evaluation(first, SPACE)


@pytest.mark.parametrize("n_workers", [None, 1])
def test_one_worker_is_this_process(n_workers):
    assert isinstance(workers_for(EVALUATION, n_workers), Here)


def test_several_workers_are_a_pool():
    workers = workers_for(EVALUATION, 3)
    assert (type(workers), workers.count) == (Pool, 3)


def test_so_many_workers_as_would_bring_the_machine_down_are_refused():
    with pytest.raises(ValueError, match="n_workers 18446744073709551616 must lie between 1 and 4096"):
        workers_for(EVALUATION, 2**64)


def test_executor_says_how_many_workers_it_has(threads):
    workers = workers_for(EVALUATION, executor=threads)
    assert (type(workers), workers.count) == (ExecutorWorkers, 2)


def test_number_of_workers_overrides_the_executor(threads):
    assert workers_for(EVALUATION, 5, threads).count == 5


def test_executor_that_does_not_say_its_size_needs_a_number():
    class Lonely(Executor):
        def submit(self, call, /, *args):
            return ThreadPoolExecutor(1).submit(call, *args)

    with pytest.raises(ValueError, match="give n_workers"):
        workers_for(EVALUATION, executor=Lonely())


@pytest.mark.parametrize("n_workers", [0, -1])
def test_number_of_workers_is_positive(n_workers):
    with pytest.raises(ValueError, match="must be at least 1"):
        workers_for(EVALUATION, n_workers)


@pytest.mark.parametrize("executor", ["dask", 4, ThreadPoolExecutor])
def test_object_that_is_no_executor_is_refused(executor):
    with pytest.raises(TypeError, match="must be an executor of concurrent"):
        workers_for(EVALUATION, executor=executor)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executor_that_is_shut_down_is_refused(kind):
    executor = kind(1)
    executor.shutdown()
    with pytest.raises(ValueError, match="make a new one"):
        workers_for(EVALUATION, executor=executor)


def test_function_that_cannot_be_pickled_is_refused_by_a_pool():
    with pytest.raises(TypeError, match="top level of a module, or use executor=ThreadPoolExecutor"):
        workers_for(Evaluation(lambda x: 1.0, SPACE), 2)


def test_function_that_cannot_be_pickled_is_refused_by_an_executor_of_processes(processes):
    with pytest.raises(TypeError, match="top level of a module"):
        workers_for(Evaluation(lambda x: 1.0, SPACE), executor=processes)


def test_function_that_cannot_be_pickled_runs_in_threads(threads):
    lock = threading.Lock()
    evaluation = Evaluation(lambda x: float(lock.locked()), SPACE)
    assert outcomes(workers_for(evaluation, executor=threads), evaluation, [point(0.5)])[0].value == 0.0


def test_function_with_limits_in_threads_must_be_portable(threads):
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot be sent to another process"):
        workers_for(Evaluation(lambda x: lock.locked(), SPACE, Limits(seconds=1)), executor=threads)


def test_function_with_limits_here_may_be_a_closure():
    lock = threading.Lock()
    evaluation = Evaluation(lambda x: float(lock.locked()), SPACE, Limits(seconds=60))
    assert outcomes(workers_for(evaluation), evaluation, [point(0.5)])[0].value == 0.0
