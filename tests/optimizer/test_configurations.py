"""The configurations of a finite space: the nearest that was not seen."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Bool, Categorical, Integer, Space
from rembo.embedding import IdentityEmbedding, Point
from rembo.optimizer.configurations import configuration, nearest_unseen

SPACE = Space({"a": Integer(0, 2), "b": Categorical(["x", "y"]), "c": Bool()})


def listed(count, *among):
    """The first few configurations by nearness to the first, (0, x, False), as f gets them."""
    seen, found = set(among), []
    for _ in range(count):
        row = nearest_unseen(SPACE, SPACE.encode({"a": 0, "b": "x", "c": False}), seen)
        found.append(None if row is None else SPACE.decode(Point(IdentityEmbedding(SPACE.size), row)))
        seen.add(None if row is None else configuration(found[-1]))
    return found


def test_nearest_configuration_is_the_given_one_if_it_was_not_seen():
    assert listed(1) == [{"a": 0, "b": "x", "c": False}]


def test_configurations_that_differ_in_one_parameter_come_before_those_that_differ_in_two():
    changed = [sum([x["a"] != 0, x["b"] != "x", x["c"]]) for x in listed(12)]
    assert changed == sorted(changed) == [0] + 4 * [1] + 5 * [2] + 2 * [3]


def test_every_configuration_is_found_once_and_then_none():
    assert listed(13)[-1] is None
    assert len({configuration(x) for x in listed(12)}) == 12


@pytest.mark.parametrize("size", [12, 13])
def test_configurations_are_listed_up_to_4096(size):
    space = Space({f"bit{number}": Bool() for number in range(size)})
    found = nearest_unseen(space, np.full(size, -0.5), set())
    assert (found is None) is (size == 13)


def test_position_of_a_configuration_decodes_to_itself():
    row = nearest_unseen(SPACE, np.zeros(SPACE.size), set())
    assert_array_equal(SPACE.encode(SPACE.decode(Point(IdentityEmbedding(SPACE.size), row))), row)
