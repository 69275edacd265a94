"""What each parameter of lp_solve does by itself."""

import pytest

from rembo.problems.lpsolve import COMPILER, LP_SOLVE, SPACE, Corridor, Iterations, LpSolve, flip_each

pytestmark = [
    pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence),
    pytest.mark.skipif(not COMPILER.available, reason=COMPILER.absence),
]
PROBLEM = LpSolve(Corridor(5, seed=1, slack=1.0), Iterations(150))


@pytest.fixture(scope="module")
def flips():
    return flip_each(PROBLEM)


def test_flips_change_each_parameter_to_each_other_value(flips):
    values = {name: list(outcomes) for name, outcomes in flips.changed.items()}
    assert list(values) == list(SPACE.parameters)
    assert (values["bb_floorfirst"], values["NODE_GREEDYMODE"]) == (["BRANCH_CEILING", "BRANCH_FLOOR"], [False])
    assert sum(map(len, values.values())) == 58


def test_flips_are_those_of_one_parameter(flips):
    changed = SPACE.default | {"bb_floorfirst": "BRANCH_CEILING"}
    assert flips.unchanged.gap == PROBLEM(SPACE.default)
    assert flips.changed["bb_floorfirst"]["BRANCH_CEILING"].gap == PROBLEM(changed)


def test_effect_is_the_largest_change_of_the_gap(flips):
    gaps = [outcome.gap for outcome in flips.changed["bb_rule"].values()]
    assert flips.effects["bb_rule"] == max(abs(gap - flips.unchanged.gap) for gap in gaps)


def test_some_parameters_matter_and_others_do_not(flips):
    assert min(flips.effects.values()) == 0.0
    assert max(flips.effects.values()) > 0.0


def test_flips_can_start_from_any_configuration():
    start = SPACE.default | {"NODE_GREEDYMODE": False}
    assert list(flip_each(PROBLEM, start).changed["NODE_GREEDYMODE"]) == [True]
