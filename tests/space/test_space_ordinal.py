"""Laws of Ordinal: values in an order, each with an equal share, measured by their places."""

import numpy as np
import pytest

import rembo
from rembo import Bool, Float, Growing, IdentityEmbedding, Is, Less, Ordinal, Point, Space
from rembo.embedding import Forest, Layout
from rembo.kernel import Leaves
from rembo.study.codec import decode, encode

LEVEL = Ordinal(["none", "low", "middle", "high"])
SIZE = Ordinal([1, 2, 5, 10, 20])


@pytest.mark.parametrize("parameter", [LEVEL, SIZE, Ordinal([0.25, "auto"])])
def test_every_value_comes_back_from_its_position(parameter):
    assert [parameter.value(parameter.position(value)) for value in parameter.values] == list(parameter.values)


@pytest.mark.parametrize("u", [-1.0, -0.5, -0.4999, 0.0, 0.999, 1.0])
def test_every_position_has_a_value(u):
    assert LEVEL.value(u) == LEVEL.values[min(int((u + 1.0) * 2.0), 3)]


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (["a"], ValueError, r"Ordinal\(values=.* needs at least 2 values"),
        (["a", "a"], ValueError, "Ordinal value 'a' stands more than once"),
        ("abc", TypeError, "Ordinal values must be a list"),
        ([[1], [2]], TypeError, "Ordinal values must be hashable"),
    ],
)
def test_what_is_no_list_of_values_is_refused(values, error, words):
    with pytest.raises(error, match=words):
        Ordinal(values)


@pytest.mark.parametrize("value", ["lower", None, [1]])
def test_value_that_is_none_of_them_is_refused(value):
    with pytest.raises(ValueError, match="is none of the values"):
        LEVEL.position(value)


def test_ordinal_is_written_and_read():
    space = Space({"level": LEVEL, "size": SIZE}, {"level": "low", "size": 5})
    assert decode(encode(space)) == space
    assert repr(SIZE) == "Ordinal(values=(1, 2, 5, 10, ... 5 in all))"


def test_neighbours_are_nearer_than_others():
    space = Space({"level": LEVEL, "x": Float(0.0, 1.0)})
    forest = Forest.planted(Layout.of(space), 2, seed=0)
    leaves = Leaves.of(space, forest)
    Z = leaves(np.array([forest.preimage(space.encode({"level": level, "x": 0.5})) for level in LEVEL.values]))
    distances = np.linalg.norm(Z - Z[0], axis=1)
    assert distances.tolist() == sorted(distances.tolist())
    assert len(set(distances.tolist())) == 4


def test_search_of_ordinals_asks_each_configuration_once():
    space = Space({"level": LEVEL, "size": SIZE})
    optimizer = Growing(space, seed=0)
    for _ in range(20):
        trial = optimizer.ask()
        optimizer.tell(trial, abs(trial.x["size"] - 10) + LEVEL.values.index(trial.x["level"]))
    assert optimizer.best_trial.x == {"level": "none", "size": 10}
    assert len({tuple(trial.x.values()) for trial in optimizer.trials}) == 20


def test_ordinal_matters_as_other_parameters_do():
    space = Space({"level": LEVEL, "x": Float(-1.0, 1.0)})
    result = rembo.minimize(lambda x: LEVEL.values.index(x["level"]) + 0.01 * x["x"], space, 25, seed=0)
    assert result.optimizer.importance()[0].parameters == ("level",)


@pytest.mark.parametrize(("parameter", "condition", "exists"), [(SIZE, Less("a", 5), 2), (LEVEL, Is("a", "high"), 1)])
def test_conditions_compare_numbers_and_words(parameter, condition, exists):
    space = Space({"a": parameter, "b": Bool().when(condition)})
    positions = [parameter.position(value) for value in parameter.values]
    found = [space.decode(Point(IdentityEmbedding(2), [u, 0.0])) for u in positions]
    assert sum("b" in x for x in found) == exists


def test_words_have_no_size():
    with pytest.raises(TypeError, match="compares 'a', whose values are no numbers: use Is"):
        Space({"a": LEVEL, "b": Bool().when(Less("a", 2))})
