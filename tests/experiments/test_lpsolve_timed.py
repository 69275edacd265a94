"""lp_solve under a limit of seconds: the methods that search, and what they cost each other."""

import json
from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

import lpsolve
import lpsolve_again
import lpsolve_disturbance
import lpsolve_timed
from harness.contest import contest
from harness.methods.panels import SINGLE
from harness.search import Line
from lpsolve_again import Again
from lpsolve_disturbance import Run
from rembo.problems.lpsolve import LP_SOLVE, READY_SMALL, Seconds

needs_lp_solve = pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence)


@pytest.fixture
def small(shortened):
    """Searches of two evaluations on a small corridor, a fifth of a second each."""
    experiment = shortened(lpsolve_timed.EXPERIMENT)
    quick = partial(lpsolve.configured, READY_SMALL, Seconds(0.2))
    return replace(experiment, tasks={name: replace(task, instance=quick) for name, task in experiment.tasks.items()})


@needs_lp_solve
def test_lp_solve_is_configured_under_a_limit_of_seconds(small, tmp_path):
    chosen = ["--methods", "random", "default", "--problems", "looked-at", "--seeds", "1", "--workers", "1"]
    assert contest(small, "", lpsolve_timed.present, chosen) == 0
    assert "| rembo's default | 1 |" in (tmp_path / "lpsolve_timed.md").read_text()


def test_methods_are_those_of_the_paper_and_the_default():
    single = {name for name, entry in lpsolve.METHODS.items() if entry.panel == SINGLE}
    assert set(lpsolve_timed.METHODS) == single - {"rembo-linear"}


@needs_lp_solve
def test_disturbance_is_measured_and_kept(small, monkeypatch, tmp_path):
    monkeypatch.setattr(lpsolve_timed, "TASKS", small.tasks)
    lpsolve_disturbance.main(2, tmp_path)
    kept = json.loads((tmp_path / "lpsolve_disturbance.json").read_text())
    assert kept["configurations"] == 2
    assert all(0.0 < seconds <= 0.3 for seconds in kept["mean_cpu_s"])


@needs_lp_solve
def test_best_configurations_are_run_again(small, tmp_path):
    chosen = ["--methods", "random", "default", "--problems", "held-out", "--seeds", "1", "--workers", "1"]
    assert contest(small, "", lpsolve_timed.present, chosen) == 0
    lpsolve_again.main(small, runs=2)
    kept = json.loads((tmp_path / "lpsolve_again.json").read_text())
    gaps = {line.method: line.gap for line in small.lines}
    for method, gap in gaps.items():
        found, *again = kept[f"held-out, {method}, seed 0"]
        assert found == gap
        assert len(again) == 2
        assert all(0.0 <= each <= 1.0 for each in again)
    assert (tmp_path / "lpsolve_again.md").read_text().count("| held-out |") == len(gaps) == 2


def test_gap_that_is_not_had_again_is_told(shortened):
    searches = [Line("held-out", "smac", seed, 100, [(1, gap)], 0.1, {}) for seed, gap in enumerate((0.25, 0.5))]
    found = [Again(searches[0], [0.25, 0.0]), Again(searches[1], [0.5, 1.0])]
    row = ["held-out", "SMAC", "2", "4", "0.38", "0.44", "1", "1"]
    assert lpsolve_again.table(shortened(lpsolve_timed.EXPERIMENT), found).rows == [row]


def test_gaps_that_are_not_the_same_are_counted():
    first, second = [Run(0.1, 5.0), Run(0.2, 5.0)], [Run(0.1, 4.0), Run(0.3, 5.0)]
    assert lpsolve_disturbance.differing(first, second) == 1
