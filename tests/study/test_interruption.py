"""Ctrl-C and SIGTERM: what runs gets its grace period, all that is finished is stored, and nothing is torn apart."""

import os
import signal
import subprocess
import sys
import threading
import time
from signal import SIGINT, SIGTERM

import pytest
from objectives import all_gone, patiently
from study_searches import BOX, Patient, Raising, bowl, default_study, later, random_study, states, story

from rembo import RandomSearch
from rembo.study import End, Study
from rembo.study.interruption import undisturbed


def interrupt():
    os.kill(os.getpid(), SIGINT)


def handlers():
    return signal.getsignal(SIGINT), signal.getsignal(SIGTERM)


@pytest.fixture
def own_handler():
    """A handler that a program has set for itself, and what it received."""
    received = []
    before = signal.signal(SIGINT, lambda number, frame: received.append(number))
    yield received
    signal.signal(SIGINT, before)


# In f


def test_first_interrupt_lets_f_finish():
    study = random_study()
    with pytest.raises(KeyboardInterrupt):
        study.optimize(Raising({3: [SIGINT]}), 9)
    assert states(study) == ["COMPLETE"] * 3


def test_second_interrupt_ends_f_at_once():
    study = random_study()
    with pytest.raises(KeyboardInterrupt):
        study.optimize(Raising({3: [SIGINT, SIGINT]}), 9)
    assert (states(study), study.trials[2].attempts) == (["COMPLETE", "COMPLETE", "WAITING"], 0)


def test_end_of_the_grace_period_ends_f():
    study = random_study()
    with pytest.raises(KeyboardInterrupt):
        study.optimize(lambda x: interrupt() or time.sleep(60), 9, grace=0.1)
    assert states(study) == ["WAITING"]


def test_interrupt_without_grace_ends_f_at_once():
    study = random_study()
    with pytest.raises(KeyboardInterrupt):
        study.optimize(Raising({2: [SIGINT]}), 9, grace=0.0)
    assert states(study) == ["COMPLETE", "WAITING"]


def test_interrupted_study_goes_on_as_if_it_was_not():
    whole, interrupted = default_study(), default_study()
    whole.optimize(bowl, 10)
    with pytest.raises(KeyboardInterrupt):
        interrupted.optimize(Raising({6: [SIGINT, SIGINT]}), 10)
    interrupted.optimize(bowl, 10)
    assert story(interrupted) == story(whole)


def test_termination_ends_the_process_with_its_own_status():
    study = random_study()
    with pytest.raises(SystemExit) as end:
        study.optimize(Raising({2: [SIGTERM]}), 9)
    assert (end.value.code, states(study)) == (143, ["COMPLETE"] * 2)


def test_handlers_are_as_before_when_a_study_has_ended():
    before = handlers()
    random_study().optimize(bowl, 2)
    assert handlers() == before


def test_handlers_are_as_before_when_a_study_was_interrupted():
    before = handlers()
    with pytest.raises(KeyboardInterrupt):
        random_study().optimize(Raising({1: [SIGINT]}), 9)
    assert handlers() == before


def test_handler_of_the_program_is_left_alone(own_handler):
    study = random_study()
    assert study.optimize(Raising({2: [SIGINT]}), 4) is End.COMPLETED
    assert own_handler == [SIGINT]


def test_study_in_a_thread_leaves_signals_to_the_main_one():
    study, before = random_study(), handlers()
    thread = threading.Thread(target=study.optimize, args=(bowl, 5))
    thread.start()
    thread.join(60)
    assert (states(study), handlers()) == (["COMPLETE"] * 5, before)


def test_trial_that_waits_after_an_interrupt_is_evaluated_first():
    study = random_study()
    with pytest.raises(KeyboardInterrupt):
        study.optimize(Raising({2: [SIGINT, SIGINT]}), 9)
    assert study.ask().number == 1


# While it thinks


class Interrupted(RandomSearch):
    """A search during whose second ask the user presses Ctrl-C, so often."""

    def __init__(self, times):
        super().__init__(BOX, seed=0)
        self.times = times

    def _suggest(self, turn, pending):
        for _ in range(self.times if turn == 1 else 0):
            interrupt()
            time.sleep(0.01)
        return super()._suggest(turn, pending)


@pytest.mark.parametrize(("times", "left"), [(1, "COMPLETE"), (3, "WAITING")])
def test_ask_is_not_torn_apart(times, left):
    study = Study(BOX, optimizer=Interrupted(times))
    with pytest.raises(KeyboardInterrupt):
        study.optimize(bowl, 5)
    assert states(study) == ["COMPLETE", left]
    assert len(study.optimizer.trials) == 2


@pytest.mark.parametrize("times", [1, 3])
def test_study_interrupted_in_an_ask_goes_on_as_if_it_was_not(times):
    whole, study = random_study(), Study(BOX, optimizer=Interrupted(times))
    whole.optimize(bowl, 5)
    with pytest.raises(KeyboardInterrupt):
        study.optimize(bowl, 5)
    study.optimize(bowl, 5)
    assert story(study) == story(whole)


def test_ask_by_hand_that_is_interrupted_is_in_the_book():
    study = Study(BOX, optimizer=Interrupted(1))
    study.tell(study.ask(), 1.0)
    with pytest.raises(KeyboardInterrupt):
        study.ask()
    assert study.tell(1, 2.0).point == study.optimizer.trials[1].point


def test_signal_is_heeded_after_what_is_undisturbed(own_handler):
    with undisturbed():
        interrupt()
        during = list(own_handler)
    assert (during, own_handler) == ([], [SIGINT])


def test_undisturbed_within_undisturbed_ends_with_the_outer_one(own_handler):
    with undisturbed():
        with undisturbed():
            interrupt()
        during = list(own_handler)
    assert (during, own_handler) == ([], [SIGINT])


def test_interrupt_is_raised_at_the_end_of_what_is_undisturbed():
    with pytest.raises(KeyboardInterrupt), undisturbed():
        interrupt()


def test_undisturbed_restores_the_handlers_after_an_error():
    before = handlers()
    with pytest.raises(ZeroDivisionError), undisturbed():
        _ = 1 / 0
    assert handlers() == before


# With workers


def test_interrupt_lets_the_pool_finish(tmp_path):
    study, patient = random_study(), Patient(tmp_path)
    later(lambda: patient.began() == 2, lambda: (interrupt(), (tmp_path / "go").touch()))
    with pytest.raises(KeyboardInterrupt):
        study.optimize(patient, 9, n_workers=2, grace=60)
    assert states(study) == ["COMPLETE"] * 2


def test_end_of_the_grace_period_kills_what_the_pool_runs(tmp_path):
    study, patient = random_study(), Patient(tmp_path)
    later(lambda: patient.began() == 2, interrupt)
    with pytest.raises(KeyboardInterrupt):
        study.optimize(patient, 9, n_workers=2, grace=0.1)
    assert set(states(study)) == {"WAITING"}
    assert all_gone([int(path.name.split("-")[1]) for path in tmp_path.glob("began-*")])


PROGRAM = """
import sys
sys.path[:] = {path}
from pathlib import Path
from study_searches import Patient, random_study
with random_study(storage={storage!r}) as study:
    study.optimize(Patient(Path({folder!r})), 9, n_workers={n_workers}, grace=60)
"""


@pytest.mark.parametrize(("number", "status"), [(SIGINT, -SIGINT), (SIGTERM, 143)])
@pytest.mark.parametrize("n_workers", [1, 2])
def test_program_that_is_ended_has_stored_what_was_running(tmp_path, number, status, n_workers):
    storage, patient = str(tmp_path / "tune.db"), Patient(tmp_path)
    program = PROGRAM.format(path=sys.path, storage=storage, folder=str(tmp_path), n_workers=n_workers)
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) as process:
        patiently(lambda: patient.began() == n_workers)
        process.send_signal(number)
        (tmp_path / "go").touch()
        process.communicate(timeout=60)
    with random_study(storage=storage) as study:
        assert (process.returncode, states(study)) == (status, ["COMPLETE"] * n_workers)
