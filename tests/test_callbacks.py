"""Ready callbacks: each ends a search when it should, in either direction, or writes what it should."""

import logging
import math

import pytest

from rembo import Box, LogTrials, RandomSearch, StopAt, StopWithoutProgress, maximize, minimize

BOX = Box(5)


class Values:
    """An f that gives these values in turn, NaN for a failure."""

    def __init__(self, *values):
        self.values = iter(values)

    def __call__(self, x):
        return next(self.values)


def search(minimise, f, callback):
    run = minimize if minimise else maximize
    return run(f, BOX, 9, optimizer=RandomSearch(BOX, seed=0), callbacks=[callback])


@pytest.mark.parametrize(("minimise", "target", "count"), [(True, 2.0, 3), (False, 3.5, 4)])
def test_search_stops_at_the_target(minimise, target, count):
    result = search(minimise, Values(3.0, 2.5, 2.0, 4.0, 5.0), StopAt(target))
    assert (result.nfev, result.message) == (count, "a callback ended the search")


def test_search_without_the_target_goes_on():
    assert search(True, lambda x: 1.0, StopAt(0.0)).nfev == 9


@pytest.mark.parametrize("target", [math.nan, math.inf, "0"])
def test_target_that_is_no_number_is_refused(target):
    with pytest.raises(ValueError, match="must be a finite number"):
        StopAt(target)


@pytest.mark.parametrize("minimise", [True, False])
def test_search_stops_when_nothing_improved_for_so_many_trials(minimise):
    sign = 1.0 if minimise else -1.0
    values = [sign * value for value in (3.0, 2.0, 2.0, 5.0, 4.0, 1.0, 0.0, 0.0, 0.0)]
    assert search(minimise, Values(*values), StopWithoutProgress(3)).nfev == 5


def test_failures_are_no_progress():
    result = search(True, Values(3.0, math.nan, math.nan, 1.0, 0.0), StopWithoutProgress(2))
    assert (result.nfev, result.message) == (3, "a callback ended the search; 2 of 3 trials failed")


@pytest.mark.parametrize("n_trials", [0, -1])
def test_number_of_trials_without_progress_is_at_least_one(n_trials):
    with pytest.raises(ValueError, match=r"n_trials .* must be at least 1"):
        StopWithoutProgress(n_trials)


def test_trials_are_logged_with_the_best_so_far(caplog):
    logger = logging.getLogger("mine")
    with caplog.at_level(logging.INFO, "mine"):
        search(True, Values(3.0, 4.0, 2.0, *[9.0] * 6), LogTrials(logger))
    assert [record.getMessage() for record in caplog.records if record.name == "mine"][:3] == [
        "trial 0: 3 (best 3 in trial 0)",
        "trial 1: 4 (best 3 in trial 0)",
        "trial 2: 2 (best 2 in trial 2)",
    ]
