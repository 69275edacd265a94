"""The fourteen parameters: covariances are made valid without a jump, and the ranges are the paper's."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rembo.problems.bodyparts.offsets import OffsetDistribution
from rembo.problems.bodyparts.settings import SPACE, Settings

VALID = OffsetDistribution(3.0, -4.0, 100.0, 50.0, 64.0)


@pytest.fixture(params=range(10))
def anywhere(request):
    """A distribution from the paper's box, of which more than half are not positive semidefinite."""
    return OffsetDistribution(0.0, 0.0, *np.random.default_rng(request.param).uniform(1.0, 200.0, 3))


def test_valid_covariance_is_left_as_it_is():
    assert_allclose(VALID.covariance, [[100.0, 50.0], [50.0, 64.0]])


def test_every_covariance_of_the_box_is_positive_definite(anywhere):
    assert np.linalg.eigvalsh(anywhere.covariance).min() > 0.0


def test_only_the_entry_off_the_diagonal_is_changed(anywhere):
    assert_allclose(np.diag(anywhere.covariance), [anywhere.covariance_11, anywhere.covariance_22])


def test_covariance_does_not_jump_where_it_ceases_to_be_valid():
    highest = 0.99 * 80.0
    below, above = (replace(VALID, covariance_12=highest + step).covariance for step in (-1e-9, 1e-9))
    assert_allclose(below, above, rtol=0.0, atol=2e-9)


def test_factor_is_that_of_the_covariance(anywhere):
    assert_allclose(anywhere.factor @ anywhere.factor.T, anywhere.covariance)
    assert anywhere.factor[0, 1] == 0.0


def test_space_has_the_fourteen_parameters_of_the_paper():
    assert SPACE.size == 14


def test_settings_hold_each_parameter_in_its_place():
    x = SPACE.default | {"u_mean_1": 1.0, "u_covariance_22": 2.0, "v_mean_2": 3.0, "v_covariance_12": 4.0}
    settings = Settings.of(x | {"max_depth": 5, "min_samples": 6, "candidates": 7, "bootstrap": True})
    assert settings.u == OffsetDistribution(1.0, 0.0, 100.0, 1.0, 2.0)
    assert settings.v == OffsetDistribution(0.0, 3.0, 100.0, 4.0, 100.0)
    assert settings == Settings(settings.u, settings.v, 5, 6, 7, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("u_mean_1", 50.5), ("v_covariance_12", 0.5), ("max_depth", 61), ("min_samples", 0), ("candidates", 5001)],
)
def test_parameter_outside_its_range_is_an_error(name, value):
    with pytest.raises(ValueError, match=str(value)):
        Settings.of(SPACE.default | {name: value})


def test_missing_parameter_is_an_error():
    with pytest.raises(ValueError, match="must be a dict of"):
        Settings.of({"max_depth": 3})
