"""`minimize` and `maximize`: what they return, what they survive, when they end, and what they refuse."""

import logging
import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.optimize import OptimizeResult

from rembo import (
    BayesOpt,
    Bool,
    Box,
    Categorical,
    Float,
    Growing,
    Integer,
    Point,
    RandomSearch,
    Rembo,
    Space,
    TrialState,
    maximize,
    minimize,
)
from rembo.study import default_optimizer

BOX = Box(20)
SPACE = Space(
    {
        "rate": Float(1e-3, 1.0, log=True),
        "layers": Integer(1, 8),
        "solver": Categorical(["adam", "sgd"]),
        "warm": Bool(),
        "weights": Box(5, low=0.0, high=1.0),
    }
)


def bowl(x):
    return (x[3] - 0.4) ** 2 + (x[17] + 0.2) ** 2


def cost(x):
    return abs(math.log10(x["rate"]) + 2.0) + x["layers"] + (x["solver"] == "sgd") + x["weights"][2]


def random_search(n=4, seed=0, f=bowl, **options):
    """A search that takes no time to think."""
    return minimize(f, BOX, n, optimizer=RandomSearch(BOX, seed=seed), **options)


class Troubled:
    """bowl, except for the calls that `trouble` names by number (1, 2, ...) and says what to do instead."""

    def __init__(self, trouble):
        self.trouble, self.called = trouble, 0

    def __call__(self, x):
        self.called += 1
        return self.trouble[self.called]() if self.called in self.trouble else bowl(x)


def raising(error):
    def trouble():
        raise error

    return trouble


INTERRUPT, FULL = raising(KeyboardInterrupt()), raising(OSError("disk full"))


# What comes back


def test_minimize_returns_a_scipy_result():
    assert isinstance(random_search(), OptimizeResult)


def test_result_on_a_box_is_a_point_with_its_value():
    result = minimize(bowl, BOX, 8, seed=0)
    assert isinstance(result.x, Point)
    assert bowl(result.x) == result.fun


def test_result_on_a_space_is_a_dict_with_its_value():
    result = minimize(cost, SPACE, 8, seed=0)
    assert list(result.x) == ["rate", "layers", "solver", "warm", "weights"]
    assert cost(result.x) == result.fun


@pytest.mark.parametrize(
    ("parameter", "f"),
    [(Float(-1.0, 3.0), abs), (Integer(-5, 5), abs), (Bool(), float), (Categorical([3, 1, 2]), float)],
    ids=["Float", "Integer", "Bool", "Categorical"],
)
def test_minimize_takes_a_single_parameter(parameter, f):
    result = minimize(f, parameter, 6, seed=0)
    assert result.fun == f(result.x)


def test_best_value_is_the_lowest_of_the_trials():
    result = random_search(10)
    assert result.fun == min(trial.value for trial in result.trials)


def test_trials_stand_in_the_order_of_evaluation():
    seen = []
    result = random_search(5, f=lambda x: seen.append(bowl(x)) or seen[-1])
    assert [trial.value for trial in result.trials] == seen
    assert [trial.number for trial in result.trials] == [0, 1, 2, 3, 4]


def test_complete_search_says_so():
    result = random_search(3)
    assert (result.success, result.status, result.nfev) == (True, 0, 3)
    assert result.message == "the number of trials was reached"


def test_result_carries_its_optimizer():
    optimizer = RandomSearch(BOX, seed=0)
    assert minimize(bowl, BOX, 2, optimizer=optimizer).optimizer is optimizer


def test_result_on_a_billion_coordinates_can_be_printed():
    assert "1000000000 coordinates" in repr(minimize(lambda x: x[5], Box(10**9), 2, seed=0))


def test_default_search_finds_the_bowl_better_than_chance():
    found = [minimize(bowl, BOX, 60, seed=seed).fun for seed in range(3)]
    # the median of three was below 0.003 for each of 5 triples of seeds, and that of random search above 0.005 for 20
    assert np.median(found) < 0.004


def test_result_keeps_its_values_when_f_takes_its_dict_apart():
    result = minimize(lambda x: x.pop("rate") + x.pop("layers"), SPACE, 4, seed=0)
    assert list(result.x) == ["rate", "layers", "solver", "warm", "weights"]


# Seeds


def test_same_seed_gives_the_same_result():
    first, second = (minimize(bowl, BOX, 10, seed=3) for _ in range(2))
    assert [trial.value for trial in first.trials] == [trial.value for trial in second.trials]
    assert_array_equal(np.asarray(first.x), np.asarray(second.x))


def test_another_seed_gives_another_result():
    first, second = (minimize(bowl, BOX, 10, seed=seed) for seed in (3, 4))
    assert [trial.value for trial in first.trials] != [trial.value for trial in second.trials]


def test_search_without_a_seed_draws_one():
    first, second = (minimize(bowl, BOX, 10) for _ in range(2))
    assert [trial.value for trial in first.trials] != [trial.value for trial in second.trials]


# The optimizer


def test_optimizer_of_ones_own_is_used():
    result = minimize(bowl, BOX, 5, optimizer=RandomSearch(BOX, seed=9))
    assert [trial.value for trial in result.trials] == [bowl(trial.x) for trial in RandomSearch(BOX, seed=9).ask(5)]


def test_optimizer_goes_on_where_it_was():
    optimizer = RandomSearch(BOX, seed=9)
    minimize(bowl, BOX, 2, optimizer=optimizer)
    result = minimize(bowl, BOX, 3, optimizer=optimizer)
    assert [trial.y.tolist() for trial in result.trials] == [trial.y.tolist() for trial in optimizer.trials[2:]]
    assert result.nfev == 3


@pytest.mark.parametrize(
    "space", [Box(9), SPACE, Bool(), Space({"a": Integer(1, 9)})], ids=["box", "mixed", "bool", "int"]
)
def test_default_optimizer_grows_on_every_space(space):
    assert isinstance(default_optimizer(space), Growing)


def test_default_search_evaluates_no_point_twice():
    result = minimize(bowl, BOX, 8, seed=0)
    assert len({tuple(trial.x) for trial in result.trials}) == 8


@pytest.mark.parametrize(
    "space", [Space({"a": Bool(), "b": Categorical([1, 2, 3])}), SPACE, Space({"a": Integer(1, 9)})]
)
def test_default_optimizer_asks_legal_values_of_every_space(space):
    asked = default_optimizer(space, 0).ask(5)
    assert all(np.abs(space.encode(trial.x)).max() <= 1.0 for trial in asked)


# A point to start from

X0 = np.linspace(-0.9, 0.7, 20)
START = {"rate": 0.5, "layers": 7, "solver": "sgd", "warm": True, "weights": np.linspace(0.0, 1.0, 5)}


def plain(x):
    """A configuration with its weights as a list, rounded so that numbers on a log scale compare."""
    return x | {"rate": round(x["rate"], 12), "weights": np.asarray(x["weights"]).round(12).tolist()}


@pytest.mark.parametrize("search", [minimize, maximize])
def test_default_search_evaluates_the_point_to_start_from_first(search):
    assert_array_equal(search(bowl, BOX, 3, seed=0, x0=X0).trials[0].x[:], X0)


def test_default_search_evaluates_the_configuration_to_start_from_first():
    assert plain(minimize(cost, SPACE, 3, seed=0, x0=START).trials[0].x) == plain(START)


def test_default_search_evaluates_the_default_of_the_space_first():
    space = Space(SPACE.parameters, default=START)
    assert plain(minimize(cost, space, 3, seed=0).trials[0].x) == plain(START)


def test_point_to_start_from_comes_before_the_default_of_the_space():
    x0 = START | {"rate": 0.002, "warm": False}
    space = Space(SPACE.parameters, default=START)
    assert plain(minimize(cost, space, 3, seed=0, x0=x0).trials[0].x) == plain(x0)


@pytest.mark.parametrize("kind", [RandomSearch, BayesOpt])
def test_optimizer_of_ones_own_evaluates_the_point_to_start_from_first(kind):
    result = minimize(bowl, BOX, 3, optimizer=kind(BOX, seed=0), x0=X0)
    assert_array_equal(result.trials[0].x[:], X0)
    assert [trial.number for trial in result.trials] == [0, 1, 2]


@pytest.mark.parametrize("kind", [RandomSearch, BayesOpt])
def test_optimizer_of_ones_own_evaluates_the_configuration_to_start_from_first(kind):
    result = minimize(cost, SPACE, 3, optimizer=kind(SPACE, seed=0), x0=START)
    assert plain(result.trials[0].x) == plain(START)


def test_optimizer_of_ones_own_that_is_at_work_evaluates_the_point_to_start_from_next():
    optimizer = RandomSearch(BOX, seed=0)
    minimize(bowl, BOX, 2, optimizer=optimizer)
    assert_array_equal(minimize(bowl, BOX, 2, optimizer=optimizer, x0=X0).trials[0].x[:], X0)


def test_best_value_may_be_that_of_the_point_to_start_from():
    x0 = np.zeros(20)
    x0[[3, 17]] = 0.4, -0.2
    result = minimize(bowl, BOX, 5, seed=0, x0=x0)
    assert result.fun == pytest.approx(0.0, abs=1e-30)
    assert_array_equal(result.x[:], x0)


@pytest.mark.parametrize("optimizer", [None, RandomSearch(BOX, seed=0)], ids=["default", "own"])
@pytest.mark.parametrize("x0", [np.full(20, 3.0), np.zeros(19)], ids=["outside", "too short"])
def test_point_to_start_from_that_is_none_is_an_error_before_f_is_called(x0, optimizer):
    f = Troubled({})
    with pytest.raises(ValueError, match=r"outside \[-1\.0, 1\.0\]|must have shape \(20,\)"):
        minimize(f, BOX, 3, optimizer=optimizer, x0=x0)
    assert f.called == 0


def test_refused_callbacks_leave_no_trial_behind():
    optimizer = RandomSearch(BOX, seed=0)
    with pytest.raises(TypeError, match="callback"):
        minimize(bowl, BOX, 3, optimizer=optimizer, x0=X0, callbacks=[5])
    assert optimizer.trials == ()


# maximize


def test_maximize_mirrors_minimize():
    low, high = minimize(bowl, BOX, 12, seed=0), maximize(lambda x: -bowl(x), BOX, 12, seed=0)
    assert_array_equal(np.asarray(low.x), np.asarray(high.x))
    assert high.fun == -low.fun
    assert [trial.value for trial in high.trials] == [-trial.value for trial in low.trials]


def test_maximize_returns_the_highest_value():
    result = maximize(bowl, BOX, 6, optimizer=RandomSearch(BOX, seed=0))
    assert result.fun == max(trial.value for trial in result.trials) == bowl(result.x)


def test_maximize_shows_callbacks_the_values_of_f():
    seen = []
    result = maximize(bowl, BOX, 3, seed=0, callbacks=[lambda study, trial: seen.append(trial.value)])
    assert seen == [trial.value for trial in result.trials] == [bowl(trial.x) for trial in result.trials]


def test_maximize_takes_a_space():
    result = maximize(lambda x: -cost(x), SPACE, 6, seed=0)
    assert -cost(result.x) == result.fun


# An f that fails


def test_search_goes_on_when_f_raises():
    result = random_search(6, f=Troubled({1: FULL, 4: FULL}))
    assert [trial.state is TrialState.FAIL for trial in result.trials] == [True, False, False, True, False, False]
    assert (result.nfev, result.success) == (6, True)


def test_failed_trial_keeps_the_name_and_text_of_the_error():
    result = random_search(2, f=Troubled({1: FULL}))
    assert result.trials[0].failure == "OSError: disk full"


def test_failed_trial_is_logged_as_a_warning(caplog):
    with caplog.at_level(logging.WARNING, logger="rembo"):
        random_search(2, f=Troubled({2: FULL}))
    assert "trial 1 failed" in caplog.text
    assert "disk full" in caplog.text


@pytest.mark.parametrize(
    "value",
    [None, "3", math.nan, math.inf, -math.inf, 1j, [1.0], {}, np.complex128(1j), np.ones(2), 10**400],
    ids=lambda value: repr(value)[:12],
)
def test_value_that_is_no_finite_number_is_a_failed_trial(value):
    result = random_search(3, f=Troubled({2: lambda: value}))
    assert result.trials[1].state is TrialState.FAIL
    assert result.trials[1].failure.startswith("f returned")
    assert result.nfev == 3


@pytest.mark.parametrize("value", [1, True, np.float32(0.5), np.array(0.5), np.int64(3)], ids=repr)
def test_any_real_number_is_a_value(value):
    assert random_search(1, f=lambda x: value).fun == float(value)


def test_stop_iteration_in_f_is_a_failed_trial():
    result = random_search(3, f=Troubled({1: raising(StopIteration())}))
    assert (result.nfev, result.trials[0].state) == (3, TrialState.FAIL)


def test_error_names_the_last_failure_when_all_trials_failed():
    with pytest.raises(RuntimeError, match="all 3 trials failed, the last one with ValueError: call 3"):
        random_search(3, f=Troubled({1: FULL, 2: FULL, 3: raising(ValueError("call 3"))}))


def test_error_is_chained_from_the_last_exception_when_all_trials_failed():
    trouble = OSError("disk full")
    with pytest.raises(RuntimeError, match="disk full") as caught:
        random_search(2, f=lambda x: raising(trouble)())
    assert caught.value.__cause__ is trouble


def test_error_names_the_value_when_all_trials_returned_none():
    with pytest.raises(RuntimeError, match="all 2 trials failed, the last one with f returned None, which is not"):
        random_search(2, f=lambda x: None, catch=TypeError)


# How a search ends early


def test_ctrl_c_returns_what_was_found():
    result = random_search(9, f=Troubled({4: INTERRUPT}))
    assert (result.success, result.status, result.nfev) == (False, 3, 3)
    assert result.message == "the search was interrupted"
    assert result.fun == min(trial.value for trial in result.trials)


def test_ctrl_c_is_raised_before_anything_was_found():
    with pytest.raises(KeyboardInterrupt):
        random_search(9, f=Troubled({1: INTERRUPT}))


def test_ctrl_c_is_raised_when_only_failures_were_found():
    with pytest.raises(KeyboardInterrupt):
        random_search(9, f=Troubled({1: FULL, 2: FULL, 3: INTERRUPT}))


def test_ctrl_c_in_a_callback_keeps_the_trial():
    result = random_search(9, callbacks=[lambda study, trial: INTERRUPT()])
    assert (result.success, result.nfev) == (False, 1)


def test_timeout_ends_the_search():
    result = random_search(1000, f=lambda x: time.sleep(0.02) or bowl(x), timeout=0.05)
    assert result.nfev <= 3  # three sleeps are longer than the timeout
    assert (result.status, result.message) == (1, "the timeout was reached")


def test_timeout_still_makes_one_trial():
    assert random_search(5, f=lambda x: time.sleep(0.01) or bowl(x), timeout=1e-9).nfev == 1


def test_timeout_that_is_not_reached_changes_nothing():
    assert random_search(3, timeout=1e6).status == 0


def test_callbacks_are_called_in_order_after_each_trial():
    calls = []
    callbacks = [lambda study, trial, name=name: calls.append((name, trial.number)) for name in "ab"]
    random_search(2, callbacks=callbacks)
    assert calls == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_callback_gets_the_study_and_the_finished_trial():
    optimizer, calls = RandomSearch(BOX, seed=0), []
    minimize(bowl, BOX, 1, optimizer=optimizer, callbacks=[lambda *given: calls.append(given)])
    assert calls[0][0].optimizer is optimizer
    assert calls[0][1].state is TrialState.COMPLETE


def test_callback_sees_failed_trials():
    states = []
    f = Troubled({1: FULL})
    random_search(2, f=f, callbacks=[lambda study, trial: states.append(trial.state)])
    assert states == [TrialState.FAIL, TrialState.COMPLETE]


def test_stop_iteration_in_a_callback_ends_the_search():
    patience = iter("ab")  # the third next() raises StopIteration
    result = random_search(9, callbacks=[lambda study, trial: next(patience)])
    assert (result.success, result.status, result.nfev) == (True, 2, 3)
    assert result.message == "a callback ended the search"


def test_other_errors_of_a_callback_are_raised():
    with pytest.raises(OSError, match="disk full"):
        random_search(3, callbacks=[lambda study, trial: FULL()])


def test_callbacks_may_be_a_generator():
    calls = []
    random_search(2, callbacks=(lambda study, trial: calls.append(trial.number) for _ in range(1)))
    assert calls == [0, 1]


# The progress bar


def test_progress_bar_is_drawn_on_stderr_when_asked_for(capsys):
    result = random_search(7, progress=True)
    drawn = capsys.readouterr()
    assert "7/7" in drawn.err
    assert f"best {result.fun:.6g}" in drawn.err
    assert drawn.out == ""


def test_progress_bar_shows_the_values_of_f_when_maximizing(capsys):
    result = maximize(bowl, BOX, 3, optimizer=RandomSearch(BOX, seed=0), progress=True)
    assert f"best {result.fun:.6g}" in capsys.readouterr().err


def test_progress_bar_shows_no_best_value_while_all_fail(capsys):
    with pytest.raises(RuntimeError, match="all 2 trials failed"):
        random_search(2, f=lambda x: math.nan, progress=True)
    drawn = capsys.readouterr().err
    assert "2/2" in drawn
    assert "best" not in drawn


@pytest.mark.parametrize("progress", ["auto", False])
def test_nothing_is_drawn_when_stderr_is_no_terminal(capsys, progress):
    random_search(7, progress=progress)
    assert capsys.readouterr() == ("", "")


PROGRAM = "import rembo; rembo.minimize(lambda x: x[0], rembo.Box(9), 5, optimizer=rembo.RandomSearch(rembo.Box(9)){})"


def written_to_a_terminal(program):
    """What a program writes to standard error, if that is a terminal of 24 lines and 80 columns."""
    pty, termios = (
        pytest.importorskip(name, reason="there are no pseudo-terminals here") for name in ("pty", "termios")
    )
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    done = subprocess.run([sys.executable, "-c", program], stderr=theirs, timeout=60)
    os.write(theirs, b"end")  # so that there is something to read
    written = os.read(ours, 65536).decode()
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0, written
    return written.removesuffix("end")


def test_progress_bar_is_drawn_on_a_terminal():
    assert "5/5" in written_to_a_terminal(PROGRAM.format(""))


def test_progress_bar_is_not_drawn_on_a_terminal_when_switched_off():
    assert written_to_a_terminal(PROGRAM.format(", progress=False")) == ""


def test_nothing_is_drawn_when_there_is_no_stderr(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)  # as in a program without a console
    assert random_search(3).nfev == 3


@pytest.mark.parametrize("progress", ["yes", None, 2])
def test_progress_that_is_neither_true_nor_false_nor_auto_is_an_error(progress):
    with pytest.raises(ValueError, match=f"progress must be True, False or 'auto', not {progress!r}"):
        random_search(progress=progress)


# What is refused


@pytest.mark.parametrize("f", [None, 3.0, "bowl"])
def test_f_that_cannot_be_called_is_an_error(f):
    with pytest.raises(TypeError, match=f"f must be a function of one argument, not {f!r}"):
        minimize(f, BOX, 3)


@pytest.mark.parametrize("n_trials", [0, -1])
def test_less_than_one_trial_is_an_error(n_trials):
    with pytest.raises(ValueError, match=f"n_trials {n_trials} must be at least 1"):
        minimize(bowl, BOX, n_trials)


@pytest.mark.parametrize("n_trials", [1.5, "3", None])
def test_number_of_trials_that_is_no_whole_number_is_an_error(n_trials):
    with pytest.raises(TypeError, match=f"n_trials must be a whole number, not {n_trials!r}"):
        minimize(bowl, BOX, n_trials)


@pytest.mark.parametrize("timeout", [0, -1.0, math.nan])
def test_timeout_that_is_not_positive_is_an_error(timeout):
    with pytest.raises(ValueError, match=f"timeout {timeout} must be a positive number of seconds, or None"):
        minimize(bowl, BOX, 3, timeout=timeout)


def test_timeout_that_is_no_number_is_an_error_that_names_it():
    with pytest.raises((TypeError, ValueError), match=r"timeout .*'soon'"):
        minimize(bowl, BOX, 3, timeout="soon")


def test_seed_beside_an_optimizer_is_an_error():
    with pytest.raises(ValueError, match="seed 1 and an optimizer, which has its own seed 2: give one of them"):
        minimize(bowl, BOX, 3, seed=1, optimizer=RandomSearch(BOX, seed=2))


def test_optimizer_of_another_space_is_an_error():
    with pytest.raises(ValueError, match=r"the optimizer searches Box\(size=7.*, not Box\(size=20.*the same space"):
        minimize(bowl, BOX, 3, optimizer=RandomSearch(Box(7)))


@pytest.mark.parametrize("optimizer", ["Rembo", Rembo, 3])
def test_what_is_no_optimizer_is_an_error(optimizer):
    with pytest.raises(TypeError, match=r"optimizer must be one of rembo's, e\.g\. Rembo\(space, embedding_dim=4\)"):
        minimize(bowl, BOX, 3, optimizer=optimizer)


@pytest.mark.parametrize("space", [20, None, Box])
def test_what_is_no_space_is_an_error(space):
    with pytest.raises(TypeError, match=r"space must be a Box, a Space or a single parameter, .* e\.g\. rembo\.Box"):
        minimize(bowl, space, 3)


def test_what_is_no_space_beside_an_optimizer_is_an_error():
    with pytest.raises(TypeError, match="space must be a Box, a Space or a single parameter, not 20"):
        minimize(bowl, 20, 3, optimizer=RandomSearch(BOX))


def test_negative_seed_is_an_error():
    with pytest.raises(ValueError, match="seed -1 must be at least 0"):
        minimize(bowl, BOX, 3, seed=-1)


def test_seed_that_is_no_whole_number_is_an_error():
    with pytest.raises(TypeError, match=r"seed must be a whole number.* not 'a'"):
        minimize(bowl, BOX, 3, seed="a")


@pytest.mark.parametrize("callbacks", [print, [5]], ids=["a function", "a number in a list"])
def test_callbacks_that_cannot_be_called_are_an_error_before_f_is_called(callbacks):
    f = Troubled({})
    with pytest.raises(TypeError, match="callback"):
        random_search(3, f=f, callbacks=callbacks)
    assert f.called == 0
