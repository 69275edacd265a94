"""Laws of Space: named parameters become a dict and back, each coordinate read once."""

import tracemalloc
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rembo import Bool, Box, Categorical, Float, GaussianEmbedding, IdentityEmbedding, Integer, Point, Space
from rembo.space import coordinate_name, parts_of

law = settings(deadline=None, derandomize=True, max_examples=200)
MIXED = Space(
    {
        "rate": Float(1e-5, 1e-1, log=True),
        "weights": Box(3, low=0.0, high=1.0),
        "layers": Integer(1, 8),
        "width": Integer(1, 4096, log=True),
        "solver": Categorical(["adam", "sgd", "lbfgs"]),
        "biases": Box(2, low=-5.0, high=10.0),
        "warm": Bool(),
    }
)
values = st.fixed_dictionaries(
    {
        "rate": st.floats(1e-5, 1e-1),
        "weights": st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3),
        "layers": st.integers(1, 8),
        "width": st.integers(1, 4096),
        "solver": st.sampled_from(["adam", "sgd", "lbfgs"]),
        "biases": st.lists(st.floats(-5.0, 10.0), min_size=2, max_size=2),
        "warm": st.booleans(),
    }
)
positions = st.lists(st.floats(-1.0, 1.0), min_size=10, max_size=10)


@dataclass
class Recorded:
    """A point's coordinates from y itself, with a record of what was read."""

    ambient_dim: int
    read: list = field(default_factory=list)

    @property
    def embedding_dim(self):
        return self.ambient_dim

    def image(self, y, index):
        self.read.append(index.tolist())
        return y[index]


def at(space, position):
    return Point(IdentityEmbedding(space.size), position)


@law
@given(values)
def test_dict_comes_back_from_its_position(value):
    back = MIXED.decode(at(MIXED, MIXED.encode(value)))
    assert {name: back[name] for name in ("layers", "width", "solver", "warm")} == {
        name: value[name] for name in ("layers", "width", "solver", "warm")
    }
    assert back["rate"] == pytest.approx(value["rate"], rel=1e-13)
    np.testing.assert_allclose(back["weights"], value["weights"], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(back["biases"], value["biases"], rtol=0.0, atol=1e-14)


@law
@given(positions)
def test_every_position_decodes_to_a_dict_that_encodes(position):
    encoded = MIXED.encode(MIXED.decode(at(MIXED, position)))
    assert encoded.shape == (10,)
    assert np.all(np.abs(encoded) <= 1.0)


@law
@given(positions)
def test_each_parameter_reads_its_own_coordinates(position):
    value = MIXED.decode(at(MIXED, position))
    assert value["rate"] == MIXED.parameters["rate"].value(position[0])
    assert value["layers"] == MIXED.parameters["layers"].value(position[4])
    assert value["warm"] == MIXED.parameters["warm"].value(position[9])
    assert list(value["biases"]) == [Float(-5.0, 10.0).value(u) for u in position[7:9]]


def test_dict_has_the_names_in_the_order_given():
    assert list(MIXED.decode(at(MIXED, np.zeros(10)))) == list(MIXED.parameters)


def test_box_in_a_dict_is_a_point_of_its_own():
    biases = MIXED.decode(at(MIXED, np.linspace(-1.0, 1.0, 10)))["biases"]
    assert isinstance(biases, Point)
    assert (len(biases), biases[-1]) == (2, biases[1])


def test_all_single_numbers_are_read_at_once():
    source = Recorded(10)
    MIXED.decode(Point(source, np.zeros(10)))
    assert source.read == [[0, 4, 5, 6, 9]]


def test_space_of_boxes_alone_reads_nothing():
    space, source = Space({"a": Box(3), "b": Box(2)}), Recorded(5)
    space.decode(Point(source, np.zeros(5)))
    assert source.read == []


def test_parts_follow_each_other_without_a_gap():
    assert [(part.start, part.stop) for part in parts_of(MIXED)] == [
        (0, 1), (1, 4), (4, 5), (5, 6), (6, 7), (7, 9), (9, 10)
    ]  # fmt: skip
    assert MIXED.size == 10


def test_space_with_a_box_of_a_billion_is_read_in_little_memory():
    y = np.array([0.3, -0.2])
    tracemalloc.start()
    space = Space({"huge": Box(10**9), "rate": Float(0.0, 1.0), "other": Box(10**12)})
    value = space.decode(Point(GaussianEmbedding(space.size, 2, seed=1), y))
    assert isinstance(value["other"][10**12 - 1] + value["huge"][17], float)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_pairs_make_the_same_space_as_a_dict():
    assert Space([("a", Bool()), ("b", Float(0.0, 1.0))]) == Space({"a": Bool(), "b": Float(0.0, 1.0)})


@pytest.mark.parametrize(
    "other",
    [
        Space({"b": Float(0.0, 1.0), "a": Bool()}),
        Space({"a": Bool()}),
        Space({"a": Bool(), "b": Float(0.0, 2.0)}),
        "ab",
    ],
    ids=str,
)
def test_spaces_of_other_parameters_or_order_differ(other):
    assert Space({"a": Bool(), "b": Float(0.0, 1.0)}) != other


def test_space_is_compared_but_never_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(MIXED)


def test_space_shows_its_parameters_when_printed():
    assert (
        repr(Space({"a": Bool(), "b": Integer(1, 3)})) == "Space({'a': Bool(), 'b': Integer(low=1, high=3, log=False)})"
    )


def test_space_without_parameters_is_refused_with_an_example():
    with pytest.raises(ValueError, match=r"needs at least one parameter, e\.g\. Space"):
        Space({})


def test_repeated_name_is_refused_and_named():
    with pytest.raises(ValueError, match="the name 'a' stands more than once: name each parameter once"):
        Space([("b", Bool()), ("a", Bool()), ("a", Float(0.0, 1.0))])


@pytest.mark.parametrize("name", [1, None, ("a",)])
def test_name_that_is_no_string_is_refused(name):
    with pytest.raises(TypeError, match="a parameter's name must be a string, not"):
        Space({name: Bool()})


@pytest.mark.parametrize("wrong", [3, (0.0, 1.0), Bool, Space({"b": Bool()})], ids=repr)
def test_entry_that_is_no_parameter_is_refused_by_name(wrong):
    with pytest.raises(
        TypeError, match="parameter 'a' must be a Float, Integer, Categorical, Ordinal, Bool, Box or Bounds, not"
    ):
        Space({"a": wrong})


@pytest.mark.parametrize("wrong", [{}, {"b": True}, {"a": True, "b": 1.0}, True, [("a", True)]], ids=str)
def test_value_with_other_names_has_no_position(wrong):
    with pytest.raises(ValueError, match=r"must be a dict of \['a'\], not "):
        Space({"a": Bool()}).encode(wrong)


def test_value_with_one_wrong_entry_has_no_position():
    with pytest.raises(ValueError, match=r"parameter 'a': 2\.0 does not lie in Float\(low=0\.0, high=1\.0"):
        Space({"a": Float(0.0, 1.0), "b": Bool()}).encode({"a": 2.0, "b": True})


@pytest.mark.parametrize("last", [Box(2**62), Bool()])
def test_more_coordinates_than_an_index_holds_are_refused(last):
    with pytest.raises(ValueError, match=r"2\*\*63"):
        Space({"a": Box(2**62), "b": Box(2**62), "c": last})


@pytest.mark.parametrize(
    ("index", "name"),
    [(0, "rate"), (1, "weights[0]"), (3, "weights[2]"), (4, "layers"), (6, "solver"), (8, "biases[1]"), (9, "warm")],
)
def test_coordinate_is_called_by_its_parameter(index, name):
    assert coordinate_name(MIXED, index) == name


@pytest.mark.parametrize("index", [0, 17, 10**9 - 1])
def test_coordinate_of_a_box_without_a_name_is_called_x(index):
    assert coordinate_name(Box(10**9), index) == f"x[{index}]"


@pytest.mark.parametrize("parameter", [Float(0.0, 1.0), Integer(1, 8), Categorical(["a", "b"]), Bool()], ids=str)
def test_single_parameter_without_a_name_is_called_x(parameter):
    assert coordinate_name(parameter, 0) == "x"


def test_every_coordinate_has_a_name_of_its_own():
    assert len({coordinate_name(MIXED, index) for index in range(MIXED.size)}) == MIXED.size


@pytest.mark.parametrize(("index", "name"), [(2**61 - 1, f"a[{2**61 - 1}]"), (2**61, "b"), (2**61 + 1, "c[0]")])
def test_coordinates_behind_a_huge_box_are_told_apart(index, name):
    assert coordinate_name(Space({"a": Box(2**61), "b": Bool(), "c": Box(2**61)}), index) == name
