"""The paper's REMBO as its text says, and as the authors' released code has it."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rembo
from rembo import Box, Categorical, Integer, Space
from rembo.learning import LengthScale, advance
from rembo.problems import Branin, Padded

BITS = Space({f"bit{number}": Categorical(["on", "off"]) for number in range(12)})
WHOLE = Space({f"n{number}": Integer(1, 9) for number in range(12)})
BOTH = Space({"weights": Box(5), "solver": Categorical(["a", "b", "c"])})
PROTOCOLS = [rembo.protocols.text, rembo.protocols.released]


@pytest.mark.parametrize("space", [Box(25), BITS, WHOLE, BOTH], ids=["numbers", "bits", "integers", "both"])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.__name__)
def test_protocol_searches_every_kind_of_space(protocol, space):
    optimizer = protocol(space, 2, runs=2, seed=0)
    for number in range(25):  # hyper-parameters are learned on the way
        optimizer.tell(optimizer.ask(), float(np.sin(number)))
    assert len(optimizer.trials) == 25


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "two"])
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.__name__)
def test_number_of_dimensions_that_cannot_be_is_named(protocol, wrong):
    with pytest.raises((TypeError, ValueError), match=f"embedding_dim.*{wrong}"):
        protocol(Box(25), wrong, seed=0)


def width(d, space=None):
    return rembo.protocols.released(space or Box(25), d, seed=0).runs[0].region.half_width


@pytest.mark.parametrize(("d", "expected"), [(1, 1.0), (2, 1.5 * math.log(2)), (4, 2.0794415416798357)])
def test_box_of_the_released_code_is_that_of_its_demo(d, expected):
    assert width(d) == max(expected, 1.0)


def test_box_of_the_released_code_is_never_below_one_and_a_half_on_choices():
    assert width(2, BITS) == 1.5


def test_text_has_the_box_of_the_paper():
    assert rembo.protocols.text(Box(25), 4, seed=0).runs[0].region.half_width == 2.0


@pytest.mark.parametrize("t", [1, 20, 21, 41])
def test_released_code_learns_after_observations_21_41(t):
    rule = rembo.protocols.released(Box(25), 2, seed=0).settings["learning"]
    learned = advance(rule, LengthScale(0.1), t, 1.0, lambda low, high: 7.0)
    assert learned.value == (7.0 if t in (21, 41) else 0.1)


def test_released_kernel_of_choices_is_the_exponential_of_minus_the_distance():
    run = rembo.protocols.released(BITS, 2, seed=0).runs[0]
    Y = np.array([[0.0, 0.0], [1.4, -0.9]])
    distance = np.count_nonzero(np.diff(run.kernel.features(Y), axis=0))
    assert distance > 0
    assert_allclose(run.kernel.covariance(*(run.kernel.features(y[None, :]) for y in Y)), math.exp(-distance))


def test_released_code_sees_values_in_the_unit_of_f():
    optimizer = rembo.protocols.released(Box(5), 2, seed=0)
    for value in (300.0, 500.0):
        optimizer.tell(optimizer.ask(), value)
    assert optimizer.runs[0].state.posterior.values.tolist() == [300.0, 500.0]


def test_released_code_evaluates_outside_of_a_box_but_not_of_choices():
    assert not rembo.protocols.released(Box(25), 2, seed=0).settings["projection"]
    assert rembo.protocols.released(BITS, 2, seed=0).settings["projection"]


def test_released_code_finds_the_optimum_of_branin():
    problem = Padded(Branin(), 25, 0)
    optimizer = rembo.protocols.released(problem.space, 2, seed=3)
    for _ in range(80):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.x))
    assert optimizer.best_trial.value - problem.optimum < 0.05
