"""Things as JSON: exact, closed, and a danger to nobody."""

import json
import math
import sys
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from study_trials import FOREST, MIXED

import rembo
from rembo import baselines
from rembo.baselines.hd_bo import RatioTest
from rembo.baselines.si_bo import OrthonormalEmbedding
from rembo.embedding import Block, Forest, Layout, Permutation, Scatter, Written
from rembo.learning import Prior
from rembo.study.codec import decode, differences, encode, to_text


def returned(thing):
    """The thing after a journey through text."""
    return decode(json.loads(to_text(encode(thing))))


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
plain = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text("$ab"), inner),
    max_leaves=20,
)


@given(plain)
def test_plain_data_returns_as_it_was(thing):
    assert repr(returned(thing)) == repr(thing)  # which tells 1, 1.0 and True apart, and 0.0 and -0.0


@given(st.binary(min_size=8, max_size=80).filter(lambda bits: len(bits) % 8 == 0))
def test_array_of_floats_returns_bit_for_bit(bits):
    array = np.frombuffer(bits, dtype=np.float64)
    assert returned(array).tobytes() == bits


@pytest.mark.parametrize("array", [np.arange(6).reshape(2, 3), np.eye(3)[:, 1:], np.array(2.5), np.empty((0, 4))])
def test_array_keeps_its_shape_and_type(array):
    assert_array_equal(returned(array), array, strict=True)


def test_array_that_returns_can_be_written():
    assert returned(np.zeros(2)).flags.writeable


OURS = [
    rembo.Float(1e-5, 0.1, log=True),
    rembo.Integer(1, 2**40),
    rembo.Categorical(["a", 1, 2.5, None, ("b", False)]),
    rembo.Bool(),
    rembo.Box(10**9, 0.0, 2.0),
    rembo.Bounds([(0, 1), (1e-5, 1e-1, "log")]),
    rembo.Integer(1, 10**18, log=True),
    rembo.Space({"rate": rembo.Float(0.0, 1.0), "w": rembo.Box(3)}, default={"rate": 0.1}),
    MIXED,
    rembo.Space([("$b", rembo.Bool()), ("default", rembo.Bool()), ("a", rembo.Float(0.0, 1.0))]),
    rembo.GaussianEmbedding(10**9, 3, seed=2**64 - 1),
    rembo.HashEmbedding(100, 5, seed=3),
    rembo.IdentityEmbedding(7),
    rembo.TreeEmbedding.grown(1000, 12, seed=4),
    Scatter(10**9, seed=5),
    Layout((Block(0, 3, 0), Block(3, 5, 2))),
    Permutation(9, seed=1),
    FOREST,
    Forest.planted(Layout.of(MIXED), 8, 0, center=rembo.Point(rembo.IdentityEmbedding(1004), np.linspace(-1, 1, 1004))),
    OrthonormalEmbedding(np.eye(4)[:, :2]),
    rembo.Point(FOREST, np.array([0.1, -0.0, 1.0, 0.3]), low=0.0, high=2.0, start=3, projected=False),
    rembo.Point(rembo.IdentityEmbedding(2), [0.1, 0.2], 0.0, 2.0, written=Written(np.array([0.1, 0.2]), np.ones(2))),
    rembo.Region(3, 1.5),
    rembo.Growth(bins=5, progress=0.5),
    rembo.Matern52(scale=0.5, on=rembo.Image(at_most=9), ard=True),
    rembo.Hamming(power=1),
    rembo.Ascent(steps=3),
    rembo.Direct(5),
    rembo.NelderMead(5),
    rembo.Raw(),
    rembo.CMAES(7),
    rembo.UpperConfidenceBound(beta=2.0),
    rembo.ThompsonSampling(),
    rembo.LogTail(least=0.5),
    rembo.MaximumAPosteriori(besides=(Prior(1.0, 2.0, 0.1, 10.0),)),
    RatioTest(most=5),
    rembo.TrialState.FAIL,
    rembo.HashEmbedding,
    rembo.Growing,
]


@pytest.mark.parametrize("thing", OURS, ids=lambda thing: getattr(thing, "__name__", type(thing).__name__))
def test_thing_of_ours_returns_as_it_was(thing):
    assert returned(thing) == thing


@pytest.mark.parametrize(
    "thing",
    [
        rembo.Product(rembo.Matern32(), rembo.Hamming()),
        rembo.BestOf(rembo.Direct(), rembo.CMAES()),
        rembo.InTurn(rembo.Direct(50, 20), rembo.NelderMead()),
        rembo.Portfolio(rembo.ExpectedImprovement(), eta=0.5),
        rembo.Schedule(every=3),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_thing_of_several_parts_returns_as_it_was(thing):
    assert returned(thing) == thing


NUMBERS = rembo.Box(20)
OPTIMIZERS = [
    lambda: rembo.Growing(MIXED, x0=MIXED.default, growth=rembo.Growth(bins=4), noise="learn", seed=2**63),
    lambda: rembo.Rembo(NUMBERS, 3, runs=2, embedding=rembo.HashEmbedding, kernel=rembo.Matern52(), seed=1),
    lambda: rembo.Rembo(NUMBERS, 2, acquisition=rembo.Portfolio(), maximizer=rembo.Ascent(8, 8), seed=1),
    lambda: rembo.protocols.released(NUMBERS, 2, runs=2, seed=1),
    lambda: rembo.BayesOpt(NUMBERS, learning=rembo.MaximumAPosteriori(), seed=0),
    lambda: rembo.RandomSearch(rembo.Box(10**9), seed=4),
    lambda: rembo.Interleaved([rembo.RandomSearch(NUMBERS, seed=4), rembo.Growing(NUMBERS, seed=5)]),
    lambda: baselines.CMAES(NUMBERS, sigma=0.2, seed=1),
    lambda: baselines.HDBO(NUMBERS, test=RatioTest(most=4), seed=1),
    lambda: baselines.SIBO(NUMBERS, 2, seed=1),
    lambda: baselines.ParamILS(MIXED, initial=3, seed=1),
    lambda: baselines.TPE(NUMBERS, seed=1),
]


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_optimizer_that_returns_asks_the_same(make):
    first, second = make(), returned(make())
    assert encode([trial.point for trial in first.ask(3)]) == encode([trial.point for trial in second.ask(3)])


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_optimizer_that_returns_has_the_same_settings(make):
    assert encode(returned(make())) == encode(make())


@pytest.mark.parametrize("number", [np.float64(0.1), np.float32(0.5), np.int64(3), np.bool_(True), np.str_("a")])
def test_scalar_of_numpy_returns_as_what_it_is_equal_to(number):
    assert repr(returned(number)) == repr(number.item())


@pytest.mark.parametrize(("thing", "kind"), [(1, int), (1.0, float), (True, bool)])
def test_choices_that_are_equal_stay_apart_by_kind(thing, kind):
    assert type(returned(rembo.Categorical([thing, "a"])).choices[0]) is kind


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (rembo.HashEmbedding, "rembo.HashEmbedding"),
        (Forest, "rembo.embedding.Forest"),
        (rembo.CMAES, "rembo.CMAES"),
        (baselines.CMAES, "rembo.baselines.CMAES"),
        (Prior, "rembo.learning.Prior"),
    ],
)
def test_class_goes_by_its_public_name(thing, name):
    assert encode(thing) == {"$class": name}


def test_space_has_this_form_for_ever():
    space = rembo.Space({"rate": rembo.Float(0.5, 1.0), "solver": rembo.Categorical(["a", (1, math.inf)])})
    assert to_text(encode(space)) == (
        '{"$type":"rembo.Space","parameters":{"rate":{"$type":"rembo.Float","low":0.5,"high":1.0,"log":false},'
        '"solver":{"$type":"rembo.Categorical","choices":{"$tuple":["a",{"$tuple":[1,{"$float":"inf"}]}]}}},'
        '"default":null}'
    )


def test_bounds_have_this_form_for_ever():
    assert to_text(encode(rembo.Bounds([(0, 1), (1e-5, 1e-1, "log")]))) == (
        '{"$type":"rembo.Bounds","bounds":{"$tuple":[{"$tuple":[0.0,1.0]},{"$tuple":[1e-05,0.1,"log"]}]}}'
    )


def test_point_has_the_form_that_it_had_in_the_first_files():
    stored = encode(rembo.Point(rembo.IdentityEmbedding(1), [0.5]))
    assert list(stored) == ["$type", "embedding", "y", "low", "high", "start", "stop", "projected"]


def test_array_has_this_form_for_ever():
    data = {"$array": "float64", "shape": [1, 2], "bytes": "AAAAAAAA8D8AAAAAAAAAwA=="}
    assert encode(np.array([[1.0, -2.0]])) == data


def test_forest_of_a_billion_coordinates_takes_less_than_two_kilobytes():
    assert len(to_text(encode(Forest.planted(Layout.numbers(10**9), leaves=64, seed=2**63)))) < 2000


@dataclass(frozen=True)
class Foreign:
    number: int = 1


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("thing", "where"),
    [
        ({"settings": {"kernel": len}}, r"optimizer\.settings\.kernel is <built-in function len>"),
        ({"settings": {"kernel": lambda: 0}}, r"optimizer\.settings\.kernel is <function .*>, a function,"),
        ({"parts": [1, Foreign()]}, r"optimizer\.parts\[1\] is Foreign\(number=1\), a Foreign,"),
        (
            rembo.Space({"net": rembo.Categorical(["a", Foreign])}),
            r"optimizer\.net\.choices\[1\] is the class Foreign,",
        ),
        (rembo.Categorical([Colour.RED, "b"]), r"optimizer\.choices\[0\] is <Colour\.RED: 1>"),
        (1j, r"optimizer is 1j, a complex,"),
        (b"bytes", r"optimizer is b'bytes', a bytes,"),
        ({1, 2}, r"optimizer is \{1, 2\}, a set,"),
    ],
)
def test_what_cannot_be_stored_is_named_with_its_place_and_a_cure(thing, where):
    with pytest.raises(TypeError, match=where + r".* which no file of a study can hold: use a plain value"):
        encode(thing, "optimizer")


def test_keys_other_than_strings_are_refused():
    with pytest.raises(TypeError, match=r"attrs has the key 3, and only strings can be stored as keys: use '3'"):
        encode({3: 1}, "attrs")


def test_arrays_of_other_numbers_are_refused_with_a_cure():
    with pytest.raises(TypeError, match=r"x0 is an array of float32, .* use array\.astype\(np\.float64\)"):
        encode(np.zeros(2, dtype=np.float32), "x0")


@pytest.mark.parametrize("tag", ["$type", "$class", "$enum"])
@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "subprocess.Popen",
        "antigravity.Anything",
        "rembo.minimize",
        "rembo.Embedding",
        "rembo.space.np",
        "rembo.baselines.TPE.__init__",
        "rembo.acquisition._Greedy",
        "rembo.embedding.forest.Forest",
        "rembo.learning.np",
        "rembo.gp.NotPositiveDefiniteError",
        "Forest",
        "",
        None,
        3,
    ],
)
def test_no_other_names_are_read_from_a_file(tag, name):
    with pytest.raises(ValueError, match=r"is none of the classes that this version of rembo reads"):
        decode({tag: name})


def test_reading_a_name_imports_nothing_from_outside():
    with pytest.raises(ValueError, match="antigravity"):
        decode([{"$type": "antigravity.Fly"}])
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    "data",
    [
        {"$type": "rembo.Float", "low": 0.0, "high": 1.0, "colour": "red"},
        {"$type": "rembo.Float", "low": 0.0},
        {"$type": "rembo.Float", "low": 2.0, "high": 1.0},
        {"$type": "rembo.Space", "parameters": {}},
        {"$type": "rembo.Point", "embedding": 3, "y": [1.0]},
        {"$type": "rembo.RandomSearch", "space": None, "seed": 1, "settings": 3},
        {"$enum": "rembo.TrialState", "member": "LOST"},
        {"$enum": "rembo.Float", "member": "low"},
        {"$array": "object", "shape": [1], "bytes": "AAAA"},
        {"$array": "float64", "shape": [1], "bytes": "AAAA"},
        {"$array": "float64", "shape": [1], "bytes": "?"},
        {"$array": "float64", "shape": "x", "bytes": "AAAAAAAA8D8="},
        {"$float": "one"},
        {"$float": None},
        {"$tuple": 3},
        {"$dict": 3},
        {"$newer": 3},
    ],
)
def test_damaged_data_is_a_value_error(data):
    with pytest.raises(ValueError, match=r"."):
        decode(data)


def space_with(**changed):
    parameters = {"rate": rembo.Float(0.0, 0.1), "solver": rembo.Categorical(["a", "b"]), "warm": rembo.Bool()}
    return encode({"space": rembo.Space(parameters | changed)})


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rate": rembo.Float(0.0, 0.2)}, "space.rate.high is 0.1 in the file and 0.2 here"),
        ({"rate": rembo.Float(0, 0.1)}, "space.rate.low is 0.0 in the file and 0 here"),
        ({"warm": rembo.Box(2)}, "space.warm is Bool() in the file and Box(size=2, low=-1.0, high=1.0) here"),
        ({"solver": rembo.Categorical(["a", "c"])}, "space.solver.choices[1] is 'b' in the file and 'c' here"),
        ({"size": rembo.Bool()}, "space.size is missing in the file and Bool() here"),
        (
            {"solver": rembo.Categorical(["a", "b", (1, math.inf)])},
            "space.solver.choices is ['a', 'b'] in the file and ['a', 'b', (1, inf)] here",
        ),
    ],
)
def test_difference_is_told_in_a_sentence(changed, sentence):
    assert differences(space_with(), space_with(**changed)) == [sentence]


def test_all_differences_are_told():
    given = space_with(rate=rembo.Float(0.05, 0.2))
    given["space"]["parameters"].pop("warm")
    assert differences(space_with(), given) == [
        "space.rate.low is 0.0 in the file and 0.05 here",
        "space.rate.high is 0.1 in the file and 0.2 here",
        "space.warm is Bool() in the file and missing here",
    ]


def test_another_order_of_parameters_is_a_difference():
    stored, given = (encode({"space": rembo.Space([(name, rembo.Bool()) for name in order])}) for order in ("ab", "ba"))
    assert differences(stored, given) == ["space has the order a, b in the file and b, a here"]


def test_another_order_of_settings_is_no_difference():
    assert differences({"settings": {"a": 1, "b": 2}}, {"settings": {"b": 2, "a": 1}}) == []


@pytest.mark.parametrize(
    ("stored", "given", "sentence"),
    [
        ((1, 2), [1, 2], "x is (1, 2) in the file and [1, 2] here"),
        ((1, 2), math.nan, "x is (1, 2) in the file and nan here"),
        (rembo.HashEmbedding, rembo.Bool(), "x is rembo.HashEmbedding in the file and Bool() here"),
        (rembo.Box(3), {"size": 3}, "x is Box(size=3, low=-1.0, high=1.0) in the file and {'size': 3} here"),
        (1, True, "x is 1 in the file and True here"),
    ],
)
def test_things_of_different_kinds_are_told_as_wholes(stored, given, sentence):
    assert differences(encode({"x": stored}), encode({"x": given})) == [sentence]


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.array([0.0, 2.5, 0.0]), "x0[1] is 0.0 in the file and 2.5 here"),
        (np.array([-0.0, 2.5, 0.0]), "x0[0] is 0.0 in the file and -0.0 here, and 1 more of its numbers differ"),
        (np.zeros(2), "x0 is an array of float64 of shape [3] in the file and an array of float64 of shape [2] here"),
        (np.zeros(3, dtype=np.int64), "x0 is an array of float64 of shape [3] in the file and an array of int64"),
        (None, "x0 is an array of float64 of shape [3] in the file and None here"),
    ],
)
def test_difference_between_arrays_is_told_by_the_first_number(array, sentence):
    assert differences(encode({"x0": np.zeros(3)}), encode({"x0": array}))[0].startswith(sentence)


@pytest.mark.parametrize("thing", [MIXED, FOREST, rembo.HashEmbedding, {"a": [1, (2.5, None)]}, np.arange(3)])
def test_nothing_differs_from_itself(thing):
    assert differences(encode({"thing": thing}), encode({"thing": thing})) == []


def nested(levels):
    """A list in a list in a list."""
    return json.loads("[" * levels + "]" * levels)


def test_what_is_nested_too_deeply_is_refused():
    with pytest.raises(TypeError, match="user_attrs is nested too deeply: use fewer levels"):
        encode(nested(900), "user_attrs")


def test_data_nested_too_deeply_are_refused():
    with pytest.raises(ValueError, match="nested too deeply"):
        decode(nested(900))


def test_what_is_nested_within_reason_returns():
    assert returned(nested(100)) == nested(100)
