"""Which changes are needed and in which order they gain: pure functions of the value of a set of changes."""

import math

import pytest
from ablations import Switches, additive, plain_order
from hypothesis import given
from hypothesis import strategies as st

from rembo import ablate
from rembo.ablation.result import plain_evaluations
from rembo.problems import SparseBits

WEIGHTS = {f"s{7 * i}": 2.0**i for i in range(8)}  # of 90 switches


def ablated(count, f, **options):
    switches = Switches(count, f)
    return ablate(switches, switches.space, switches.off, switches.on, **options)


def test_changes_that_add_up_are_made_in_the_order_of_their_weights():
    found = ablated(90, additive(WEIGHTS), share=1.0)
    assert found.names == tuple(sorted(WEIGHTS, key=WEIGHTS.get, reverse=True))
    assert [step.share for step in found.steps] == [WEIGHTS[name] / 255 for name in found.names]


def test_changes_that_add_up_are_made_in_the_order_of_plain_ablation():
    switches = Switches(20, additive({f"s{i}": 1.0 + (7 * i) % 20 for i in range(20)}))
    ends = switches.space, switches.off, switches.on
    assert list(ablate(switches, *ends, share=1.0).names) == plain_order(switches, *ends)


def test_few_changes_of_ninety_cost_few_evaluations():
    found = ablated(90, additive(WEIGHTS), share=1.0)
    assert found.evaluations <= 120  # 8 needed ones of 90: halving, 36 for the order, 8 flips
    assert plain_evaluations(90) == 4096


def test_where_all_changes_matter_little_is_spent_beyond_plain_ablation():
    found = ablated(16, additive({f"s{i}": 2.0**i for i in range(16)}), share=1.0)
    assert (len(found.names), found.evaluations <= plain_evaluations(16) + 2 * 16) == (16, True)


def test_changes_below_the_share_are_left_out():
    found = ablated(6, additive({"s0": 70.0, "s1": 25.0, "s2": 4.5, "s3": 0.3, "s4": 0.2}), share=0.99)
    assert (found.names, found.rest.share) == (("s0", "s1", "s2"), pytest.approx(0.005))


def test_changes_that_gain_only_together_are_one_step():
    found = ablated(30, lambda on: -5.0 * (on >= {"s3", "s17"}) - 3.0 * ("s8" in on))
    assert [[change.name for change in step.changes] for step in found.steps] == [["s8"], ["s3", "s17"]]


@pytest.mark.parametrize("triple", [{"s0", "s4", "s9"}, {"s2", "s4", "s5"}, {"s7", "s8", "s9"}], ids=sorted)
def test_three_that_gain_together_are_not_mixed_with_two_others(triple):
    found = ablated(10, lambda on: -5.0 * (on >= triple) - 3.0 * (on >= {"s1", "s6"}))
    together = [{change.name for change in step.changes} for step in found.steps]
    assert sorted(together, key=len) == [{"s1", "s6"}, triple]


def test_change_that_harms_alone_is_made_if_it_gains_with_another():
    values = {frozenset(): 10.0, frozenset({"s0"}): 12.0, frozenset({"s1"}): 11.0, frozenset({"s0", "s1"}): 2.0}
    found = ablated(2, values.get)
    assert [change.name for change in found.steps[0].changes] == ["s1", "s0"]  # the least bad one first


def test_one_of_two_changes_that_do_the_same_is_enough():
    found = ablated(10, lambda on: -1.0 * bool(on & {"s2", "s6"}))
    assert (len(found.names), set(found.names) <= {"s2", "s6"}, found.flips[0].loss) == (1, True, 0.0)


def test_changes_that_harm_are_left_to_the_rest():
    found = ablated(10, additive({"s1": 4.0, "s5": 2.0, "s7": -3.0}))
    assert (found.names, found.rest.share) == (("s1", "s5"), -1.0)


@pytest.mark.parametrize("seed", range(10))
def test_bits_that_do_nothing_are_never_named(seed):
    f = SparseBits(dim=60, active=6, seed=seed)
    start = dict.fromkeys(f.space.parameters, False)
    best = min(range(64), key=lambda i: f.table.flat[i])
    active = {f"x{coordinate}": bool(best >> (5 - bit) & 1) for bit, coordinate in enumerate(f.coordinates)}
    found = ablate(f, f.space, start, {**dict.fromkeys(start, True), **active}, share=1.0)
    assert set(found.names) <= {name for name, on in active.items() if on}
    assert (found.steps[-1].value, found.rest.share) == (f.optimum, 0.0)


@given(st.lists(st.integers(-20, 20) | st.just(math.nan), min_size=32, max_size=32), st.sampled_from([0.5, 0.9, 1.0]))
def test_every_path_rises_to_its_share_and_ends_at_the_goal(values, share):
    values[0], values[-1] = 100, -100
    found = ablated(5, lambda on: values[sum(2 ** int(name[1:]) for name in on)], share=share)
    assert found.explained >= share - 1e-12  # the limit is a sum of rounded numbers
    assert all(step.share > 0.0 for step in found.steps)
    assert found.explained + found.rest.share == pytest.approx(1.0)
    assert sorted([*found.names, *(change.name for change in found.rest.changes)]) == [f"s{i}" for i in range(5)]


@given(st.lists(st.integers(-20, 20), min_size=32, max_size=32))
def test_no_configuration_is_evaluated_twice(values):
    switches = Switches(5, lambda on: values[sum(2 ** int(name[1:]) for name in on)] - 100 * (len(on) == 5))
    found = ablate(switches, switches.space, switches.off, switches.on)
    assert len(set(switches.calls)) == len(switches.calls) == found.evaluations
