"""The best configuration beside the default one."""

import numpy as np
import pytest

from rembo import Bool, Box, Categorical, Integer, RandomSearch, Space
from rembo.study import Study
from rembo.study.comparison import compare_with_default, plain_default

DEFAULT = {"level": 2, "flag": False, "kind": "a"}
SPACE = Space({"level": Integer(0, 9), "flag": Bool(), "kind": Categorical(["a", "b"])}, default=DEFAULT)
BETTER = {"level": 2, "flag": True, "kind": "b"}


def compared(default, best, direction="minimize", space=SPACE):
    """A study that was told of the default configuration, None for a failure, and of a better one."""
    study = Study(space, optimizer=RandomSearch(space, seed=0), direction=direction)
    first = study.adopt(DEFAULT)
    study.fail(first, "no value") if default is None else study.tell(first, default)
    study.tell(study.adopt(BETTER), best)
    return compare_with_default(space, study.trials, study.best_trial)


def test_parameters_that_differ_from_the_default_are_named_in_order():
    found = compared(2.0, 1.0)
    assert (found.differing, found.of, found.default.number) == (("flag", "kind"), 3, 0)


@pytest.mark.parametrize(
    ("default", "best", "direction", "gain"),
    [
        (200.0, 165.0, "minimize", "17.5 % better than the default"),
        (200.0, 235.0, "maximize", "17.5 % better than the default"),
        (-200.0, -235.0, "minimize", "17.5 % better than the default"),
        (-200.0, -165.0, "maximize", "17.5 % better than the default"),
        (2.0, 0.0, "minimize", "100 % better than the default"),
        (1.0, 25.0, "maximize", "2,400 % better than the default"),
        (0.0, -0.25, "minimize", "better than the default by 0.25"),
        (1.0, -3.0, "minimize", "better than the default by 4"),
        (1e-9, 25.0, "maximize", "better than the default by 25"),
        (2.0, 2.0, "minimize", "no better than the default"),
    ],
)
def test_gain_minds_direction_sign_and_zero(default, best, direction, gain):
    found = compared(default, best, direction)
    assert found.gain == gain


def test_comparison_says_how_many_differ_and_what_that_gains():
    assert str(compared(200.0, 165.0)) == "2 of 3 differ from the default; 17.5 % better than the default"


def test_gain_is_not_told_where_the_default_has_no_value():
    found = compared(None, 1.0)
    assert (found.gain, str(found)) == (None, "2 of 3 differ from the default")


def test_default_that_is_the_best_is_said_to_be():
    assert str(compared(1.0, 2.0)) == "the default itself is the best so far"


def test_nothing_is_compared_without_a_default():
    assert compared(2.0, 1.0, space=Space(SPACE.parameters)) is None


def test_nothing_is_compared_before_a_trial_is_complete():
    assert compare_with_default(SPACE, (), None) is None


def test_a_box_has_no_default():
    assert plain_default(Box(10**9)) == {}


def test_default_with_a_long_array_is_not_written_out():
    space = Space({"few": Box(2), "many": Box(1001)}, default={"few": np.zeros(2), "many": np.zeros(1001)})
    assert plain_default(space) == {"few": [0.0, 0.0], "many": None}
