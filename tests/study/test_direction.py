"""The direction of a study: the sign of its values, and which trials are the best."""

import pytest
from study_trials import complete, trial

from rembo.optimizer import TrialState
from rembo.study.direction import best_first, sign_of

VALUES = (2.0, None, -1.0, 2.0, 0.0)


TRIALS = [trial(n, state=TrialState.FAIL) if v is None else complete(n, v) for n, v in enumerate(VALUES)]


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_sign_makes_low_values_good(direction, sign):
    assert sign_of(direction) == sign


def test_direction_of_another_name_is_refused():
    with pytest.raises(ValueError, match="direction 'down' must be 'minimize' or 'maximize'"):
        sign_of("down")


@pytest.mark.parametrize(("direction", "numbers"), [("minimize", [2, 4, 0, 3]), ("maximize", [0, 3, 4, 2])])
def test_best_trials_come_first_and_equal_ones_by_number(direction, numbers):
    assert [each.number for each in best_first(TRIALS, direction)] == numbers


def test_failed_trials_are_not_among_the_best():
    assert best_first([TRIALS[1]], "minimize") == []
