"""SCIP as a problem: its parameters, what a run costs, and what one that goes wrong counts as."""

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")
pytest.importorskip("pyscipopt", reason="SCIP comes with PySCIPOpt")

from harness.suites.scip import LIMIT, Scip, changes, seconds

COVER = 18  # one that takes hundredths of a second
SPACE = Scip().space


def test_space_of_scip_holds_its_default():
    assert SPACE.size > 2000
    assert changes(SPACE.default) == {}


def test_parameters_that_may_change_the_answer_are_put_aside():
    assert not [name for name in SPACE.parameters if name.startswith(("limits/", "numerics/", "randomization/"))]


def test_run_with_the_default_takes_less_than_the_limit():
    assert 0.0 < seconds(COVER, SPACE.default) < LIMIT


def test_run_that_scip_refuses_counts_as_the_limit():
    assert seconds(COVER, SPACE.default | {"branching/scorefac": 7.0}) == LIMIT
