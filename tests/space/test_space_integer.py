"""Laws of Integer: every whole number comes back exactly, up to 2**40 of them, and gets its share of [-1,1].

Beyond that, on a log scale, numbers of twelve significant digits do.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rembo import Growing, Integer

law = settings(deadline=None, derandomize=True, max_examples=200)
positions = st.floats(-1.0, 1.0)
MOST = 2**40


@st.composite
def linear_integers(draw):
    low = draw(st.integers(-(2**62), 2**62))
    return Integer(low, low + draw(st.integers(1, MOST - 1)))


@st.composite
def log_integers(draw):
    low = draw(st.integers(1, MOST - 1))
    return Integer(low, draw(st.integers(low + 1, MOST)), log=True)


all_integers = st.one_of(linear_integers(), log_integers())


@law
@given(all_integers, st.data())
def test_whole_number_comes_back_exactly_from_its_position(parameter, data):
    value = data.draw(st.integers(parameter.low, parameter.high))
    assert parameter.value(parameter.position(value)) == value


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("value", [1, 2, 3, 2**20 + 1, 2**39, MOST - 2, MOST - 1, MOST])
def test_whole_number_comes_back_at_the_limit_of_levels(value, log):
    parameter = Integer(1, MOST, log=log)
    assert parameter.value(parameter.position(value)) == value


@law
@given(all_integers, positions)
def test_every_position_stands_for_a_whole_number_within_bounds(parameter, u):
    value = parameter.value(u)
    assert type(value) is int
    assert parameter.low <= value <= parameter.high


@law
@given(all_integers)
def test_ends_of_the_cube_are_the_first_and_last_number(parameter):
    assert (parameter.value(-1.0), parameter.value(1.0)) == (parameter.low, parameter.high)


@law
@given(all_integers, st.data())
def test_every_whole_number_has_a_position_in_the_cube(parameter, data):
    assert -1.0 <= parameter.position(data.draw(st.integers(parameter.low, parameter.high))) <= 1.0


@law
@given(all_integers, positions, positions)
def test_whole_number_does_not_fall_as_the_position_rises(parameter, u, v):
    assert parameter.value(min(u, v)) <= parameter.value(max(u, v))


@law
@given(all_integers, positions)
def test_code_counts_the_numbers_below(parameter, u):
    assert parameter.low + int(parameter.code(np.array(u))) == parameter.value(u)


@law
@given(all_integers, positions)
def test_snapped_position_stands_for_the_same_number(parameter, u):
    assert parameter.value(float(parameter.snap(np.array([u]))[0])) == parameter.value(u)


@law
@given(all_integers, positions)
def test_snapped_position_is_that_of_its_number(parameter, u):
    snapped = float(parameter.snap(np.array([u]))[0])
    assert snapped == pytest.approx(parameter.position(parameter.value(u)), abs=1e-14)


@pytest.mark.parametrize("levels", [2, 3, 7, 10])
def test_whole_numbers_have_equal_shares_of_the_cube(levels):
    grid = (2.0 * np.arange(levels * 1000) + 1.0) / (levels * 1000) - 1.0
    counts = np.bincount(Integer(1, levels).code(grid).astype(int), minlength=levels)
    assert counts.tolist() == [1000] * levels


def test_shares_of_log_integers_are_those_of_their_logarithms():
    grid = (2.0 * np.arange(100_000) + 1.0) / 100_000 - 1.0
    counts = np.bincount(Integer(1, 8, log=True).code(grid).astype(int))
    shares = np.diff(np.log(np.arange(0.5, 9.0))) / np.log(8.5 / 0.5)
    np.testing.assert_allclose(counts, 100_000 * shares, atol=1.0)  # a border falls within one step of the grid


@pytest.mark.parametrize(("low", "high"), [(2**50, 2**50 + 10), (2**54 + 1, 2**54 + 3), (2**60, 2**60 + 10)])
def test_log_integer_too_large_to_be_told_apart_is_refused(low, high):
    with pytest.raises(ValueError, match=f"high={high}.* high must be at least 2 low: drop log=True"):
        Integer(low, high, log=True)


@st.composite
def wide_integers(draw):
    """On a log scale beyond 2**40, up to the largest."""
    low = draw(st.integers(1, 10**20))
    return Integer(low, draw(st.integers(max(2 * low, MOST + 1), 10 ** draw(st.integers(25, 300)))), log=True)


@law
@given(wide_integers(), positions)
@example(Integer(1, 2**53, log=True), 1.0)
@example(Integer(1, 10**15, log=True), 0.99999)
@example(Integer(1, 10**300, log=True), 1.0 - 2.0**-53)
def test_every_position_of_a_wide_log_integer_is_a_legal_whole_number(parameter, u):
    value = parameter.value(u)
    assert type(value) is int
    assert parameter.low <= value <= parameter.high


@law
@given(wide_integers(), positions)
def test_every_value_that_a_wide_log_integer_gives_comes_back(parameter, u):
    value = parameter.value(u)
    assert parameter.value(parameter.position(value)) == value


@law
@given(st.integers(1, 10**12 - 1), st.integers(0, 200))
@example(1, 15)
@example(10**12 - 1, 6)
def test_twelve_digits_of_a_wide_log_integer_come_back(digits, zeros):
    parameter = Integer(1, 10**212, log=True)
    value = digits * 10**zeros
    assert parameter.value(parameter.position(value)) == value


@law
@given(wide_integers())
@example(Integer(1, 2**53, log=True))
def test_bounds_of_a_wide_log_integer_are_values_whatever_digits_they_have(parameter):
    for bound in (parameter.low, parameter.high):
        assert parameter.value(parameter.position(bound)) == bound


def test_wide_log_integer_is_searched_as_a_continuum():
    assert Integer(1, 2**53, log=True).levels == 0


def test_more_digits_than_a_wide_log_integer_tells_apart_are_refused_with_the_nearest():
    with pytest.raises(
        ValueError, match=r"1234567890123456 has no position .* 12 significant .* nearest value is 1234567890120000"
    ):
        Integer(1, 10**18, log=True).position(1234567890123456)


def test_log_integer_too_large_for_floats_is_refused():
    with pytest.raises(ValueError, match=r"high must be at most 10\*\*300: use Float"):
        Integer(1, 10**301, log=True)


def test_search_over_a_wide_log_integer_finds_its_size():
    optimizer = Growing(Integer(1, 10**18, log=True), seed=0)
    for _ in range(25):
        trial = optimizer.ask()
        optimizer.tell(trial, abs(np.log10(trial.x) - 15.3))
    assert optimizer.best_trial.value < 0.1


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64])
def test_bounds_may_be_numpy_integers_of_any_width(dtype):
    parameter = Integer(dtype(-100), dtype(100))
    assert parameter.levels == 201
    assert type(parameter.value(0.0)) is int


def test_value_may_be_a_numpy_integer_of_any_width():
    assert Integer(-200, 200).position(np.int8(100)) == Integer(-200, 200).position(100)


def test_integer_is_ordered_and_counts_its_levels():
    parameter = Integer(-3, 4)
    assert (parameter.size, parameter.levels, parameter.ordered) == (1, 8, True)


@pytest.mark.parametrize("value", [0, 9, -(10**30), 10**30])
def test_whole_number_outside_the_bounds_has_no_position(value):
    with pytest.raises(ValueError, match=rf"{value} does not lie in Integer\(low=1, high=8"):
        Integer(1, 8).position(value)


@pytest.mark.parametrize("value", [2.0, 2.5, "2", None])
def test_what_is_not_a_whole_number_has_no_position(value):
    with pytest.raises(TypeError, match=rf"the value of Integer.* must be a whole number, not {value!r}"):
        Integer(1, 8).position(value)


@pytest.mark.parametrize(("low", "high", "culprit"), [(1.0, 3, r"low .* not 1\.0"), (1, "3", "high .* not '3'")])
def test_bounds_of_an_integer_must_be_whole_numbers(low, high, culprit):
    with pytest.raises(TypeError, match=culprit):
        Integer(low, high)


@pytest.mark.parametrize(("low", "high"), [(0, MOST), (1, MOST + 1), (-(2**62), 2**62)])
def test_more_levels_than_can_be_told_apart_are_refused(low, high):
    with pytest.raises(
        ValueError, match=f"has {high - low + 1} values, at most {MOST} can be told apart: use log=True, or"
    ):
        Integer(low, high)
