"""Best of several maximisers: who wins, who wins a tie, and what is no list of maximisers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import CMAES, BestOf, Direct
from rembo.maximizer import Maximum

ORIGIN = np.zeros((1, 2))


class Fixed:
    """A maximiser that knows its answer."""

    def __init__(self, at, value):
        self.answer = Maximum(np.asarray(at), value)

    def __call__(self, score, region, starts, rng):
        return self.answer


def test_best_of_nothing_is_an_error():
    with pytest.raises(ValueError, match=r"at least one maximizer, e\.g\. BestOf\(Direct\(\), CMAES\(\)\)"):
        BestOf()


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_best_of_takes_the_highest_wherever_it_stands(slope, region, rng, order):
    parts = [Fixed([0.0, 0.0], 1.0), Fixed([1.0, 1.0], 3.0), Fixed([2.0, 2.0], 2.0)]
    found = BestOf(*(parts[i] for i in order))(slope, region, ORIGIN, rng)
    assert found is parts[1].answer


def test_best_of_takes_the_first_when_they_tie(slope, region, rng):
    parts = [Fixed([0.0, 0.0], 1.0), Fixed([1.0, 1.0], 3.0), Fixed([2.0, 2.0], 3.0)]
    assert BestOf(*parts)(slope, region, ORIGIN, rng) is parts[1].answer


def test_best_of_one_is_that_one(waves, region):
    alone = CMAES(60)(waves, region, ORIGIN + 1.0, np.random.default_rng(4))
    wrapped = BestOf(CMAES(60))(waves, region, ORIGIN + 1.0, np.random.default_rng(4))
    assert_array_equal(alone.at, wrapped.at)


def test_best_of_may_be_nested(waves, region):
    flat = BestOf(Direct(60), CMAES(60))(waves, region, ORIGIN + 1.0, np.random.default_rng(4))
    nested = BestOf(Direct(60), BestOf(CMAES(60)))(waves, region, ORIGIN + 1.0, np.random.default_rng(4))
    assert_array_equal(flat.at, nested.at)


def test_best_of_shows_its_parts():
    shown = repr(BestOf(Direct(50), CMAES(60)))
    assert shown == "BestOf(Direct(evaluations=50, iterations=None), CMAES(evaluations=60, sigma=0.3))"
