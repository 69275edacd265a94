"""Which kind of step comes next: what gained of late comes first more often, and nothing is given up for good."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo.optimizer import Origin
from rembo.optimizer.growing.credit import KINDS, Credit


def after(origin, gains, memory=0.95, start=None):
    credit = Credit() if start is None else start
    for gained in gains:
        credit = credit.after(origin, gained, memory)
    return credit


def share_of(credit, origin, draws=2000):
    rng = np.random.default_rng(0)
    return np.mean([credit.order(rng)[0] is origin for _ in range(draws)])


def test_order_holds_every_kind_once():
    assert sorted(Credit().order(np.random.default_rng(0)), key=KINDS.index) == list(KINDS)


def test_all_kinds_are_equally_likely_before_anything_is_known():
    assert_allclose([share_of(Credit(), kind) for kind in KINDS], 1 / 3, atol=0.05)  # 2000 draws: 5 standard errors


def test_kind_that_gains_comes_first_more_often():
    assert share_of(after(Origin.EXPLORE, [True] * 10), Origin.EXPLORE) > 0.75


def test_kind_that_fails_comes_first_less_often_but_does():
    share = share_of(after(Origin.POLISH, [False] * 30), Origin.POLISH)
    assert 0.0 < share < 0.1


def test_what_was_long_ago_is_forgotten():
    worn = after(Origin.POLISH, [False] * 20)
    rested = after(Origin.EXPLOIT, [False, True] * 100, start=worn)
    assert_allclose(rested.failed[KINDS.index(Origin.POLISH)], 0.0, atol=1e-3)  # 0.95^200 of 13


def test_record_converges_to_what_memory_keeps():
    assert_allclose(after(Origin.EXPLORE, [True] * 500, memory=0.9).gained[-1], 1.0 / (1.0 - 0.9))


def test_growing_counts_as_exploiting():
    exploited, grown = (after(origin, [True, False]) for origin in (Origin.EXPLOIT, Origin.GROW))
    assert_array_equal([exploited.gained, exploited.failed], [grown.gained, grown.failed])


@pytest.mark.parametrize("origin", [Origin.MUTATE, Origin.HURRIED, Origin.GIVEN, Origin.DESIGN, Origin.ASKED])
def test_other_origins_change_nothing(origin):
    credit = after(Origin.POLISH, [True, False])
    assert credit.after(origin, True, 0.95) is credit
