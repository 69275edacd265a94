"""The default reaches f as it was written: to the last bit, wherever a coordinate stands at the default's position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rembo import Bool, Bounds, Box, Categorical, Float, Growing, IdentityEmbedding, Integer, Point, Space, Study

law = settings(deadline=None, derandomize=True, max_examples=150)
finite = st.floats(-1e9, 1e9, allow_subnormal=False)
positive = st.floats(1e-9, 1e9)


@st.composite
def ranges(draw, numbers):
    """Two bounds and a number between them."""
    low, high = sorted(draw(st.lists(numbers, min_size=2, max_size=2, unique=True)))
    return low, high, draw(st.floats(low, high))


@st.composite
def linear_floats(draw):
    low, high, value = draw(ranges(finite))
    return Float(low, high), value


@st.composite
def log_floats(draw):
    low, high, value = draw(ranges(positive))
    return Float(low, high, log=True), value


@st.composite
def integers(draw):
    low, high = sorted(draw(st.lists(st.integers(1, 10**9), min_size=2, max_size=2, unique=True)))
    return Integer(low, high, log=draw(st.booleans())), draw(st.integers(low, high))


@st.composite
def boxes(draw):
    low, high, _ = draw(ranges(finite))
    size = draw(st.integers(1, 5))
    return Box(size, low, high), draw(st.lists(st.floats(low, high), min_size=size, max_size=size))


@st.composite
def lists_of_bounds(draw):
    chosen = draw(st.lists(st.one_of(ranges(finite), ranges(positive)), min_size=1, max_size=4))
    bounds = [(low, high, "log") if low > 0.0 and draw(st.booleans()) else (low, high) for low, high, _ in chosen]
    return Bounds(bounds), [value for _, _, value in chosen]


parameters = st.one_of(linear_floats(), log_floats(), integers(), boxes(), lists_of_bounds())
spaces = st.lists(parameters, min_size=1, max_size=6)


def made(entries):
    """A space of all the entries, whose values are its default."""
    named = {f"p{number}": parameter for number, (parameter, _) in enumerate(entries)}
    return Space(named, {f"p{number}": value for number, (_, value) in enumerate(entries)})


def plain(value):
    return {name: np.asarray(each).tolist() for name, each in value.items()}


def at(space, position):
    return plain(space.decode(Point(IdentityEmbedding(space.size), position)))


@law
@given(spaces)
def test_position_of_the_default_decodes_to_the_default_itself(entries):
    space = made(entries)
    assert at(space, space.encode(space.default)) == plain(space.default)


@settings(law, max_examples=40)
@given(spaces)
def test_first_trial_of_the_default_optimizer_is_the_default_itself(entries):
    space = made(entries)
    assert plain(Growing(space, seed=0).ask().x) == plain(space.default)


@law
@given(linear_floats(), log_floats(), st.floats(-1.0, 1.0))
def test_parameters_that_stay_are_as_written_while_others_move(stays, moves, u):
    space = made([stays, moves])
    position = space.encode(space.default)
    position[1] = u
    assert at(space, position)["p0"] == stays[1]


@law
@given(parameters, st.floats(-1.0, 1.0))
def test_without_a_default_values_are_those_of_the_parameter_alone(entry, u):
    parameter, _ = entry
    point = Point(IdentityEmbedding(parameter.size), np.full(parameter.size, u))
    assert plain(Space({"a": parameter}).decode(point)) == plain({"a": parameter.decode(point)})


@pytest.fixture
def tenths():
    """Defaults that change in their last bits from value to position to value."""
    return Space({f"p{n}": Float(0.0, 1.0) for n in range(200)}, {f"p{n}": n / 200.0 + 1e-3 for n in range(200)})


def test_stored_study_that_is_opened_again_gives_the_default_itself(tenths, tmp_path):
    with Study(tenths, storage=tmp_path / "tune.db", seed=0) as study:
        study.ask()
    with Study.load(tmp_path / "tune.db") as study:
        assert study.trials[0].x == tenths.default


def test_later_trials_leave_parameters_exactly_at_the_default(tenths):
    optimizer = Growing(tenths, seed=0)
    for _ in range(20):
        trial = optimizer.ask()
        optimizer.tell(trial, trial.x["p17"] ** 2)
    center = tenths.encode(tenths.default)
    for trial in optimizer.trials:
        stayed = [name for name, u, middle in zip(tenths.parameters, trial.point, center, strict=True) if u == middle]
        assert {name: trial.x[name] for name in stayed} == {name: tenths.default[name] for name in stayed}


def test_box_default_is_read_as_written_in_every_way():
    weights = np.arange(50) / 50.0 + 1e-3
    space = Space({"a": Float(0.0, 1.0), "weights": Box(50, 0.0, 2.0)}, {"weights": weights})
    x = space.decode(Point(IdentityEmbedding(51), space.encode(space.default)))["weights"]
    assert x[:].tolist() == weights.tolist()
    assert x[[3, 41]].tolist() == weights[[3, 41]].tolist()
    assert x.part(10, 20)[:].tolist() == weights[10:20].tolist()
    assert (x[7], list(x)) == (weights[7], weights.tolist())


@pytest.mark.parametrize(
    ("parameter", "written", "kind"),
    [
        (Float(0.0, 8.0), 3, float),
        (Float(0.0, 8.0), np.float32(0.1), float),
        (Integer(0, 8), np.int64(3), int),
        (Bool(), np.True_, bool),
        (Categorical(["a", "b"]), np.str_("b"), str),
    ],
    ids=lambda each: type(each).__name__,
)
def test_default_of_another_type_reaches_f_as_the_parameters_own(parameter, written, kind):
    x = Growing(Space({"a": parameter}, {"a": written}), seed=0).ask().x["a"]
    assert type(x) is kind
    assert x == written


def test_spaces_whose_defaults_differ_in_the_last_bit_differ():
    space = {"a": Float(0.0, 1.0)}
    assert Space(space, {"a": 0.1}) != Space(space, {"a": np.nextafter(0.1, 1.0)})
