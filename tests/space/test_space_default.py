"""The default of a Space: a configuration to start from, refused at once where it is none of the space's."""

import pickle

import numpy as np
import pytest

from rembo import Bool, Box, Categorical, Float, Integer, Space

PARAMETERS = {
    "rate": Float(1e-5, 1e-1, log=True),
    "layers": Integer(1, 8),
    "solver": Categorical(["adam", "sgd", "lbfgs"]),
    "warm": Bool(),
    "weights": Box(2),
}
DEFAULT = {"rate": 1e-3, "layers": 3, "solver": "sgd", "warm": True, "weights": [0.5, -0.5]}


def test_space_keeps_its_default():
    assert Space(PARAMETERS, default=DEFAULT).default == DEFAULT


def test_space_has_no_default_unless_it_is_given_one():
    assert Space(PARAMETERS).default is None


def test_default_may_be_given_with_pairs():
    assert Space(list(PARAMETERS.items()), DEFAULT) == Space(PARAMETERS, DEFAULT)


def test_default_may_name_its_values_in_any_order():
    assert Space(PARAMETERS, dict(reversed(DEFAULT.items()))) == Space(PARAMETERS, DEFAULT)


def test_default_may_lie_on_the_bounds():
    edge = DEFAULT | {"rate": 1e-1, "layers": 8, "weights": np.array([-1.0, 1.0])}
    assert Space(PARAMETERS, edge).default == edge


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": 1.0}, r"parameter 'rate': 1\.0 does not lie in Float\(low=1e-05, high=0\.1"),
        ({"layers": 9}, r"parameter 'layers': 9 does not lie in Integer\(low=1, high=8"),
        ({"solver": "rprop"}, r"parameter 'solver': 'rprop' is none of the choices \['adam', 'sgd', 'lbfgs'\]"),
        ({"warm": 1}, "parameter 'warm': .* must be True or False, not 1"),
        ({"weights": [0.5]}, r"parameter 'weights': .* must have shape \(2,\), not \(1,\)"),
        ({"weights": [0.5, 2.0]}, r"parameter 'weights': coordinate 1 is 2\.0, outside \[-1\.0, 1\.0\]"),
        (
            {"weight": 1},
            r"must be a dict of \['layers', .* 5 in all\].*: 'weight' is unknown, did you mean 'weights'\?",
        ),
        ({"zzz": 1}, "'zzz' is unknown, leave it out"),
    ],
    ids=str,
)
def test_default_with_an_illegal_value_is_refused_and_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        Space(PARAMETERS, default=DEFAULT | wrong)


@pytest.mark.parametrize("wrong", [[1e-3], 3], ids=str)
def test_default_that_is_no_dict_is_refused(wrong):
    with pytest.raises(
        ValueError, match=r"must be a dict of \['layers', 'rate', 'solver', 'warm', \.\.\. 5 in all\], not"
    ):
        Space(PARAMETERS, default=wrong)


def test_default_is_completed_by_middles_and_first_choices():
    completed = Space(PARAMETERS, default={"layers": 7}).default
    weights = completed.pop("weights")
    assert completed == {"rate": Float(1e-5, 1e-1, log=True).value(0.0), "layers": 7, "solver": "adam", "warm": False}
    assert weights.tolist() == [0.0, 0.0]


def test_completed_default_has_the_order_of_the_parameters():
    assert list(Space(PARAMETERS, default={"warm": True}).default) == list(PARAMETERS)


def test_partial_value_is_completed_by_the_default():
    assert Space(PARAMETERS, DEFAULT).completed({"layers": 8}) == DEFAULT | {"layers": 8}


def test_default_of_too_large_a_box_cannot_be_completed():
    with pytest.raises(ValueError, match="more than 10000000 numbers, too many for a default: leave it out"):
        Space({"a": Bool(), "w": Box(10**9)}, default={"a": True})


def test_value_of_a_space_must_be_whole_to_have_a_position():
    with pytest.raises(ValueError, match=r"not \['rate'\]: \['layers', 'solver', 'warm', 'weights'\] missing"):
        Space(PARAMETERS, DEFAULT).encode({"rate": 1e-3})


def test_spaces_with_the_same_default_are_equal():
    assert Space(PARAMETERS, DEFAULT) == Space(PARAMETERS, DEFAULT | {"weights": np.array([0.5, -0.5])})


@pytest.mark.parametrize("other", [None, DEFAULT | {"layers": 4}, DEFAULT | {"weights": [0.5, 0.5]}], ids=str)
def test_spaces_of_other_defaults_differ(other):
    assert Space(PARAMETERS, DEFAULT) != Space(PARAMETERS, other)
    assert Space(PARAMETERS, other) != Space(PARAMETERS, DEFAULT)


def test_default_travels_with_the_space():
    space = Space(PARAMETERS, DEFAULT)
    assert pickle.loads(pickle.dumps(space)) == space


def test_default_does_not_change_with_the_dict_it_came_from():
    given = dict(DEFAULT)
    space = Space(PARAMETERS, given)
    given["layers"] = 99
    assert space.default == DEFAULT


def test_changes_names_the_parameters_that_differ_from_the_default():
    space = Space(
        {"rate": Float(0.0, 1.0), "deep": Bool(), "weights": Box(3)}, {"rate": 0.5, "deep": True, "weights": [0, 0, 1]}
    )
    value = {"rate": 0.5, "deep": False, "weights": np.array([0.0, 0.0, 0.5])}
    assert space.changes(value) == ["deep", "weights"]


def test_without_a_default_every_parameter_is_a_change():
    assert Space({"rate": Float(0.0, 1.0), "deep": Bool()}).changes({"rate": 0.5, "deep": True}) == ["rate", "deep"]
