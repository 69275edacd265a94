"""How an ablation is printed."""

import re

import pytest
from ablations import Switches, additive

from rembo import Float, Space, ablate


def printed(f, count=6, **options):
    switches = Switches(count, f)
    return str(ablate(switches, switches.space, switches.off, switches.on, **options))


def cells(text, name):
    """The row of a change, cut at its wide gaps."""
    return next(re.split(r"  +", line) for line in text.splitlines() if line.startswith(f"{name} "))


def test_row_has_the_change_the_objective_the_share_and_the_loss():
    text = printed(lambda on: 100 + additive({"s1": 30.0, "s4": 10.0})(on))
    assert cells(text, "s1") == ["s1", "False -> True", "70", "75.0%", "75.0%"]


def test_title_says_how_much_is_gained_and_by_how_many_changes():
    text = printed(lambda on: 100 + additive({"s1": 30.0, "s4": 10.0})(on))
    assert text.startswith("from 100 to 60 (40.0% lower): 2 of 6 changes carry 100.0% of the gain\n")


def test_title_of_a_gain_from_zero_has_no_percentage():
    assert printed(lambda on: len(on), direction="maximize", share=0.5).startswith("from 0 to 6: ")


def test_others_are_counted_with_their_share():
    text = printed(additive({"s0": 60.0, "s2": 39.0, "s5": 0.5}), share=0.98)
    assert cells(text, "4 others") == ["4 others", "-99.5", "0.5%"]


def test_changes_that_gain_only_together_are_said_to():
    text = printed(lambda on: -5.0 * (on >= {"s0", "s3"}))
    assert "only together: s0, s3; none of them gains alone" in text
    assert cells(text, "s0")[-2:] == ["with the next", "100.0%"]


def test_flips_are_said_to_be_verified():
    assert "verified by flipping each back at the goal" in printed(additive({"s0": 1.0}))


def test_flip_that_loses_nothing_is_said_to_depend_on_the_others():
    assert "undoing s0 at the goal loses nothing: its effect depends on the other changes" in printed(
        lambda on: -1.0 * bool(on & {"s0", "s1"})
    )


def test_flip_that_fails_is_said_to():
    values = {frozenset(): 5.0, frozenset({"s0"}): 3.0, frozenset({"s0", "s1"}): 1.0}
    assert cells(printed(values.__getitem__, count=2), "s0")[-1] == "fails"


def test_harm_of_the_others_is_told():
    text = printed(additive({"s0": 3.0, "s1": -1.0}))
    assert "the others make it worse: without them the objective is -3" in text


def test_cost_is_compared_with_plain_ablation():
    assert re.search(r"\n\d+ evaluations; trying every change at every step takes 22$", printed(additive({"s0": 3.0})))


def test_end_by_the_bound_says_what_is_unexplained():
    text = printed(additive({"s0": 3.0, "s4": 1.0}), max_evaluations=2)
    assert "ended by max_evaluations: 100.0% of the gain is not explained" in text


def test_change_that_was_not_flipped_is_said_not_to_be_tried():
    text = printed(additive({"s0": 3.0}), count=2, max_evaluations=3)
    assert cells(text, "s0")[-1] == "not tried"


@pytest.mark.parametrize(("value", "shown"), [(1 / 3, "0.333333 -> 0"), ("a" * 50, f"{'a' * 29}... -> 0")])
def test_long_value_is_cut(value, shown):
    from rembo import Categorical

    space = Space({"p": Categorical([value, 0])})
    assert shown in str(ablate(lambda x: float(x["p"] != 0), space, {"p": value}, {"p": 0}))


def test_change_is_told_in_a_few_words():
    found = ablate(lambda x: x["rate"], Space({"rate": Float(0.0, 1.0)}), {"rate": 0.5}, {"rate": 0.25})
    assert str(found.steps[0].changes[0]) == "rate: 0.5 -> 0.25"
