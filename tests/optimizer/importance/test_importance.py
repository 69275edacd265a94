"""What matters: the effect of a change is in its range, and where nothing is known the range says so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rembo import Bool, Growing, Integer, Space
from rembo.gp import Data, LogTail
from rembo.kernel import Leaves
from rembo.optimizer.importance.importance import Moves, Units, importance, other_settings
from rembo.optimizer.importance.observed import Observed
from rembo.problems import SparseBits

COSTS = np.array([2.0, 0.5, 0.0, 0.0])  # of four bits
NAMES = ("x[0]", "x[1]", "x[2]", "x[3]")


def of_bits(rows=40, silent=(), disturbed=0.0):
    """What matters of a sum over four bits, of which some were never changed from the best setting."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (rows, 4))
    bits[0] = bits[:, list(silent)] = 0
    values = bits @ COSTS + disturbed * rng.normal(size=rows)
    seen = Observed(Leaves(np.full(4, 2), {}), Data(bits - 0.5, values), np.ones(4), tuple(np.arange(4)[:, None]))
    found = importance(Space({name: Bool() for name in NAMES}), seen, LogTail(), np.random.default_rng(1))
    return {group.parameters[0]: group for group in found}


def test_effect_of_a_bit_is_what_flipping_it_costs():
    found = of_bits()
    assert all(
        found[name].effect_low <= cost <= found[name].effect_high for name, cost in zip(NAMES, COSTS, strict=True)
    )
    assert [found[name].effect for name in NAMES[:2]] == pytest.approx(COSTS[:2], abs=0.1)


def test_bits_that_cost_something_matter_and_the_others_do_not():
    assert [of_bits()[name].matters for name in NAMES] == [True, True, False, False]


def test_bit_that_was_never_changed_may_cost_anything():
    unknown, known = of_bits(silent=[0])["x[0]"], of_bits()["x[2]"]
    assert unknown.effect_low < 0.0 < unknown.effect_high
    assert unknown.effect_high - unknown.effect_low > 5.0 * (known.effect_high - known.effect_low)


def test_share_of_what_may_do_nothing_begins_at_zero():
    found = of_bits(silent=[0])
    assert [group.low for group in found.values() if not group.matters] == [0.0, 0.0, 0.0]


def test_what_surely_matters_stands_before_what_may():
    sure = [group.matters for group in of_bits(silent=[0]).values()]
    assert sure == sorted(sure, reverse=True)


def test_rounding_errors_do_not_change_the_list():
    assert list(of_bits(disturbed=1e-13)) == list(of_bits())


def test_nothing_matters_to_a_constant():
    optimizer = Growing(Space({"a": Bool(), "b": Integer(1, 9)}), seed=0)
    for trial in optimizer.ask(8):
        optimizer.tell(trial, 3.0)
    groups = optimizer.importance()
    assert not any(group.matters for group in groups)
    assert sum(group.share for group in groups) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", [0, 1])
def test_bits_that_are_said_to_matter_do(seed):
    problem = SparseBits(40, 4, seed=seed)
    optimizer = Growing(problem.space, seed=seed)
    for _ in range(80):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.x))
    said = {group.parameters[0] for group in optimizer.importance() if group.matters}
    assert said
    assert said <= {f"x{i}" for i in problem.coordinates}


@pytest.mark.parametrize(("seen", "settings"), [([0.8, 0.0, -0.8], [-0.8, 0.8]), ([0.0, 0.0], [-0.8, -0.4, 0.4, 0.8])])
def test_choice_is_moved_to_settings_that_were_tried_or_else_to_all(seen, settings):
    assert_allclose(other_settings(Leaves(np.array([5]), {}), 0, np.array(seen), 0.0), settings, atol=1e-8)


def test_choice_among_many_is_moved_to_four_of_them():
    seen = np.linspace(-0.95, 0.95, 20)
    assert_allclose(other_settings(Leaves(np.array([20]), {}), 0, seen, seen[0]), seen[[1, 7, 13, 19]])


def test_number_is_moved_over_its_range():
    seen = np.linspace(-1.0, 1.0, 201)
    assert_allclose(other_settings(Leaves.numbers(1), 0, seen, 0.1), [-0.75, -0.25, 0.25, 0.75])


def test_moves_change_one_group_each():
    Y = np.random.default_rng(0).uniform(-1.0, 1.0, (9, 3))
    moves = Moves.away_from(4, Leaves.numbers(3), Y)
    elsewhere = np.arange(3) != moves.groups[:, None]
    assert_array_equal(moves.Y[elsewhere], np.tile(moves.y, (len(moves.Y), 1))[elsewhere])
    assert_array_equal(np.unique(moves.groups), range(3))


def test_units_of_the_model_become_those_of_f():
    raw = np.random.default_rng(0).lognormal(size=50)
    model = LogTail()(raw)
    assert_allclose(Units.of(model, raw)(model), raw)


def test_units_go_on_beyond_what_was_seen():
    units = Units.of(np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0, 4.0]))
    assert_allclose(units(np.array([-2.0, 3.0])), [-1.0, 6.0])
