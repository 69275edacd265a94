"""The loop of a study: how far it goes, in which order, on which workers, and what is left when it ends early."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest
import study_searches
from objectives import patiently
from study_searches import (
    BOX,
    FINITE,
    N_KILLED,
    Patient,
    bowl,
    cost,
    default_study,
    fill_disk,
    full_disk,
    later,
    random_study,
    states,
    story,
    troubled,
    uneven_bowl,
)

from rembo import RandomSearch
from rembo.study import End, Evaluation, Reason, StorageError, Study, open_storage
from rembo.study.book import Book
from rembo.study.interruption import Interruption
from rembo.study.pace import AsTheyCome
from rembo.study.run import Plan, Run
from rembo.study.storage import Header
from rembo.study.trial import Origin
from rembo.study.workers import workers_for


@pytest.fixture
def threads():
    with ThreadPoolExecutor(4) as executor:
        yield executor


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tune.db"


def stop(study, trial):
    raise StopIteration


@dataclass(frozen=True)
class JustMissed(AsTheyCome):
    """Lets an evaluation end as soon as it has found that nothing is due."""

    gate: threading.Event

    def due(self, book, asks):
        found = super().due(book, asks)
        if found is None and book.busy and not self.gate.is_set():
            self.gate.set()
            patiently(lambda: book.unlearned)
        return found


def test_result_that_comes_after_nothing_was_due_is_told(threads):
    gate, book = threading.Event(), Book(open_storage(None).begin(Header("s", "minimize", BOX)), RandomSearch(BOX), 1.0)
    evaluation = Evaluation(lambda x: gate.wait(60) and 0.5, BOX)
    workers = workers_for(evaluation, executor=threads)
    run = Run(book, evaluation, workers, replace(Plan.of(1, None, False, None), pace=JustMissed(gate)))
    assert run.until_done(Interruption(grace=5.0), lambda trial: None) is End.COMPLETED
    assert [trial.told for trial in book.trials] == [1]


class StopAt:
    """A callback that ends the search when so many trials were told."""

    def __init__(self, count):
        self.left = count

    def __call__(self, study, trial):
        self.left -= 1
        if self.left == 0:
            raise StopIteration


# How far


def test_study_ends_with_so_many_trials():
    study = random_study()
    assert study.optimize(bowl, 7) is End.COMPLETED
    assert states(study) == ["COMPLETE"] * 7


def test_number_of_trials_counts_those_of_earlier_calls():
    study = random_study()
    study.optimize(bowl, 5)
    study.optimize(bowl, 8)
    assert len(study.trials) == 8


def test_number_of_trials_that_is_reached_evaluates_nothing():
    study, called = random_study(), []
    study.optimize(bowl, 5)
    assert study.optimize(called.append, 5) is End.COMPLETED
    assert (called, len(study.trials)) == ([], 5)


def test_number_of_trials_below_those_made_evaluates_nothing():
    study = random_study()
    study.optimize(bowl, 5)
    study.optimize(bowl, 2)
    assert len(study.trials) == 5


@pytest.mark.parametrize("make", [random_study, default_study])
def test_number_of_trials_may_be_raised_later(make):
    whole, raised = make(), make()
    whole.optimize(bowl, 12)
    raised.optimize(bowl, 5)
    raised.optimize(bowl, 12)
    assert story(raised) == story(whole)


def test_trial_that_waits_is_evaluated_first():
    study = random_study(x0=[0.5] * 20)
    study.optimize(bowl, 1)
    assert (study.trials[0].x[0], study.trials[0].attempts) == (0.5, 1)


def test_trials_that_wait_beyond_the_number_of_trials_stay():
    study = random_study()
    study.optimize(bowl, 30, deterministic=5, callbacks=[stop])
    assert study.optimize(bowl, 2, deterministic=5) is End.COMPLETED
    assert states(study) == ["COMPLETE"] * 2 + ["WAITING"] * 3


def test_timeout_starts_nothing_new():
    study = random_study()
    assert study.optimize(lambda x: time.sleep(0.05) or bowl(x), 1000, timeout=0.2) is End.TIMEOUT
    assert 1 <= len(study.trials) < 20
    assert set(states(study)) == {"COMPLETE"}


def test_timeout_evaluates_at_least_one_trial():
    study = random_study()
    assert study.optimize(bowl, 5, timeout=1e-9) is End.TIMEOUT
    assert len(study.trials) == 1


def test_timeout_after_the_last_trial_is_no_timeout():
    study = random_study()
    assert study.optimize(bowl, 1, timeout=1e-9) is End.COMPLETED


def test_timeout_leaves_trials_that_were_asked_ahead_waiting():
    study = random_study()
    study.optimize(bowl, 50, timeout=1e-9, deterministic=3)
    assert states(study)[1:] == ["WAITING"] * (len(study.trials) - 1)


# Callbacks


def test_callback_gets_the_study_and_each_trial():
    study, got = random_study(), []
    study.optimize(bowl, 4, callbacks=[lambda *given: got.append(given)])
    assert [(each[0], each[1].number) for each in got] == [(study, number) for number in range(4)]


def test_callback_ends_the_search():
    study = random_study()
    assert study.optimize(bowl, 50, callbacks=[StopAt(3)]) is End.STOPPED
    assert states(study) == ["COMPLETE"] * 3


def test_callbacks_get_all_that_finished_though_the_first_ended_the_search(threads):
    study, got, all_run = random_study(), [], threading.Barrier(4)
    callbacks = [lambda _, trial: got.append(trial.number), StopAt(1)]
    assert study.optimize(lambda x: all_run.wait() or bowl(x), 50, executor=threads, callbacks=callbacks) is End.STOPPED
    assert sorted(got) == [0, 1, 2, 3]


def test_error_of_a_callback_comes_out_and_loses_nothing():
    study = random_study()
    with pytest.raises(ZeroDivisionError):
        study.optimize(bowl, 5, callbacks=[lambda study, trial: 1 / 0])
    study.optimize(bowl, 5)
    assert states(study) == ["COMPLETE"] * 5


def test_error_of_a_callback_lets_wait_what_runs(tmp_path):
    study, patient = random_study(), Patient(tmp_path)
    later(lambda: patient.began() == 2, (tmp_path / "go").touch)
    with pytest.raises(ZeroDivisionError):
        study.optimize(patient, 6, n_workers=2, callbacks=[lambda study, trial: 1 / 0])
    assert "RUNNING" not in states(study)
    study.optimize(bowl, 6)
    assert states(study) == ["COMPLETE"] * 6


# Failures


def test_failures_and_pruned_trials_do_not_end_the_search(caplog):
    study = random_study()
    study.optimize(troubled, 30)
    assert set(states(study)) == {"COMPLETE", "PRUNED", "FAIL"}
    assert "not worth it" in caplog.text


def test_failure_keeps_its_reason_and_its_traceback():
    study = random_study()
    study.optimize(lambda x: 1 / 0, 1)
    assert (study.trials[0].reason, study.trials[0].failure) == (Reason.ERROR, "ZeroDivisionError: division by zero")


def test_time_limit_of_a_trial_is_kept():
    study = random_study()
    study.optimize(lambda x: time.sleep(600), 1, trial_timeout=0.2)
    assert study.trials[0].reason is Reason.TIMEOUT


def test_search_learns_where_f_fails():
    study = Study(BOX, seed=0)
    study.optimize(lambda x: bowl(x) if x[3] >= 0.0 else float("nan"), 40)
    assert states(study)[10:].count("FAIL") < 0.3 * 30  # of random points, half


def test_executor_that_breaks_leaves_its_trials_waiting():
    study = random_study()
    with ProcessPoolExecutor(1) as executor, pytest.raises(Exception, match="process pool"):
        study.optimize(_exit, 4, executor=executor)
    assert set(states(study)) == {"WAITING"}
    assert study.trials[0].attempts == 0


def _exit(x):
    os._exit(1)


# In parallel


def test_pool_makes_each_trial_once():
    study = random_study()
    study.optimize(uneven_bowl, 25, n_workers=2)
    assert [trial.value for trial in study.trials] == [bowl(trial.x) for trial in study.trials]
    assert sorted(order for trial in study.trials for order in (trial.asked, trial.told)) == list(range(50))


def test_no_configuration_is_asked_twice_while_others_are_pending(threads):
    study = Study(FINITE, seed=0)
    study.optimize(lambda x: time.sleep(0.01) or cost(x), 12, executor=threads)
    assert len({tuple(trial.x.values()) for trial in study.trials}) == 12


class Attentive(RandomSearch):
    """Random points, one of which is suggested only when something has come true meanwhile."""

    nth = 1

    def ask(self):
        if len(self.trials) == self.nth:
            patiently(self.until)
        return super().ask()


def test_result_is_kept_while_a_suggestion_is_made(threads):
    searcher = Attentive(BOX, seed=0)
    study = Study(BOX, optimizer=searcher)
    searcher.until = lambda: study.trials[0].value is not None
    study.optimize(bowl, 2, executor=threads)
    assert [trial.told for trial in study.trials] == [2, 3]


def test_worker_that_finishes_while_a_suggestion_is_made_gets_the_next_trial_that_waits():
    searcher = Attentive(BOX, seed=0)
    searcher.nth = 3
    study = Study(BOX, optimizer=searcher)
    searcher.until = lambda: study.trials[2].value is not None
    with ThreadPoolExecutor(1) as one:
        study.optimize(bowl, 4, executor=one, deterministic=3)
    assert states(study) == ["COMPLETE"] * 4


def test_trial_that_waits_for_a_worker_has_not_begun():
    """A process that is killed charges only what it was evaluating."""
    study, attempts = random_study(), []

    def note(x):
        while len(study.trials) < 3:
            time.sleep(0.01)
        attempts.append([trial.attempts for trial in study.trials])
        return bowl(x)

    with ThreadPoolExecutor(1) as one:
        study.optimize(note, 3, executor=one, deterministic=3)
    assert attempts == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("n_workers", [2, 4])
def test_deterministic_study_makes_the_same_trials_with_any_number_of_workers(n_workers):
    one, several = default_study(), default_study()
    one.optimize(bowl, 14, deterministic=True)
    several.optimize(uneven_bowl, 14, deterministic=True, n_workers=n_workers)
    assert story(several) == story(one)


@pytest.mark.parametrize("told", [1, 6])
def test_deterministic_study_that_was_stopped_goes_on_as_if_it_was_not(threads, told):
    whole, stopped = default_study(), default_study()
    whole.optimize(bowl, 12, deterministic=4)
    stopped.optimize(uneven_bowl, 12, deterministic=4, executor=threads, callbacks=[StopAt(told)])
    stopped.optimize(uneven_bowl, 12, deterministic=4, executor=threads)
    assert story(stopped) == story(whole)


def test_deterministic_study_evaluates_at_most_the_lookahead_at_a_time(tmp_path):
    study, patient = random_study(), Patient(tmp_path)
    later(lambda: patient.began() == 2, (tmp_path / "go").touch)
    study.optimize(patient, 6, deterministic=2, n_workers=4)
    assert all(trial.asked < study.trials[trial.number - 2].told + 2 for trial in study.trials[2:])


def test_deterministic_study_refuses_a_trial_that_was_asked_and_not_told():
    study = random_study()
    study.ask()
    with pytest.raises(ValueError, match=r"trial 0 was asked and not told: tell\(0, \.\.\.\) first"):
        study.optimize(bowl, 5, deterministic=True)


def test_trial_asked_by_hand_counts_and_is_left_to_its_owner():
    study = random_study()
    study.ask()
    study.optimize(bowl, 5)
    assert states(study) == ["RUNNING"] + ["COMPLETE"] * 4


# In a hurry


def test_suggestions_are_hurried_beyond_their_share_of_the_time():
    study = default_study()
    study.optimize(bowl, 40, max_overhead=0.01)
    assert [trial.origin for trial in study.trials].count(Origin.HURRIED) > 20


def test_suggestions_are_not_hurried_within_their_share_of_the_time():
    study = random_study()
    study.optimize(lambda x: time.sleep(0.02) or bowl(x), 10, max_overhead=1.0)
    assert {trial.origin for trial in study.trials} == {Origin.ASKED}


# Killed, and a full disk


def program(path, n_workers, deterministic):
    return [sys.executable, study_searches.__file__, str(path), str(n_workers), deterministic]


def kill_once_begun(command, seconds):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        time.sleep(seconds)
        child.kill()


@pytest.mark.parametrize(("n_workers", "order"), [(1, "as they come"), (2, "deterministic")])
def test_study_that_is_killed_five_times_equals_the_uninterrupted_one(path, n_workers, order):
    whole = default_study()
    whole.optimize(bowl, N_KILLED, deterministic=order == "deterministic")
    for seconds in (0.0, 0.07, 0.16, 0.23, 0.31):
        kill_once_begun(program(path, n_workers, order), seconds)
    subprocess.run(program(path, n_workers, order), check=True)
    with default_study(storage=path) as resumed:
        assert story(resumed) == story(whole)


def test_study_goes_on_when_a_full_disk_has_space_again(path):
    whole = random_study()
    whole.optimize(bowl, 40)
    with random_study(storage=path) as study:
        with full_disk(100_000), pytest.raises(StorageError, match="full"):
            study.optimize(bowl, 40)
        assert 0 < len(study.trials) < 40
        study.optimize(bowl, 40)
        assert story(study) == story(whole)


def test_results_that_came_while_the_disk_was_full_are_not_evaluated_again(path):
    filling = FullFromTheFourth()
    with random_study(storage=path) as study:
        with full_disk(10**9), pytest.raises(StorageError):
            study.optimize(filling, 4, executor=AtOnce(), n_workers=4)
        study.optimize(filling, 4)
        assert (states(study), filling.called) == (["COMPLETE"] * 4, 4)


def test_study_that_is_closed_writes_what_it_owes(path):
    study = random_study(storage=path)
    with full_disk(10**9), pytest.raises(StorageError):
        study.optimize(FullFromTheFourth(), 4)
    study.close()
    with Study.load(path) as again:
        assert states(again) == ["COMPLETE"] * 4


class AtOnce(Executor):
    """An executor that has finished when it is asked."""

    def submit(self, call, /, *arguments):
        future = Future()
        future.set_result(call(*arguments))
        return future


class FullFromTheFourth:
    """bowl, and a disk that is full from its fourth call on."""

    called = 0

    def __call__(self, x):
        self.called += 1
        if self.called == 4:
            fill_disk()
        return bowl(x)
