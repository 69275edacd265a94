"""What is said of the parameters of lp_solve that matter."""

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

import lpsolve_importance
from lpsolve_importance import Found
from rembo.optimizer import Importance
from rembo.problems.lpsolve import COMPILER, LP_SOLVE, READY_SMALL, SPACE, Iterations, LpSolve

pytestmark = [
    pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence),
    pytest.mark.skipif(not COMPILER.available, reason=COMPILER.absence),
]
SMALL = LpSolve(READY_SMALL, Iterations(50))


def found(gap, **shares):
    return Found(gap, SPACE.default | {"bb_floorfirst": "BRANCH_FLOOR"}, dict.fromkeys(SPACE.parameters, 0.0) | shares)


def test_group_of_parameters_shares_alike():
    effect = (0.1, 0.0, 0.2)
    groups = [Importance(("a", "b"), 2, 0.6, 0.5, 0.7, *effect), Importance(("c",), 1, 0.4, 0.3, 0.5, *effect)]
    assert lpsolve_importance.shares_of(groups) == {"a": 0.3, "b": 0.3, "c": 0.4}


def test_parameter_of_the_largest_mean_share_stands_first():
    searches = [found(0.1, scaling=0.5, pivoting=0.1), found(0.2, scaling=0.1, pivoting=0.9)]
    effects = dict.fromkeys(SPACE.parameters, 0.25)
    first = lpsolve_importance.table(searches, effects, effects).rows[0]
    assert first == ["pivoting", "50 %", "10 %", "90 %", "0.250", "0.250"]


def test_search_is_made_again_from_its_seed():
    first, again = (lpsolve_importance.found_by(3, SMALL, 4) for _ in range(2))
    assert first == again
    assert sum(first.shares.values()) == pytest.approx(1.0)


def test_page_says_where_the_best_configuration_differs():
    text = lpsolve_importance.page([found(0.2), found(0.3)], SMALL)
    assert "The best differs from the default in: bb_floorfirst = BRANCH_FLOOR." in text
    assert "Shares over 2 searches" in text
