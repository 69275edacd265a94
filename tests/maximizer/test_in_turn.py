"""Maximisers in turn: where each begins, and Nelder and Mead's simplex after DIRECT."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Direct, InTurn, NelderMead, Region
from rembo.maximizer import Maximum

ORIGIN = np.zeros((1, 2))


class Noting:
    """A maximiser that notes where it begins, and answers with a point that nobody began at."""

    def __init__(self, answer):
        self.answer, self.began = Maximum(np.asarray(answer), 1.0), None

    def __call__(self, score, region, starts, rng):
        self.began = starts
        return self.answer


def test_first_begins_at_the_starts_and_each_other_where_the_one_before_ended(slope, region, rng):
    parts = [Noting([0.1, 0.1]), Noting([0.2, 0.2]), Noting([0.3, 0.3])]
    found = InTurn(*parts)(slope, region, ORIGIN, rng)
    assert_array_equal(np.vstack([part.began for part in parts]), [[0.0, 0.0], [0.1, 0.1], [0.2, 0.2]])
    assert found is parts[-1].answer


def test_nothing_in_turn_is_an_error():
    with pytest.raises(
        ValueError, match=r"InTurn needs at least one maximizer, e\.g\. InTurn\(Direct\(\), CMAES\(\)\)"
    ):
        InTurn()


def test_maximizers_in_turn_show_their_parts():
    assert repr(InTurn(Direct(50, 20), NelderMead())) == (
        "InTurn(Direct(evaluations=50, iterations=20), NelderMead(evaluations=800))"
    )


def test_simplex_sharpens_what_direct_finds(rng):
    peak = np.array([0.3123, -0.7071])

    def bowl(Y):
        return -((Y - peak) ** 2).sum(axis=1)

    region = Region(2, 1.0)
    coarse = Direct(20)(bowl, region, ORIGIN, rng).at
    fine = InTurn(Direct(20), NelderMead())(bowl, region, ORIGIN, rng).at
    assert np.abs(fine - peak).max() < 1e-3 < np.abs(coarse - peak).max()


def test_simplex_stays_where_nothing_is_higher(region, rng):
    found = NelderMead()(lambda Y: -np.abs(Y).sum(axis=1), region, ORIGIN, rng)
    assert_allclose(found.at, 0.0, atol=1e-4)


def test_iterations_end_direct_before_its_evaluations():
    seen = []

    def score(Y):
        seen.append(len(Y))
        return -((Y - 0.3) ** 2).sum(axis=1)

    for iterations in (2, None):
        seen.append(0)
        Direct(500, iterations)(score, Region(2, 1.0), ORIGIN, np.random.default_rng(0))
    first, second = np.split(np.array(seen), np.flatnonzero(np.array(seen) == 0)[1:])
    assert first.sum() < 30 < second.sum()


@pytest.mark.parametrize("wrong", [{"evaluations": 0}, {"evaluations": 1.5}])
@pytest.mark.parametrize("kind", [Direct, NelderMead])
def test_evaluations_are_a_whole_number_above_zero(kind, wrong):
    with pytest.raises((TypeError, ValueError), match="evaluations"):
        kind(**wrong)


def test_iterations_are_a_whole_number_above_zero():
    with pytest.raises(ValueError, match="iterations"):
        Direct(500, 0)
