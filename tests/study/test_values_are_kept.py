"""What f gets, what the file has and what is read again are one value, whatever the parameter and the value are."""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from rembo import BayesOpt, Bool, Bounds, Box, Categorical, Float, Growing, Integer, RandomSearch, Space
from rembo.study import Study

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)
SINGLE = st.floats(width=32, allow_nan=False, allow_infinity=False).map(np.float32)
WORDS = st.one_of(st.text(max_size=3), st.integers(), FINITE, st.none(), SINGLE, st.text(max_size=3).map(np.str_))


def ordered(bounds):
    low, high = bounds
    assume(float(low) < float(high))
    return low, high


def ranges(numbers, log):
    return (
        st.tuples(numbers, numbers)
        .map(lambda pair: sorted(pair, key=float))
        .map(ordered)
        .map(lambda pair: Float(*pair, log=log))
    )


def whole_ranges(log):
    low = st.integers(1, 2**62) if log else st.integers(-(2**70), 2**70)
    return st.tuples(low, st.integers(1, 2**40 - 1)).map(lambda pair: Integer(pair[0], sum(pair))) | (
        st.integers(1, 1000).map(lambda low: Integer(low, 10**18, log=True)) if log else st.nothing()
    )


def legal(parameter, draw):
    """Any legal value: one of the bounds, or anything between them."""
    if isinstance(parameter, Float):
        low, high = float(parameter.low), float(parameter.high)
        return draw(st.floats(low, high))
    if isinstance(parameter, Integer):
        any_ = st.floats(-1.0, 1.0).map(parameter.value)
        return draw(any_ if not parameter.levels else st.integers(parameter.low, parameter.high))
    if isinstance(parameter, Box):
        return np.array(draw(st.lists(st.floats(parameter.low, parameter.high), min_size=3, max_size=3)))
    if isinstance(parameter, Bounds):
        return np.array([draw(st.floats(each.low, each.high)) for each in parameter.ranges])
    return draw(st.sampled_from([False, True] if isinstance(parameter, Bool) else parameter.choices))


FLOATS = ranges(FINITE | SINGLE | st.integers(-(2**64), 2**64), log=False) | ranges(POSITIVE, log=True)
INTEGERS = whole_ranges(log=False) | whole_ranges(log=True)
PARAMETERS = st.one_of(
    FLOATS,
    INTEGERS,
    st.lists(WORDS, min_size=2, max_size=5, unique=True).map(Categorical),
    st.just(Bool()),
    FLOATS.filter(lambda each: not each.log).map(lambda each: Box(3, each.low, each.high)),
    st.lists(FLOATS, min_size=1, max_size=3).map(
        lambda each: Bounds([(a.low, a.high, "log") if a.log else (a.low, a.high) for a in each])
    ),
)


@st.composite
def spaces_and_values(draw):
    parameters = draw(st.lists(PARAMETERS, min_size=1, max_size=3))
    named = {f"p{number}": each for number, each in enumerate(parameters)}
    return Space(named), {name: legal(each, draw) for name, each in named.items()}


def as_text(x):
    """A value with its types, to the last bit."""
    return repr({name: np.asarray(each).tolist() if np.ndim(each) else each for name, each in x.items()})


def told_and_read_again(space, value, path, make):
    """The x of a study's own trial, and of one that was given: as f gets them, and as the file has them."""
    optimizer = make(space)
    with Study(space, optimizer=optimizer, storage=path) as study:
        seen = [study.adopt(value), study.ask()]
        for trial in seen:
            study.tell(trial, 1.0)
    return seen, Study.load(path).trials


@pytest.mark.parametrize(
    "make", [lambda s: Growing(s, seed=0), lambda s: RandomSearch(s, seed=0)], ids=["growing", "random"]
)
@given(pair=spaces_and_values())
@example(pair=(Space({"x": Float(-1.7e308, 1.7e308)}), {"x": 1e-5}))
@example(pair=(Space({"x": Float(0, 2**63 - 1), "n": Integer(2**63 - 9, 2**63 - 1)}), {"x": 2.0**63, "n": 2**63 - 1}))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_x_is_the_same_in_f_in_the_file_and_read_again(pair, make, tmp_path_factory):
    space, value = pair
    seen, again = told_and_read_again(space, value, tmp_path_factory.mktemp("kept") / "study.db", make)
    assert [as_text(trial.x) for trial in again] == [as_text(trial.x) for trial in seen]
    assert as_text(seen[0].x) == as_text(value)


@pytest.mark.parametrize(
    "space",
    [
        Float(np.float32(0.1), np.float32(0.7)),
        Float(np.float32(0.1), np.float32(0.7), log=np.True_),
        Box(5, np.float32(0.1), np.float32(0.7)),
        Bounds([(np.float32(0.1), np.float32(0.7))]),
        Integer(np.int8(1), np.int8(100)),
        Categorical([np.float32(0.1), np.str_("a"), (np.int8(1), 2)]),
    ],
    ids=lambda space: type(space).__name__,
)
def test_trials_of_bounds_in_numpy_types_are_read_as_they_were(space, tmp_path):
    with Study(space, storage=tmp_path / "study.db", seed=0) as study:
        asked = [study.tell(study.ask(), 1.0) for _ in range(8)]
    again = Study.load(tmp_path / "study.db").trials
    assert [repr(np.asarray(trial.x).tolist()) for trial in again] == [
        repr(np.asarray(trial.x).tolist()) for trial in asked
    ]


@pytest.mark.parametrize("space", [Float(np.float32(0.1), 1), Box(2, 0.0, np.float32(0.7))])
def test_bounds_are_numbers_of_python(space):
    assert (type(space.low), type(space.high)) in [(float, int), (float, float)]


def test_float_takes_the_largest_whole_number_that_is_its_bound():
    assert Float(0, 2**63 - 1).position(2**63 - 1) == 1.0


def test_categorical_gives_python_values_for_those_of_numpy():
    values = Categorical([np.float32(0.5), np.str_("a"), np.bool_(True)]).choices
    assert [type(value) for value in values] == [float, str, bool]


def test_nan_is_refused_as_a_choice():
    with pytest.raises(ValueError, match=r"NaN is not equal to itself.*use None or a word"):
        Categorical(["a", float("nan")])


@pytest.mark.parametrize("optimizer", [Growing, BayesOpt, RandomSearch])
@pytest.mark.parametrize("value", [1e-5, 1.0, -3.3, 123.456, 1e300])
def test_given_number_arrives_as_it_is_in_a_vast_range(optimizer, value):
    assert optimizer(Float(-1.7e308, 1.7e308), seed=0).adopt(value).x == value


def test_given_array_arrives_as_it_is_in_a_forest_of_shared_bins():
    x0 = np.full(100, 0.1)
    optimizer = Growing(Box(100, 0.0, 0.7), x0=x0, seed=0)
    assert np.array_equal(optimizer.adopt(x0).x, x0)


def test_given_point_does_not_change_what_other_trials_read():
    space = Space({"rate": Float(0.0, 1.0)}, default={"rate": 0.1})
    optimizer = RandomSearch(space, seed=0)
    optimizer.adopt({"rate": 0.3})
    assert optimizer.adopt({"rate": 0.1}).x == {"rate": 0.1}


def test_part_of_a_given_point_keeps_its_own_numbers():
    x = (
        RandomSearch(Space({"a": Float(0.0, 0.7), "w": Box(3, 0.0, 0.7)}), seed=0)
        .adopt({"a": 0.1, "w": [0.1, 0.2, 0.3]})
        .x
    )
    assert (x["a"], x["w"][1:].tolist()) == (0.1, [0.2, 0.3])


def test_given_point_that_travels_to_a_worker_keeps_its_numbers():
    space = Space({"a": Float(0.0, 0.7), "w": Bounds([(0.0, 0.7), (1e-5, 0.1, "log")])})
    trial = RandomSearch(space, seed=0).adopt({"a": 0.1, "w": [0.2, 3e-4]})
    assert as_text(space.decode(pickle.loads(pickle.dumps(trial.point)))) == as_text({"a": 0.1, "w": [0.2, 3e-4]})
