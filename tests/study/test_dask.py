"""Workers of a Dask cluster of two processes, which may be lost."""

import os
import signal
import time

import pytest
from objectives import (
    SPACE,
    HangWithChildren,
    Record,
    all_gone,
    begun,
    first,
    patiently,
    point,
    processes_of,
    workers_at,
)

from rembo.study.evaluation import Evaluation
from rembo.study.isolation import Limits
from rembo.study.trial import Reason
from rembo.study.workers import DaskWorkers, OnLost, workers_for

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**settings, silence_logs="CRITICAL") as started:
        yield started


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as connected:
        connected.wait_for_workers(2, timeout=300)
        yield connected


@pytest.fixture
def workers(client):
    made = workers_for(Evaluation(first, SPACE), executor=client)
    yield made
    made.close()


def outcomes(workers, evaluation, points):
    """What comes back, in the order of the points."""
    futures = [workers.submit(evaluation, x, number) for number, x in enumerate(points)]
    return [(workers.wait([future], timeout=100), future.result(timeout=0))[1] for future in futures]


def lose_a_worker(workers, records):
    """The outcomes of six evaluations of which one loses its worker; they end after that."""
    records.mkdir()
    evaluation = Evaluation(Record(records, gate=records.parent / "gate"), SPACE)
    futures = [workers.submit(evaluation, point(number / 10), number) for number in range(6)]
    os.kill(patiently(lambda: workers_at(records)).pop(), signal.SIGKILL)
    (records.parent / "gate").touch()
    return [(workers.wait([future], timeout=100), future.result(timeout=0))[1] for future in futures]


def allow_failures(number, dask_scheduler):
    dask_scheduler.allowed_failures = number


def test_each_submission_comes_back_once(workers, tmp_path):
    points = [point(number / 20) for number in range(20)]
    came = outcomes(workers, Evaluation(Record(tmp_path), SPACE), points)
    assert [outcome.value for outcome in came] == [x[0] for x in points]
    assert begun(tmp_path) == [x[0] for x in points]


def test_cluster_says_how_many_workers_it_has(workers):
    assert workers.count == 2


def test_number_of_workers_overrides_the_cluster(client):
    assert workers_for(Evaluation(first, SPACE), 7, client).count == 7


def test_closure_is_evaluated_on_the_cluster(workers):
    factor = 4.0
    assert outcomes(workers, Evaluation(lambda x: factor * x[0], SPACE), [point(0.5)])[0].value == 2.0


def test_closure_with_limits_is_evaluated_on_the_cluster(workers):
    factor = 4.0
    evaluation = Evaluation(lambda x: factor * x[0], SPACE, Limits(seconds=60))
    assert outcomes(workers, evaluation, [point(0.5)])[0].value == 2.0


def test_hanging_trial_is_killed_with_its_children(workers, tmp_path):
    evaluation = Evaluation(HangWithChildren(tmp_path), SPACE, Limits(seconds=1.5))
    assert outcomes(workers, evaluation, [point(0.5)])[0].reason is Reason.TIMEOUT
    assert all_gone(processes_of(tmp_path))


def test_waiting_ends_at_the_timeout(workers):
    future = workers.submit(Evaluation(lambda x: time.sleep(0.5), SPACE), point(0.5), 0)
    assert workers.wait([future], timeout=0.01) == set()


def test_trial_of_a_lost_worker_is_evaluated_again(client, tmp_path):
    came = lose_a_worker(DaskWorkers(client), tmp_path / "records")
    assert [outcome.value for outcome in came] == [number / 10 for number in range(6)]
    assert len(begun(tmp_path / "records")) == 7


def test_trial_of_a_lost_worker_fails_if_the_user_wants_it(client, tmp_path):
    came = lose_a_worker(DaskWorkers(client, on_lost=OnLost.FAIL), tmp_path / "records")
    assert [outcome.reason for outcome in came].count(Reason.LOST) == 1
    assert begun(tmp_path / "records") == [number / 10 for number in range(6)]


def test_trial_that_kills_as_many_workers_as_dask_allows_is_lost(client):
    client.run_on_scheduler(allow_failures, 0)
    outcome = outcomes(DaskWorkers(client), Evaluation(lambda x: os._exit(1), SPACE), [point(0.5)])[0]
    client.run_on_scheduler(allow_failures, 3)
    assert outcome.reason is Reason.LOST


def test_closing_kills_what_runs_in_isolation(client, tmp_path):
    workers = DaskWorkers(client)
    future = workers.submit(Evaluation(HangWithChildren(tmp_path), SPACE, Limits(seconds=600)), point(0.25), 0)
    pids = processes_of(tmp_path)
    workers.close(grace_seconds=0.1)
    assert future.cancelled()
    assert all_gone(pids)


def test_closing_lets_the_grace_period_finish_what_runs(client):
    workers = DaskWorkers(client)
    future = workers.submit(Evaluation(first, SPACE), point(0.25), 0)
    workers.close(grace_seconds=60)
    assert future.result(timeout=0).value == 0.25


def test_function_that_the_cluster_cannot_import_is_an_error(workers):
    class Foreign:
        def __call__(self, x):
            return 1.0

        def __reduce__(self):
            return __import__, ("no_such_module",)

    future = workers.submit(Evaluation(Foreign(), SPACE), point(0.5), 0)
    workers.wait([future], timeout=100)
    with pytest.raises(Exception, match="deserialization"):
        future.result(timeout=0)


def test_closed_client_is_refused(cluster):
    client = distributed.Client(cluster)
    client.close()
    with pytest.raises(ValueError, match="make a new one"):
        workers_for(Evaluation(first, SPACE), executor=client)


@pytest.mark.parametrize("on_lost", ["forget", None])
def test_only_retry_and_fail_are_known(client, on_lost):
    with pytest.raises(ValueError, match="'retry' or 'fail'"):
        workers_for(Evaluation(first, SPACE), executor=client, on_lost=on_lost)
