"""The 47 parameters of lp_solve under the paper's limit (Section 4.3): five seconds a run, 100 configurations tried.

    python experiments/lpsolve_timed.py --seeds 3

How far lp_solve gets in five seconds depends on the machine and on what else runs there: this cannot be had again to
the digit, and lpsolve.py, which counts iterations, has the seeds that tests need. One search runs on each core, in
which lp_solve and the method take turns, and nothing else should run; lpsolve_disturbance.py measures what searches
that run beside each other cost. Single runs only.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from dataclasses import replace
from functools import partial

import lpsolve
from harness.contest import Experiment, contest
from harness.methods import smac_for
from harness.methods.panels import SINGLE
from harness.report import report
from harness.search import Task
from rembo.problems.lpsolve import HELD_OUT, READY, SPACE, Seconds

SEEDS, ALL_SEEDS, EVALUATIONS = 3, 30, 100
LIMIT = Seconds(5.0)
EXTRA = "rembo-linear"

TASKS = {
    "looked-at": Task("lp_solve, 5 s, corridor looked at", partial(lpsolve.configured, READY, LIMIT), EVALUATIONS),
    "held-out": Task("lp_solve, 5 s, corridor held out", partial(lpsolve.configured, HELD_OUT, LIMIT), EVALUATIONS),
}
METHODS = {
    name: replace(entry, panel="") for name, entry in lpsolve.METHODS.items() if entry.panel == SINGLE and name != EXTRA
}
METHODS["smac"] = replace(METHODS["smac"], load=partial(smac_for, EVALUATIONS))
EXPERIMENT = Experiment("lpsolve_timed", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS)
TITLE = f"lp_solve, {len(SPACE.parameters)} parameters, {LIMIT.seconds:g} seconds a run"


def present(experiment: Experiment) -> None:
    """Tables, tests, notes and figure."""
    report(experiment, TITLE, lpsolve.notes(experiment))


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
