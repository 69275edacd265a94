"""Laws of Categorical and Bool: every choice comes back and gets an equal share of [-1,1]."""

import pickle
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rembo import BayesOpt, Bool, Categorical, Float, Growing, Rembo, Space

law = settings(deadline=None, derandomize=True, max_examples=200)
positions = st.floats(-1.0, 1.0)
choices = st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.tuples(st.integers(), st.text()))
categoricals = st.lists(choices, min_size=2, max_size=40, unique=True).map(Categorical)


@law
@given(categoricals, st.data())
def test_choice_comes_back_from_its_position(parameter, data):
    choice = data.draw(st.sampled_from(parameter.choices))
    assert parameter.value(parameter.position(choice)) == choice


@law
@given(categoricals, positions)
def test_every_position_stands_for_one_of_the_choices(parameter, u):
    assert parameter.value(u) in parameter.choices


@law
@given(categoricals)
def test_ends_of_the_cube_are_the_first_and_last_choice(parameter):
    assert (parameter.value(-1.0), parameter.value(1.0)) == (parameter.choices[0], parameter.choices[-1])


@law
@given(categoricals, positions)
def test_code_is_the_number_of_the_choice(parameter, u):
    assert parameter.choices[int(parameter.code(np.array(u)))] == parameter.value(u)


@law
@given(st.one_of(categoricals, st.just(Bool())), positions)
@example(Bool(), -5e-324)
@example(Bool(), -1e-17)
def test_snapped_position_stands_for_the_same_choice(parameter, u):
    assert parameter.value(float(parameter.snap(np.array([u]))[0])) == parameter.value(u)


@law
@given(st.one_of(categoricals, st.just(Bool())), positions)
def test_snapped_position_is_the_middle_of_its_share(parameter, u):
    middles = (2.0 * np.arange(parameter.levels) + 1.0) / parameter.levels - 1.0
    assert float(parameter.snap(np.array([u]))[0]) in middles


@pytest.mark.parametrize("parameter", [Bool(), *(Categorical(list(range(n))) for n in (2, 3, 7, 10, 101))], ids=str)
def test_choices_have_exactly_equal_shares_of_the_cube(parameter):
    steps = parameter.levels * 1000
    grid = (2.0 * np.arange(steps) + 1.0) / steps - 1.0
    counts = np.bincount(parameter.code(grid).astype(int), minlength=parameter.levels)
    assert counts.tolist() == [1000] * parameter.levels


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_truth_value_comes_back_from_its_position(value):
    assert Bool().value(Bool().position(value)) == value


@pytest.mark.parametrize(("u", "value"), [(-1.0, False), (-1e-9, False), (0.0, True), (1.0, True)])
def test_bool_is_true_on_the_upper_half(u, value):
    assert Bool().value(u) is value


@pytest.mark.parametrize("parameter", [Bool(), Categorical(["adam", "sgd"])])
def test_choices_are_levels_without_an_order(parameter):
    assert (parameter.size, parameter.levels, parameter.ordered) == (1, 2, False)


def test_code_of_many_positions_has_their_shape():
    assert Categorical(["a", "b", "c"]).code(np.array([[-1.0, 0.0], [0.5, 1.0]])).tolist() == [[0, 1], [2, 2]]


def test_categorical_keeps_the_choices_it_was_given():
    given_choices = ["a", "b"]
    parameter = Categorical(given_choices)
    given_choices.append("c")
    assert parameter.choices == ("a", "b")


@pytest.mark.parametrize("value", ["c", "", None, 0, ["a"]])
def test_what_is_none_of_the_choices_has_no_position(value):
    with pytest.raises(ValueError, match=r"is none of the choices \['a', 'b'\]"):
        Categorical(["a", "b"]).position(value)


@pytest.mark.parametrize("value", [0, 1, 1.0, "True", None])
def test_what_is_no_truth_value_has_no_position(value):
    with pytest.raises(ValueError, match=f"must be True or False, not {value!r}"):
        Bool().position(value)


@pytest.mark.parametrize("wrong", ["abc", 5, None, {"a", "b"}, frozenset({"a", "b"})], ids=lambda it: type(it).__name__)
def test_choices_without_an_order_of_their_own_are_refused(wrong):
    """A set is iterated in another order in every process, so a position would stand for another choice."""
    with pytest.raises(TypeError, match=r"must be a list, not .*: write Categorical\(\['a', 'b'\]\)"):
        Categorical(wrong)


@pytest.mark.parametrize("few", [[], ["a"]])
def test_fewer_than_two_choices_are_refused(few):
    with pytest.raises(ValueError, match="needs at least 2 choices: leave a fixed parameter out"):
        Categorical(few)


@pytest.mark.parametrize(("repeating", "named"), [(["a", "b", "a"], "'a'"), ([0, 1, True], "1"), ([1, 1.0], "1")])
def test_repeated_choice_is_refused_by_its_name(repeating, named):
    with pytest.raises(ValueError, match=f"choice {named} stands more than once: name each choice once"):
        Categorical(repeating)


def test_position_of_one_of_many_choices_is_looked_up():
    """Twenty thousand look-ups in a list of twenty thousand would take a minute."""
    parameter = Categorical([f"value {n}" for n in range(20_000)])
    started = time.process_time()
    positions = [parameter.position(choice) for choice in parameter.choices]
    assert time.process_time() - started < 5.0
    assert positions == sorted(positions)


@pytest.mark.parametrize("value", [["a"], {"a": 1}, ("a", ["b"]), np.zeros(2)], ids=str)
def test_what_cannot_be_hashed_is_no_choice(value):
    with pytest.raises(ValueError, match="is none of the choices"):
        Categorical(["a", "b"]).position(value)


def test_error_about_one_of_many_choices_is_short():
    with pytest.raises(ValueError, match=r"'x' is none of the choices \[0, 1, 2, 3, \.\.\. 20000 in all\]"):
        Categorical(range(20_000)).position("x")


def test_categorical_travels_with_its_choices_alone():
    parameter = Categorical([f"value {n}" for n in range(1000)])
    before = len(pickle.dumps(parameter))
    parameter.position("value 3")
    assert len(pickle.dumps(parameter)) == before
    assert pickle.loads(pickle.dumps(parameter)) == parameter


@pytest.mark.parametrize(
    "make",
    [
        lambda space: Growing(space, seed=0),
        lambda space: Rembo(space, 2, seed=0),
        lambda space: BayesOpt(space, seed=0),
    ],
    ids=["default", "rembo", "bayes"],
)
def test_search_over_very_many_choices_takes_little_memory(make):
    optimizer = make(Space({"name": Categorical(range(20_000)), "rate": Float(0.0, 1.0), "warm": Bool()}))
    tracemalloc.start()
    for _ in range(12):
        trial = optimizer.ask()
        optimizer.tell(trial, trial.x["name"] % 97 / 97.0 + (trial.x["rate"] - 0.3) ** 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000_000
