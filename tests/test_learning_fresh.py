"""The fresh start: how often learning climbs from the prior's median beside the length scales in force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Box
from rembo.embedding import IdentityEmbedding
from rembo.gp import Evidence, Noise
from rembo.kernel import SquaredExponential
from rembo.learning import Hyperparameters, LengthScale, MaximumAPosteriori
from rembo.maximizer.maximizer import best_of_batch

CUBE = SquaredExponential(scale=1.0, ard=True).bind(Box(3), IdentityEmbedding(3))
Y = np.random.default_rng(0).uniform(-1.0, 1.0, size=(30, 3))
SMOOTH = Evidence(CUBE, Y, np.sin(Y @ [1.0, 2.0, 0.5]), Noise(1e-6, 1e-6))
MISTAKEN = Hyperparameters(LengthScale(np.full(3, 0.02)), 1e-6)
BETTER_THAN_MEDIAN = Hyperparameters(LengthScale(np.array([1.5, 0.9, 2.0])), 1e-6)


def choice(score, region, starts, rng):
    """A search without a climb: the best of the starts."""
    return best_of_batch(score, starts)


def advanced(rule, now, t, evidence=SMOOTH):
    return rule.advance(now, t, np.nan, evidence, np.random.default_rng(0))


@pytest.mark.parametrize(("fresh", "t"), [(10, 10), (10, 20), (3, 9), (1, 1), (1, 7)])
def test_mistake_is_left_when_a_fresh_start_is_due(fresh, t):
    rule = MaximumAPosteriori(median=0.5, fresh=fresh, search=choice)
    assert_allclose(advanced(rule, MISTAKEN, t).scales, [0.5, 0.5, 0.5])


@pytest.mark.parametrize(("fresh", "t"), [(10, 1), (10, 9), (10, 11), (3, 10), (2, 7)])
def test_scales_in_force_are_the_only_start_between(fresh, t):
    rule = MaximumAPosteriori(median=0.5, fresh=fresh, search=choice)
    assert_allclose(advanced(rule, MISTAKEN, t).scales, [0.02, 0.02, 0.02])


def test_better_scales_in_force_survive_a_fresh_start():
    rule = MaximumAPosteriori(median=0.05, spread=100.0, fresh=1, search=choice)
    assert_allclose(advanced(rule, BETTER_THAN_MEDIAN, 1).scales, BETTER_THAN_MEDIAN.scales)


def test_fresh_start_waits_for_an_observation_to_learn_from():
    rule = MaximumAPosteriori(median=0.5, every=4, fresh=5, search=choice)
    assert advanced(rule, MISTAKEN, 5) is MISTAKEN


def test_climb_from_a_fresh_start_finds_likelier_scales():
    stuck, freed = (advanced(MaximumAPosteriori(median=0.5, search=choice), MISTAKEN, t) for t in (9, 10))
    assert SMOOTH(freed.scales, 1e-6) > SMOOTH(stuck.scales, 1e-6) + 10.0  # e^10 times as likely


def test_fresh_start_leaves_the_upper_bound_in_force():
    now = Hyperparameters(LengthScale(np.full(3, 0.02), upper=7.0), 1e-6)
    assert_array_equal(advanced(MaximumAPosteriori(median=0.5, fresh=1, search=choice), now, 1).scale.upper, 7.0)


def test_fresh_start_begins_with_the_first_guess_of_the_noise():
    noisy = Evidence(CUBE, Y, SMOOTH.values, Noise(1e-8, 1.0))
    now = Hyperparameters(LengthScale(np.full(3, 0.02)), 0.9)
    rule = MaximumAPosteriori(median=0.5, fresh=1, search=choice)
    assert advanced(rule, now, 1, noisy).noise == pytest.approx(rule.begin(CUBE, noisy.noise).noise)


@pytest.mark.parametrize("fresh", [0, -3])
def test_fresh_below_one_is_refused(fresh):
    with pytest.raises(ValueError, match=f"fresh {fresh} must be at least 1"):
        MaximumAPosteriori(fresh=fresh)


def test_fresh_that_is_no_whole_number_is_refused():
    with pytest.raises(TypeError, match=r"fresh must be a whole number, not 2\.5"):
        MaximumAPosteriori(fresh=2.5)
