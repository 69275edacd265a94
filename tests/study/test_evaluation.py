"""What comes of an evaluation, whatever f does."""

import json
import math
import os
import pickle
import socket
import time

import numpy as np
import pytest
from objectives import SPACE, first, point

from rembo import Box, Float, Point, Space, TrialState
from rembo.embedding.forest import Forest
from rembo.embedding.layout import Layout
from rembo.study.evaluation import Evaluation, finite_number
from rembo.study.failure import EvaluationError, TrialPruned
from rembo.study.isolation import Limits
from rembo.study.trial import Reason


def outcome_of(f, **options):
    return Evaluation(f, SPACE, **options)(point(0.25), number=3)


def returning(value):
    return outcome_of(lambda x: value)


def raising(error):
    def f(x):
        raise error

    return outcome_of(f)


def test_outcome_of_a_number_is_complete():
    outcome = outcome_of(first)
    assert (outcome.value, outcome.state, outcome.reason, outcome.error) == (0.25, TrialState.COMPLETE, None, None)


def test_f_gets_what_the_space_decodes():
    space = Space({"rate": Float(0.0, 8.0), "scale": Float(1.0, 2.0)})
    assert Evaluation(lambda x: x["rate"], space)(point(0.25), 0).value == 5.0


def test_outcome_says_when_it_was_evaluated():
    before = time.time()
    outcome = outcome_of(first)
    assert before <= outcome.started_at <= outcome.finished_at <= time.time()


def test_outcome_says_where_it_was_evaluated():
    assert outcome_of(first).worker == f"{socket.gethostname()}:{os.getpid()}"


def test_isolated_outcome_names_the_worker_and_not_its_child():
    assert outcome_of(first, limits=Limits(seconds=60)).worker == f"{socket.gethostname()}:{os.getpid()}"


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0), True + 1])
def test_number_of_any_kind_is_a_value(value):
    outcome = returning(value)
    assert (type(outcome.value), outcome.value) == (float, 2.0)


def test_tensor_of_no_dimension_is_a_number():
    torch = pytest.importorskip("torch")
    assert finite_number(torch.tensor(2.0)) == 2.0


@pytest.mark.parametrize("value", [None, "2", math.nan, math.inf, 2j, np.ones(3), (1.0, 2.0), (None, {}), 10**400])
def test_value_that_is_no_finite_number_fails(value):
    outcome = returning(value)
    assert (outcome.value, outcome.state, outcome.reason) == (None, TrialState.FAIL, Reason.NO_NUMBER)


def test_failure_names_what_f_returned():
    assert returning("seven").error == "f returned 'seven', which is not a finite number"


def test_failure_names_only_the_beginning_of_what_is_long():
    assert len(returning("a" * 10**6).error) < 1000


def test_attributes_beside_the_number_are_kept():
    outcome = returning((2.0, {"epochs": 3, "losses": np.array([0.5, 0.25]), "last": np.float32(0.25)}))
    assert (outcome.value, outcome.user_attrs) == (2.0, {"epochs": 3, "losses": [0.5, 0.25], "last": 0.25})


@pytest.mark.parametrize("attributes", [{3: 1}, {"handle": object()}, {"numbers": {1, 2}}])
def test_attributes_that_no_file_takes_are_refused(attributes):
    outcome = returning((2.0, attributes))
    assert outcome.reason is Reason.NO_NUMBER
    assert "a number with a dict of string keys and JSON data" in outcome.error


@pytest.mark.parametrize("error", [ValueError("too cold"), SystemExit("too cold"), AssertionError("too cold")])
def test_exception_of_any_kind_fails_with_its_traceback(error):
    outcome = raising(error)
    assert (outcome.state, outcome.reason) == (TrialState.FAIL, Reason.ERROR)
    assert outcome.error.endswith(f"{type(error).__name__}: too cold")


def test_traceback_begins_in_f():
    assert raising(ValueError("too cold")).error.splitlines()[1].endswith("in f")


def test_traceback_of_an_isolated_evaluation_begins_in_f():
    def f(x):
        raise ValueError("too cold")

    assert outcome_of(f, alone=True).error.splitlines()[1].endswith("in f")


def test_error_text_keeps_both_ends_of_what_is_long():
    error = raising(ValueError("a" * 10**6 + "end")).error
    assert error.startswith("Traceback")
    assert error.endswith("aend")
    assert len(error) < 5000


def test_memory_error_is_told_as_memory():
    assert raising(MemoryError()).reason is Reason.MEMORY


def test_evaluation_error_keeps_its_own_reason_and_text():
    outcome = raising(EvaluationError(Reason.TIMEOUT, "the solver gave up"))
    assert (outcome.state, outcome.reason, outcome.error) == (TrialState.FAIL, Reason.TIMEOUT, "the solver gave up")


def test_pruned_trial_is_not_a_failed_one():
    outcome = raising(TrialPruned("hopeless"))
    assert (outcome.value, outcome.state, outcome.reason) == (None, TrialState.PRUNED, None)


def test_keyboard_interrupt_is_not_caught():
    with pytest.raises(KeyboardInterrupt):
        raising(KeyboardInterrupt())


@pytest.mark.parametrize("options", [{}, {"limits": Limits(seconds=60)}, {"alone": True}], ids=str)
def test_outcome_is_the_same_in_a_process_of_its_own(options):
    outcome = outcome_of(lambda x: (x[0], {"pair": [1, 2]}), **options)
    assert (outcome.value, outcome.user_attrs) == (0.25, {"pair": [1, 2]})


@pytest.mark.parametrize("options", [{"limits": Limits(seconds=60)}, {"limits": Limits(memory=2**40)}, {"alone": True}])
def test_limits_give_f_a_process_of_its_own(options):
    assert outcome_of(lambda x: os.getpid(), **options).value != os.getpid()


def test_call_travels_in_two_kilobytes_whatever_the_dimension():
    forest = Forest.planted(Layout.numbers(10**9), leaves=64, seed=2**62)
    call = Evaluation(first, Box(10**9), Limits(seconds=60)), Point(forest, np.linspace(-1, 1, 64) / 3), 10**6
    assert len(pickle.dumps(call)) < 2000


def test_outcome_travels_in_half_a_kilobyte():
    assert len(pickle.dumps(outcome_of(first))) < 500


def test_attributes_nested_too_deeply_make_a_failed_trial():
    outcome = outcome_of(lambda x: (1.0, {"deep": json.loads("[" * 900 + "]" * 900)}))
    assert (outcome.value, outcome.reason) == (None, Reason.NO_NUMBER)
