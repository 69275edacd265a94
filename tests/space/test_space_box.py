"""Laws of Box: alike coordinates in their own units, as one entry whatever their number."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rembo import Box, Float, GaussianEmbedding, IdentityEmbedding, Point

law = settings(deadline=None, derandomize=True, max_examples=200)
numbers = st.floats(-1e300, 1e300, allow_subnormal=False)


@st.composite
def boxes(draw):
    return Box(draw(st.integers(1, 6)), *sorted(draw(st.lists(numbers, min_size=2, max_size=2, unique=True))))


def decoded(box, position):
    return np.asarray(box.decode(Point(IdentityEmbedding(box.size), position)))


@law
@given(boxes(), st.data())
def test_array_comes_back_from_its_position(box, data):
    value = data.draw(st.lists(st.floats(box.low, box.high), min_size=box.size, max_size=box.size))
    tolerance = 1e-14 * max(abs(box.low), abs(box.high))  # four roundings of numbers of that size
    np.testing.assert_allclose(decoded(box, box.encode(value)), value, rtol=0.0, atol=tolerance)


@law
@given(boxes(), st.data())
def test_every_position_stands_for_an_array_within_bounds(box, data):
    u = data.draw(st.lists(st.floats(-1.0, 1.0), min_size=box.size, max_size=box.size))
    value = decoded(box, u)
    assert value.shape == (box.size,)
    assert np.all((box.low <= value) & (value <= box.high))


@law
@given(boxes(), st.data())
def test_every_array_has_a_position_in_the_cube(box, data):
    value = data.draw(st.lists(st.floats(box.low, box.high), min_size=box.size, max_size=box.size))
    assert np.all(np.abs(box.encode(value)) <= 1.0)


@law
@given(boxes())
@example(Box(2, 0.1, 0.3))
@example(Box(2, -5.0, 10.0))
@example(Box(2, -1.7e308, 1.7e308))
def test_corners_of_the_cube_are_exactly_the_bounds(box):
    assert set(decoded(box, np.full(box.size, -1.0))) == {box.low}
    assert set(decoded(box, np.full(box.size, 1.0))) == {box.high}


def test_box_of_one_stretches_like_a_float():
    grid = np.linspace(-1.0, 1.0, 101)
    assert decoded(Box(101, 0.25, 7.5), grid).tolist() == [Float(0.25, 7.5).value(u) for u in grid.tolist()]


def test_unit_box_leaves_every_position_as_it_is():
    u = np.random.default_rng(0).uniform(-1.0, 1.0, 1000)
    np.testing.assert_array_equal(decoded(Box(1000), u), u)


def test_box_is_an_ordered_continuum_in_the_unit_cube():
    box = Box(10**9)
    assert (box.low, box.high, box.levels, box.ordered) == (-1.0, 1.0, 0, True)


def test_largest_box_is_read_at_its_last_coordinate():
    box = Box(2**63 - 1, 0.0, 1.0)
    assert 0.0 <= box.decode(Point(GaussianEmbedding(box.size, 2, seed=1), [0.1, 0.2]))[2**63 - 2] <= 1.0


def test_box_of_a_billion_is_read_in_little_memory():
    y = np.array([0.3, -0.2])
    tracemalloc.start()
    x = Box(10**9, -5.0, 10.0).decode(Point(GaussianEmbedding(10**9, 2, seed=1), y))
    assert len(x[[17, 999_999_998]]) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.parametrize(
    ("value", "shape"), [([0.0, 0.0], "2,"), ([[0.0, 0.0, 0.0]], "1, 3"), (0.0, ""), (np.zeros(4), "4,")]
)
def test_array_of_another_shape_has_no_position(value, shape):
    with pytest.raises(ValueError, match=rf"must have shape \(3,\), not \({shape}\)"):
        Box(3).encode(value)


@pytest.mark.parametrize("wrong", [1.5, -1.0000001, math.nan, math.inf])
def test_coordinate_outside_the_box_is_named(wrong):
    with pytest.raises(ValueError, match=rf"coordinate 1 is {wrong}, outside \[-1\.0, 1\.0\]"):
        Box(3).encode([0.0, wrong, 2.0])


@pytest.mark.parametrize("size", [0, -5, 2**63])
def test_box_size_out_of_range_is_refused(size):
    with pytest.raises(ValueError, match=rf"Box size {size} must lie between 1 and 2\*\*63 - 1"):
        Box(size)


@pytest.mark.parametrize("size", [1.5, 2.0, "3", None])
def test_box_size_must_be_a_whole_number(size):
    with pytest.raises(TypeError, match=f"Box size must be a whole number, not {size!r}"):
        Box(size)
