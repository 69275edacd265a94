"""Laws of Float: what stands between low and high has a position in [-1,1], and comes back from it."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rembo import Float

law = settings(deadline=None, derandomize=True, max_examples=200)
positions = st.floats(-1.0, 1.0)
numbers = st.floats(-1e300, 1e300, allow_subnormal=False)


@st.composite
def linear_floats(draw):
    return Float(*sorted(draw(st.lists(numbers, min_size=2, max_size=2, unique=True))))


@st.composite
def log_floats(draw):
    low = draw(st.floats(1e-290, 1e290))
    return Float(low, low * draw(st.floats(1.001, 1e9)), log=True)


@law
@given(linear_floats(), st.data())
def test_float_comes_back_from_its_position(parameter, data):
    value = data.draw(st.floats(parameter.low, parameter.high))
    tolerance = 1e-14 * max(abs(parameter.low), abs(parameter.high))  # four roundings of numbers of that size
    assert parameter.value(parameter.position(value)) == pytest.approx(value, rel=0.0, abs=tolerance)


@law
@given(log_floats(), st.data())
def test_log_float_comes_back_from_its_position(parameter, data):
    value = data.draw(st.floats(parameter.low, parameter.high))
    assert parameter.value(parameter.position(value)) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("value", [1e16, 1e16 + 2.0])
def test_log_float_comes_back_when_both_bounds_have_one_logarithm(value):
    parameter = Float(1e16, 1e16 + 2.0, log=True)
    assert parameter.value(parameter.position(value)) == pytest.approx(value, rel=1e-11)


@law
@given(st.one_of(linear_floats(), log_floats()), positions)
def test_every_position_stands_for_a_float_within_bounds(parameter, u):
    assert parameter.low <= parameter.value(u) <= parameter.high


@law
@given(st.one_of(linear_floats(), log_floats()), st.data())
def test_every_float_has_a_position_in_the_cube(parameter, data):
    assert -1.0 <= parameter.position(data.draw(st.floats(parameter.low, parameter.high))) <= 1.0


@law
@given(st.one_of(linear_floats(), log_floats()))
@example(Float(0.1, 0.3))
@example(Float(3.0, 10.0, log=True))
@example(Float(1e-5, 1e-1, log=True))
@example(Float(-1.7e308, 1.7e308))
def test_ends_of_the_cube_are_exactly_the_bounds(parameter):
    assert (parameter.value(-1.0), parameter.value(1.0)) == (parameter.low, parameter.high)


@law
@given(st.one_of(linear_floats(), log_floats()), positions, positions)
def test_float_does_not_fall_as_the_position_rises(parameter, u, v):
    assert parameter.value(min(u, v)) <= parameter.value(max(u, v))


@pytest.mark.parametrize(
    "parameter", [Float(0, 1), Float(3, 10, log=True), Float(np.float32(0.5), np.float32(2.0)), Float(-5, 5)]
)
@pytest.mark.parametrize("u", [-1.0, -0.3, 0.0, 1.0])
def test_float_is_a_python_float_whatever_its_bounds_are(parameter, u):
    assert type(parameter.value(u)) is float


@pytest.mark.parametrize(("u", "value"), [(-1.0, -5.0), (-0.5, -1.25), (0.0, 2.5), (1.0, 10.0)])
def test_float_of_an_uncentred_box_is_spaced_evenly(u, value):
    assert Float(-5.0, 10.0).value(u) == value


@pytest.mark.parametrize(("u", "value"), [(-0.5, 1e-4), (0.0, 1e-3), (0.5, 1e-2)])
def test_log_float_is_spaced_evenly_in_its_logarithm(u, value):
    assert Float(1e-5, 1e-1, log=True).value(u) == pytest.approx(value, rel=1e-12)


def test_float_is_an_ordered_continuum_that_is_never_moved():
    parameter, u = Float(0.0, 1.0), np.linspace(-1.0, 1.0, 7)
    assert (parameter.size, parameter.levels, parameter.ordered) == (1, 0, True)
    np.testing.assert_array_equal(parameter.snap(u), u)


@pytest.mark.parametrize(
    "value", [-0.01, 1.01, math.nan, math.inf, -math.inf, "0.5", None, [0.5], np.array([0.2, 0.3]), np.complex128(0.5)]
)
def test_float_outside_its_bounds_has_no_position(value):
    with pytest.raises(ValueError, match=r"does not lie in Float\(low=0\.0, high=1\.0"):
        Float(0.0, 1.0).position(value)
