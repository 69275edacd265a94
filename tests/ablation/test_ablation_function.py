"""`rembo.ablate`: what it takes, what it refuses, and how far it goes."""

import logging

import numpy as np
import pytest
from ablations import Switches, additive

from rembo import Bool, Bounds, Box, Float, Integer, Point, Space, Study, ablate
from rembo.ablation import Change

WEIGHTS = {"s1": 6.0, "s4": 3.0, "s6": 1.0}


@pytest.fixture
def switches():
    return Switches(8, additive(WEIGHTS))


def run(switches, **options):
    return ablate(switches, switches.space, switches.off, switches.on, **options)


def test_step_has_the_values_before_and_after():
    space = Space({"n": Integer(1, 9), "rate": Float(0.0, 1.0)})
    found = ablate(lambda x: x["n"], space, {"n": 7, "rate": 0.1}, {"n": 2, "rate": 0.3})
    assert (found.steps[0].changes, found.steps[0].value) == ((Change("n", 7, 2),), 2.0)


def test_ends_are_those_of_the_objective(switches):
    found = run(switches)
    assert (found.start_value, found.goal_value, found.direction) == (0.0, -10.0, "minimize")


def test_parameters_that_do_not_differ_are_left_alone(switches):
    found = ablate(switches, switches.space, switches.off, {**switches.off, "s1": True, "s2": True})
    assert (found.names, [change.name for change in found.rest.changes]) == (("s1",), ["s2"])


def test_maximising_mirrors_minimising(switches):
    up = Switches(8, lambda on: -switches.f(on))
    found, mirrored = run(switches), run(up, direction="maximize")
    assert mirrored.names == found.names
    assert [step.value for step in mirrored.steps] == [-step.value for step in found.steps]
    assert [step.share for step in mirrored.steps] == [step.share for step in found.steps]


def test_flip_tells_what_is_lost_at_the_goal():
    found = run(Switches(3, lambda on: -4.0 * ("s0" in on) - 2.0 * bool(on & {"s1", "s2"})), share=1.0)
    assert [(flip.change.name, flip.value, flip.loss) for flip in found.flips] == [
        ("s0", -2.0, pytest.approx(2 / 3)), ("s1", -6.0, 0.0),
    ]  # fmt: skip


def test_flip_that_fails_loses_all():
    found = run(Switches(2, {frozenset(): 5.0, frozenset({"s0"}): 3.0, frozenset({"s0", "s1"}): 1.0}.__getitem__))
    assert [(flip.value, flip.loss) for flip in found.flips] == [(None, float("inf")), (3.0, 0.5)]


@pytest.mark.parametrize("bad", [1 / 0.5 - 1j, float("nan"), "text", None], ids=repr)
def test_no_number_counts_as_the_worst(bad, caplog):
    found = run(Switches(4, lambda on: bad if "s2" in on and "s3" not in on else -len(on & {"s0", "s1"})))
    assert set(found.names) == {"s0", "s1"}


def test_failure_is_told_in_the_log(caplog):
    with caplog.at_level(logging.WARNING, "rembo"):
        run(Switches(2, {frozenset(): 5.0, frozenset({"s0", "s1"}): 1.0}.__getitem__))
    assert "f failed: KeyError: frozenset({'s1'})" in caplog.messages


def test_known_values_are_not_evaluated_again(switches):
    first = run(switches)
    known = [(dict.fromkeys(switches.names, False) | dict.fromkeys(on, True), switches.f(on)) for on in switches.calls]
    switches.calls.clear()
    again = run(switches, known=known)
    assert (switches.calls, again.evaluations, again.steps) == ([], 0, first.steps)


def test_known_failure_counts_as_the_worst(switches):
    lone = {**switches.off, "s1": True}
    found = run(switches, known=[(lone, None)])
    assert found.names[0] == "s4"


def test_known_values_elsewhere_are_of_no_use(switches):
    goal = {**switches.on, "s0": False}
    known = [(switches.on, -99.0)]
    assert ablate(switches, switches.space, switches.off, goal, known=known).goal_value == -10.0


def test_trials_of_a_study_are_known(switches):
    with Study(Space(switches.space.parameters, switches.off), seed=0) as study:
        study.optimize(switches, 12)
        known = [(trial.x, trial.value) for trial in study.trials]
        switches.calls.clear()
        found = ablate(switches, study.space, switches.off, study.best_params, known=known)
    assert not {frozenset(), frozenset(name for name, on in study.best_params.items() if on)} & set(switches.calls)
    assert found.goal_value == study.best_value


@pytest.mark.parametrize("most", [2, 5, 9, 14, 17])
def test_evaluations_are_bounded(switches, most):
    found = run(switches, max_evaluations=most)
    assert (len(switches.calls) <= most, found.complete) == (True, False)


def test_bound_that_suffices_changes_nothing(switches):
    found = run(switches)
    assert run(switches, max_evaluations=found.evaluations) == found


def test_what_was_found_before_the_bound_is_told(switches):
    whole = run(switches)
    cut = run(switches, max_evaluations=whole.evaluations - 4)
    assert cut.steps == whole.steps[: len(cut.steps)] != ()
    assert cut.explained + cut.rest.share == pytest.approx(1.0)


def test_each_round_is_evaluated_as_one(switches):
    sizes = []

    def evaluate(f, configurations):
        sizes.append(len(configurations))
        return [f(x) for x in configurations]

    run(switches, evaluate=evaluate)
    assert (sizes[0], sizes[-1]) == (2, 3)  # both ends; the flips of the three changes


def test_coordinates_of_a_box_are_changes():
    goal = np.array([0.5, 0.0, -0.5, 1.0])
    found = ablate(lambda x: (x[2] + 0.5) ** 2, Box(4), np.zeros(4), goal)
    assert [step.changes for step in found.steps] == [(Change("x[2]", 0.0, -0.5),)]
    assert [change.name for change in found.rest.changes] == ["x[0]", "x[3]"]


def test_function_of_a_box_gets_points():
    kinds = []
    ablate(lambda x: kinds.append(type(x)) or x[0], Box(2), [0.5, 0.5], [0.0, 0.0])
    assert set(kinds) == {Point}


def test_known_points_of_a_box_are_not_evaluated_again():
    known = [(np.array([0.5, 0.5]), 0.5), (np.array([0.0, 0.5]), 0.0), (np.array([0.3, 0.5]), 0.3)]
    found = ablate(lambda x: x[0], Box(2), [0.5, 0.5], [0.0, 0.0], known=known)
    assert (found.names, found.evaluations) == (("x[0]",), 2)  # the goal, and the flip


def test_numbers_of_bounds_are_changes():
    bounds = Bounds([(0, 10), (1e-5, 1e-1, "log")])
    found = ablate(lambda x: abs(x[0] - 3.0), bounds, [0.0, 1e-5], [3.0, 1e-3])
    assert [change.name for step in found.steps for change in step.changes] == ["x[0]"]


def test_array_in_a_space_is_one_change():
    space = Space({"w": Box(3), "b": Bool()})
    start, goal = {"w": [0.0] * 3, "b": False}, {"w": [0.1, 0.2, 0.0], "b": True}
    found = ablate(lambda x: -sum(x["w"]), space, start, goal)
    assert (found.names, [change.name for change in found.rest.changes]) == (("w",), ["b"])


@pytest.mark.parametrize("share", [0.0, 1.5, -1, float("nan"), "all"])
def test_share_that_is_none_is_refused(switches, share):
    with pytest.raises(ValueError, match="must be a share of the gain, above 0 and not above 1"):
        run(switches, share=share)


def test_bound_below_the_two_ends_is_refused(switches):
    with pytest.raises(ValueError, match="max_evaluations 1 must be at least 2"):
        run(switches, max_evaluations=1)


def test_unknown_direction_is_refused(switches):
    with pytest.raises(ValueError, match="'up' must be 'minimize' or 'maximize'"):
        run(switches, direction="up")


def test_equal_ends_are_refused(switches):
    with pytest.raises(ValueError, match="the same configuration: there is no gain to explain"):
        ablate(switches, switches.space, switches.on, switches.on)


def test_goal_without_a_gain_is_refused(switches):
    with pytest.raises(ValueError, match=r"goal's value 0 is no better than the start's -10 under 'minimize'"):
        ablate(switches, switches.space, switches.on, switches.off)


@pytest.mark.parametrize(("end", "count"), [("start", 0), ("goal", 8)])
def test_failure_at_an_end_is_refused(end, count):
    with pytest.raises(
        ValueError, match=f"f fails at the {end}, so that the gain cannot be measured: evaluate it there"
    ):
        run(Switches(8, lambda on: 1 / (len(on) - count)))


def test_start_that_is_no_configuration_is_refused(switches):
    with pytest.raises(
        ValueError, match="the start is no configuration of the space: a value of this space must be a dict"
    ):
        ablate(switches, switches.space, {"s0": False}, switches.on)


def test_goal_outside_a_box_is_refused():
    with pytest.raises(
        ValueError, match=r"the goal is no point of the box: coordinate 1 is 3.0, outside \[-1.0, 1.0\]"
    ):
        ablate(lambda x: x[0], Box(2), [0.0, 0.0], [0.0, 3.0])


def test_single_parameter_is_refused():
    with pytest.raises(TypeError, match="space must be a Space or a Box"):
        ablate(abs, Float(0.0, 1.0), 1.0, 0.0)
