"""The constants of the growing search: what is refused."""

import math
from dataclasses import fields

import pytest

from rembo import Growth
from rembo.optimizer.growing import Growth as GrowthOfTheOptimizer

COUNTS = tuple(field.name for field in fields(Growth) if field.type is int)
PARTS = tuple(field.name for field in fields(Growth) if field.type is float and field.name != "share")


def test_growth_stands_in_the_package():
    assert GrowthOfTheOptimizer is Growth


@pytest.mark.parametrize("name", [name for name in COUNTS if name not in ("alone", "most_bins", "most_data")])
def test_growth_of_a_count_below_one_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} 0 must be at least 1"):
        Growth(**{name: 0})


def test_growth_without_bins_of_their_own_is_allowed():
    assert Growth(alone=0).alone == 0


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"alone": -1}, "alone -1 must be at least 0"),
        ({"most_bins": 7}, "most_bins 7 must be at least 8"),
        ({"bins": 65}, "most_bins 64 must be at least 65"),
        ({"most_data": 7}, "most_data 7 must be at least 8"),
        ({"share": 0.0}, r"share 0\.0 .* must lie above 0 and not above 1"),
        ({"share": 1.5}, r"share 1\.5 .* must lie above 0 and not above 1"),
        ({"share": math.nan}, "share nan must be finite"),
        ({"reach": 0.0}, r"reach 0\.0 must be above 0: the exploiting step would stay at the incumbent"),
        ({"near": 1.5}, r"near 1\.5 must not be above 1"),
    ],
    ids=str,
)
def test_growth_out_of_range_is_refused(settings, named):
    with pytest.raises(ValueError, match=named):
        Growth(**settings)


@pytest.mark.parametrize("value", [-0.5, math.nan, math.inf])
@pytest.mark.parametrize("name", PARTS)
def test_growth_of_a_part_that_is_negative_or_not_finite_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} {value} must be finite and not negative"):
        Growth(**{name: value})


def test_growth_that_an_earlier_version_stored_keeps_the_constants_that_are_left():
    stored = {"bins": 4, "stalled": 12, "exhausted": math.log(0.02), "explore_every": 4, "most_data": 100}
    assert Growth.from_stored(**stored) == Growth(bins=4, most_data=100)


def test_growth_is_restored_as_it_is():
    assert Growth.from_stored(**vars(Growth(bins=3, progress=0.5))) == Growth(bins=3, progress=0.5)


@pytest.mark.parametrize("name", COUNTS)
def test_growth_that_is_no_whole_number_is_refused(name):
    with pytest.raises(TypeError, match=rf"{name} must be a whole number, not 8\.5"):
        Growth(**{name: 8.5})
