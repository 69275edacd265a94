"""Layouts: which coordinates are alike, and where each stands among its like."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Bool, Box, Categorical, Float, Integer, Space
from rembo.embedding import Block, Layout
from rembo.space import parts_of

BILLION = 10**9
MIXED = Space(
    {
        "solver": Categorical(["adam", "sgd", "lbfgs"]),
        "rate": Float(0.0, 1.0),
        "weights": Box(4),
        "warm": Bool(),
        "mode": Categorical(["on", "off"]),
        "layers": Integer(1, 8),
        "loss": Categorical(["l1", "l2", "huber"]),
    }
)
SPACES = [
    MIXED,
    Box(7),
    Bool(),
    Space({"a": Bool(), "b": Float(0.0, 1.0), "c": Bool(), "d": Float(0.0, 1.0)}),
    Space({f"p{number}": Categorical(range(2 + number % 4)) for number in range(30)}),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=["mixed", "box", "bool", "alternating", "choices"])


def test_neighbours_of_one_kind_are_one_block():
    assert Layout.of(MIXED).blocks == (Block(0, 1, 3), Block(1, 6, 0), Block(6, 8, 2), Block(8, 9, 0), Block(9, 10, 3))


def test_kinds_stand_in_increasing_order_with_numbers_first():
    assert Layout.of(MIXED).kinds == (0, 2, 3)


def test_sizes_count_the_coordinates_of_each_kind():
    assert Layout.of(MIXED).sizes == (6, 2, 2)


@pytest.mark.parametrize(
    "number", [Float(1e-3, 1.0, log=True), Integer(1, 8), Integer(1, 8, log=True), Box(1)], ids=str
)
def test_numbers_of_every_sort_are_one_kind(number):
    assert Layout.of(number) == Layout.numbers(1)


def test_bool_is_a_choice_among_two():
    assert Layout.of(Bool()) == Layout.of(Categorical(["no", "yes"])) == Layout((Block(0, 1, 2),))


@every_space
def test_sizes_sum_to_the_dimension(space):
    layout = Layout.of(space)
    assert sum(layout.sizes) == layout.ambient_dim == space.size


@every_space
def test_located_kind_is_that_of_the_parameter(space):
    layout, parts = Layout.of(space), parts_of(space)
    first = layout.locate(np.array([part.start for part in parts]))
    expected = [0 if part.parameter.ordered else part.parameter.levels for part in parts]
    assert [layout.kinds[kind] for kind in first.kinds] == expected


@every_space
def test_coordinates_of_a_kind_are_numbered_without_a_gap(space):
    layout = Layout.of(space)
    located = layout.locate(np.arange(space.size))
    numbers = [located.within[located.kinds == kind].tolist() for kind in range(len(layout.kinds))]
    assert numbers == [list(range(size)) for size in layout.sizes]


@every_space
def test_index_is_the_inverse_of_locate(space):
    layout, index = Layout.of(space), np.random.default_rng(0).permutation(space.size)
    located = layout.locate(index)
    back = [
        layout.index(kind, np.array([within]))[0] for kind, within in zip(located.kinds, located.within, strict=True)
    ]
    assert_array_equal(back, index)


def test_many_numbers_within_a_kind_are_found_at_once():
    assert_array_equal(Layout.of(MIXED).index(0, np.array([5, 0, 4])), [8, 1, 5])


def test_locating_nothing_gives_nothing():
    located = Layout.of(MIXED).locate(np.arange(0))
    assert (len(located.kinds), len(located.within)) == (0, 0)


def test_layout_of_a_billion_takes_little_memory():
    tracemalloc.start()
    layout = Layout.of(Space({"first": Box(BILLION), "warm": Bool(), "second": Box(BILLION)}))
    located = layout.locate(np.array([BILLION - 1, BILLION, 2 * BILLION]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_array_equal(located.kinds, [0, 1, 0])
    assert_array_equal(located.within, [BILLION - 1, 0, 2 * BILLION - 1])
    assert peak < 100_000


def test_pickled_layout_stays_small_after_it_was_read():
    layout = Layout.of(MIXED)
    before = len(pickle.dumps(layout))
    layout.locate(np.arange(10))
    assert len(pickle.dumps(layout)) == before
    assert pickle.loads(pickle.dumps(layout)) == layout


def test_layouts_are_equal_where_their_kinds_are():
    assert Layout.of(Space({"a": Float(0.0, 1.0), "b": Box(3)})) == Layout.of(Space({"c": Box(3), "d": Integer(1, 4)}))


def test_layouts_of_other_choices_differ():
    assert Layout.of(Categorical(["a", "b", "c"])) != Layout.of(Categorical(["a", "b", "c", "d"]))
