"""Bounds that make no interval are refused, with the value and the cure."""

import math

import numpy as np
import pytest

from rembo import Box, Float, Integer
from rembo.space import check_domain, parts_of


def float_between(low, high):
    return Float(low, high)


def integer_between(low, high):
    return Integer(low, high)


def box_between(low, high):
    return Box(3, low, high)


kinds = pytest.mark.parametrize("between", [float_between, integer_between, box_between])


@kinds
def test_reversed_bounds_are_refused_and_swapping_proposed(between):
    with pytest.raises(ValueError, match="low 5 must be below high 2; swap them"):
        between(5, 2)


@kinds
def test_empty_bounds_are_refused_and_omission_proposed(between):
    with pytest.raises(ValueError, match="low 2 must be below high 2; leave a fixed parameter out of the space"):
        between(2, 2)


@pytest.mark.parametrize("between", [float_between, box_between])
@pytest.mark.parametrize(
    "wrong",
    [math.nan, math.inf, -math.inf, "1", None, 1j, np.complex128(1.0), pytest.param(10**400, id="10**400")],
)
def test_bounds_that_are_no_finite_numbers_are_refused(between, wrong):
    with pytest.raises(ValueError, match="both bounds must be finite numbers"):
        between(wrong, 2.0)


@pytest.mark.parametrize("kind", [Float, Integer])
@pytest.mark.parametrize("low", [0, -3])
def test_log_scale_from_a_non_positive_bound_is_refused(kind, low):
    with pytest.raises(ValueError, match=f"a log scale needs low above 0, not {low}; raise low or drop log=True"):
        kind(low, 10, log=True)


@pytest.mark.parametrize("space", [Box(3), Float(0.0, 1.0)])
def test_single_parameter_is_a_space_of_one_part(space):
    assert [(part.parameter, part.start, part.stop) for part in parts_of(space)] == [(space, 0, space.size)]


def test_domain_that_is_one_comes_back_itself():
    box = Box(3)
    assert check_domain(box) is box


@pytest.mark.parametrize("wrong", [3, None, "ab", Box], ids=repr)
def test_what_is_no_space_is_refused_with_an_example(wrong):
    message = r"space must be a Box, a Space or a single parameter.*rembo\.Box\(100\), or a list of bounds, \[\(0, 1\)"
    with pytest.raises(TypeError, match=message):
        check_domain(wrong)


@pytest.mark.parametrize(
    ("wrong", "cure"),
    [
        ({"rate": Float(0.0, 1.0)}, r"write rembo\.Space\(\{'rate': Float\(low=0\.0"),
        ({"rate": (0.0, 1.0)}, r"write rembo\.Space\(\{'rate': rembo\.Float\(0\.0, 1\.0\)"),
        ([Float(0.0, 1.0)], r"name them, rembo\.Space\(\{'a'"),
        ([("rate", Float(0.0, 1.0))], r"write rembo\.Space\(your_list\)"),
        ([1.0, 2.0], r"bound 0 must be \(low, high\) or \(low, high, 'log'\), not 1\.0: write e\.g\. \[\(0, 1\)"),
        (["ab"], r"bound 0 must be \(low, high\)"),
        (np.array(3.0), r"bound 0 must be \(low, high\)"),
    ],
    ids=str,
)
def test_what_is_nearly_a_space_is_told_how_to_become_one(wrong, cure):
    with pytest.raises(TypeError, match=cure):
        check_domain(wrong)
