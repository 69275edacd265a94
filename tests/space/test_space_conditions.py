"""Laws of spaces with conditions and forbidden clauses: what exists, what is legal, and what is refused."""

import pickle

import pytest

from rembo import Bool, Box, Categorical, Float, Greater, IdentityEmbedding, Integer, Is, Less, Point, Space
from rembo.study.codec import decode, encode, to_text

SOLVER = Categorical(["adam", "sgd", "lbfgs"])
SPACE = Space(
    {
        "nesterov": Bool().when(Greater("momentum", 0.5)),  # its parent comes later
        "momentum": Float(0.0, 1.0).when(Is("solver", "sgd")),
        "solver": SOLVER,
        "layers": Integer(1, 8),
        "widths": Box(3).when(~Less("layers", 3)),
    },
    forbidden=[Is("solver", "lbfgs") & Is("layers", 7, 8)],
)
SGD = {"nesterov": True, "momentum": 0.9, "solver": "sgd", "layers": 2}


def read(space, u):
    return space.decode(Point(IdentityEmbedding(space.size), u))


def ends(u):
    """A space of one number from 0 to 10 and a child that exists where a condition on it holds."""
    return lambda condition: "child" in read(Space({"a": Integer(0, 10), "child": Bool().when(condition)}), [u, 0.0])


# What exists


@pytest.mark.parametrize(
    ("condition", "exists"),
    [
        (Is("a", 5), True),
        (Is("a", 4, 5, 6), True),
        (Is("a", 4, 6), False),
        (Less("a", 5), False),
        (Less("a", 5.1), True),
        (Greater("a", 5), False),
        (Greater("a", 4), True),
        (~Less("a", 5), True),
        (~Greater("a", 4), False),
        (Greater("a", 4) & Less("a", 6), True),
        (Greater("a", 4) & Less("a", 5), False),
        (Less("a", 2) | Is("a", 5), True),
        (Less("a", 2) | Greater("a", 8), False),
        (~(Less("a", 2) | Greater("a", 8)), True),
    ],
    ids=repr,
)
def test_parameter_exists_where_its_condition_holds(condition, exists):
    assert ends(0.0)(condition) == exists  # a is 5 in the middle


def test_parameter_is_compared_with_another():
    space = Space({"low": Integer(0, 9), "high": Integer(0, 9), "gap": Bool().when(Less("low", "high"))})
    assert "gap" in read(space, [-0.5, 0.5, 0.0])
    assert "gap" not in read(space, [0.5, 0.5, 0.0])


@pytest.mark.parametrize("condition", [Is("momentum", True), ~Is("momentum", True)], ids=repr)
def test_child_of_an_inactive_parameter_is_inactive_whatever_its_condition(condition):
    space = Space({"sgd": Bool(), "momentum": Bool().when(Is("sgd", True)), "child": Bool().when(condition)})
    assert read(space, [-0.5, 0.5, 0.5]) == {"sgd": False}


def test_one_of_two_parents_is_enough_where_either_will_do():
    condition = Is("a", True) | Is("b", True)
    space = Space({"a": Bool(), "b": Bool().when(Is("a", False)), "child": Bool().when(condition)})
    assert "child" in read(space, [0.5, 0.5, 0.5])


def test_inactive_parameters_are_not_given_to_f():
    assert list(read(SPACE, [0.5, 0.5, -1.0, -1.0, 0.0, 0.0, 0.0])) == ["solver", "layers"]
    assert list(read(SPACE, [0.5, 0.5, 0.0, 0.5, 0.0, 0.0, 0.0])) == [
        "nesterov",
        "momentum",
        "solver",
        "layers",
        "widths",
    ]


def test_active_part_of_a_configuration_leaves_out_the_rest():
    assert SPACE.active(SGD | {"solver": "adam"}) == {"solver": "adam", "layers": 2}


# In and out


def test_configuration_without_inactive_parameters_is_one_of_the_space():
    assert read(SPACE, SPACE.encode(SGD)) == SGD
    assert read(SPACE, SPACE.encode({"solver": "adam", "layers": 2})) == {"solver": "adam", "layers": 2}


def test_values_of_inactive_parameters_may_be_given_and_are_left_out():
    assert read(SPACE, SPACE.encode(SGD | {"solver": "adam"})) == {"solver": "adam", "layers": 2}


def test_active_parameter_that_is_missing_is_named():
    with pytest.raises(ValueError, match=r"\['widths'\] missing"):
        SPACE.encode(SGD | {"layers": 3})


def test_forbidden_configuration_is_refused_with_its_clause():
    with pytest.raises(ValueError, match=r"is forbidden by Is\('solver', 'lbfgs'\) & Is\('layers', 7, 8\)"):
        SPACE.encode({"solver": "lbfgs", "layers": 8, "widths": [0.0, 0.0, 0.0]})


def test_position_of_a_forbidden_configuration_stands_for_one_that_differs_in_one_parameter():
    space = Space({"solver": SOLVER, "layers": Integer(1, 8)}, forbidden=SPACE.rules.forbidden)
    assert read(space, [1.0, 1.0]) == {"solver": "sgd", "layers": 8}


def test_real_number_is_moved_to_the_edge_of_what_is_forbidden():
    space = Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0)}, forbidden=[Greater("a", "b")])
    assert read(space, [0.8, 0.0]) == {"a": 0.5, "b": 0.5}


def test_default_may_leave_out_what_is_inactive():
    space = Space(SPACE.declared, default={"solver": "adam"})
    assert space.active(space.default) == {"solver": "adam", "layers": 5, "widths": space.default["widths"]}


def test_changes_are_of_active_parameters_alone():
    space = Space(SPACE.declared, default={"solver": "adam", "layers": 2})
    assert space.changes({"solver": "sgd", "momentum": 0.5, "layers": 2}) == ["solver"]


# The space itself


def test_space_is_written_and_read():
    assert decode(encode(SPACE)) == SPACE
    assert to_text(encode(decode(encode(SPACE)))) == to_text(encode(SPACE))
    assert pickle.loads(pickle.dumps(SPACE)) == SPACE


def test_spaces_with_other_rules_differ():
    assert Space(SPACE.declared) != SPACE
    assert Space({**SPACE.declared, "momentum": Float(0.0, 1.0)}, forbidden=SPACE.rules.forbidden) != SPACE


def test_space_without_rules_is_stored_as_before():
    assert list(encode(Space({"a": Bool()}))) == ["$type", "parameters", "default"]


def test_condition_reads_as_it_is_written():
    condition = (Is("a", 1) | Less("b", "c")) & ~Greater("b", 2.0) & ~(Is("a", 2) | Is("a", 3))
    assert eval(repr(condition)) == condition  # names are those of this module
    shown = repr(Space({"a": Bool(), "b": Bool().when(Is("a", True))}, forbidden=[Is("a", False)]))
    assert shown.endswith("'b': Bool().when(Is('a', True))}, forbidden=[Is('a', False)])")


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"a": Bool().when(Is("sovler", 1))}, ValueError, "condition of 'a'.*'sovler', .* did you mean 'solver'"),
        ({"a": Bool().when(Is("solver", "adma"))}, ValueError, "cannot be fulfilled: 'solver': 'adma' is none of"),
        (
            {"n": Integer(0, 9), "a": Bool().when(Is("n", "9"))},
            TypeError,
            "condition of 'a'.*'n': the value of Integer",
        ),
        ({"a": Bool().when(Less("solver", 3))}, TypeError, "'solver', whose values are no numbers: use Is"),
        ({"r": Float(0, 1), "a": Bool().when(Is("r", 0.5))}, TypeError, "'r', a real number, by Is: use Less"),
        ({"w": Box(2), "a": Bool().when(Less("w", 0.5))}, TypeError, "names 'w', an array"),
        ({"r": Float(0, 1), "a": Bool().when(Less("r", float("nan")))}, ValueError, "'r' with nan: give a finite"),
        ({"a": Bool().when(Is("b", True)), "b": Bool().when(Is("a", True))}, ValueError, "'a' needs 'b' needs 'a'"),
        ({"a": Bool().when(Is("a", True))}, ValueError, "circle of conditions"),
    ],
)
def test_condition_that_cannot_be_is_refused(parameters, error, words):
    with pytest.raises(error, match=words):
        Space({"solver": SOLVER, **parameters})


@pytest.mark.parametrize(
    ("forbidden", "error", "words"),
    [
        ([Is("sovler", "adam")], ValueError, "the forbidden clause .* names 'sovler'"),
        (["adam"], TypeError, "forbidden takes a list of conditions"),
        (Is("solver", "adam"), TypeError, r"forbidden takes a list of conditions, .* not Is\('solver', 'adam'\)"),
        ([Is("solver", "adam"), ~Is("solver", "adam")], ValueError, "no configuration was found that is not"),
    ],
)
def test_clause_that_cannot_be_is_refused(forbidden, error, words):
    with pytest.raises(error, match=words):
        Space({"solver": SOLVER}, forbidden=forbidden)


def test_clauses_may_come_from_a_generator():
    clauses = (Is("solver", solver) for solver in ("adam", "sgd"))
    assert read(Space({"solver": SOLVER}, forbidden=clauses), [-1.0]) == {"solver": "lbfgs"}


def test_forbidden_default_is_refused():
    with pytest.raises(ValueError, match="is forbidden by"):
        Space({"solver": SOLVER}, default={"solver": "sgd"}, forbidden=[Is("solver", "sgd")])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Is("a"), r"Is\('a'\) needs a value"),
        (lambda: Bool().when("a == 1"), "when\\(\\) takes a condition"),
        (lambda: Is("a", 1) & True, "a condition can only be joined to another one"),
        (lambda: Is("a", 1) and Is("b", 1), "join conditions with &, | and ~"),
    ],
)
def test_what_is_no_condition_is_refused(make, words):
    with pytest.raises((TypeError, ValueError), match=words):
        make()
