"""The constants of the growing search: what is refused."""

import math
from dataclasses import fields

import pytest

from rembo import Growth
from rembo.optimizer.growing import Growth as GrowthOfTheOptimizer


def test_growth_stands_in_the_package():
    assert GrowthOfTheOptimizer is Growth


COUNTS = tuple(
    field.name
    for field in fields(Growth)
    if field.type is int and field.name not in ("most_bins", "patience", "most_data", "hurried_data")
)


@pytest.mark.parametrize("name", COUNTS)
def test_growth_of_a_count_below_one_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} 0 must be at least 1"):
        Growth(**{name: 0})


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"most_bins": 7}, "most_bins 7 must be at least 8"),
        ({"bins": 65}, "most_bins 64 must be at least 65"),
        ({"patience": -1}, "patience -1 must be at least 0"),
        ({"most_data": 7}, "most_data 7 must be at least 8"),
        ({"hurried_data": 7}, "hurried_data 7 must be at least 8"),
        ({"share": 0.0}, r"share 0\.0 .* must lie above 0 and not above 1"),
        ({"share": 1.5}, r"share 1\.5 .* must lie above 0 and not above 1"),
        ({"share": math.nan}, "share nan .* must lie above 0 and not above 1"),
        ({"exhausted": math.nan}, "exhausted nan must be a logarithm of an expected improvement"),
        ({"hopeless": math.nan}, "hopeless nan must be a logarithm of an expected improvement"),
    ],
    ids=str,
)
def test_growth_out_of_range_is_refused(settings, named):
    with pytest.raises(ValueError, match=named):
        Growth(**settings)


@pytest.mark.parametrize("value", [-0.5, math.nan])
@pytest.mark.parametrize("name", ["dense", "collision", "coarse", "polished", "progress", "polishing"])
def test_growth_of_a_negative_part_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} {value} must not be negative"):
        Growth(**{name: value})


@pytest.mark.parametrize("name", [*COUNTS, "most_bins", "patience", "most_data", "hurried_data"])
def test_growth_that_is_no_whole_number_is_refused(name):
    with pytest.raises(TypeError, match=rf"{name} must be a whole number, not 8\.5"):
        Growth(**{name: 8.5})
