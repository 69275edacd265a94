"""Distributions of scipy.stats as parameters: ranges, and quantiles of what is no range."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rembo import Categorical, Float, Growing, Integer, Space
from rembo.integrations.distributions import Quantile, searched_in

NORMAL = Quantile(stats.norm(10.0, 2.0))


def searched(entry):
    return searched_in({"x": entry, "other": Float(0.0, 1.0)})


@pytest.mark.parametrize(
    ("entry", "parameter"),
    [
        (stats.uniform(2.0, 3.0), Float(2.0, 5.0)),
        (stats.loguniform(1e-3, 10), Float(1e-3, 10.0, log=True)),
        (stats.reciprocal(1e-3, 10), Float(1e-3, 10.0, log=True)),
        (stats.randint(1, 9), Integer(1, 8)),
        ([None, "auto", 3], Categorical([None, "auto", 3])),
        (("a", "b"), Categorical(["a", "b"])),
        (Integer(1, 3), Integer(1, 3)),
    ],
    ids=["uniform", "loguniform", "reciprocal", "randint", "list", "tuple", "parameter"],
)
def test_entry_becomes_a_parameter(entry, parameter):
    assert searched(entry).space.parameters["x"] == parameter


def test_single_choice_is_a_constant():
    assert searched([7]).complete({"other": 0.5}) == {"x": 7, "other": 0.5}


def test_space_is_searched_as_it_is():
    space = Space({"x": Float(0.0, 1.0)}, {"x": 0.2})
    assert searched_in(space).space is space


def test_other_distribution_is_searched_in_its_quantiles():
    exponential = stats.expon(scale=100.0)
    parameter = searched(exponential).space.parameters["x"]
    assert parameter.value(0.0) == pytest.approx(exponential.median())


@pytest.mark.parametrize(("u", "share"), [(-1.0, 0.001), (1.0, 0.999)])
def test_tails_of_a_distribution_are_left_out(u, share):
    assert NORMAL.value(u) == pytest.approx(stats.norm(10.0, 2.0).ppf(share))


@settings(deadline=None, derandomize=True, max_examples=50)
@given(u=st.floats(-1.0, 1.0))
def test_value_of_a_quantile_is_at_its_position(u):
    assert NORMAL.value(NORMAL.position(NORMAL.value(u))) == pytest.approx(NORMAL.value(u), rel=1e-9)


def test_value_in_the_tail_of_a_distribution_is_refused():
    with pytest.raises(ValueError, match=r"100\.0 lies outside the quantiles that are searched, 3\.8"):
        NORMAL.position(100.0)


def test_quantiles_are_searched_by_the_default_optimizer():
    optimizer = Growing(Space({"x": NORMAL}), seed=0)
    values = [optimizer.tell(trial := optimizer.ask(), abs(trial.x["x"] - 11.0)).value for _ in range(12)]
    assert min(values) < 0.1


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (stats.poisson(3.0), r"the distribution 'poisson'.*only randint is known: use rembo\.Integer"),
        (3.0, r"parameter 'x' must be a parameter of rembo's, .* or a list of choices, not 3\.0"),
        ([], r"a list of choices, not \[\]"),
        ([{"a": 1}, {"b": 2}], "choices must be hashable"),
    ],
    ids=["discrete", "number", "empty", "unhashable"],
)
def test_entry_that_is_not_known_is_told_with_a_cure(entry, message):
    with pytest.raises(TypeError, match=message):
        searched(entry)
