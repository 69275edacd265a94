"""Some 2,700 parameters of SCIP, from its default on: CPU seconds on covers that were not trained on, 50 trials.

    python experiments/scip.py --seeds 5 --workers 1

Needs PySCIPOpt, which brings SCIP along. CPU time is noisy: beside other programs it is longer. A search sees the mean
over two set covers; what is told of it is the mean over three others, of the configuration that was best on the two.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from functools import partial

import rembo
from harness.contest import Experiment, contest
from harness.methods import SPARSE_MUTATION, AskTell, Entry
from harness.methods.local_search import SparseMutation
from harness.report import report
from harness.search import Task
from harness.suites.scip import LIMIT, Scip
from rembo.space import Domain

SEEDS, ALL_SEEDS, EVALUATIONS = 5, 30, 50


def configured(seed: int) -> Scip:
    """The same covers for all seeds: they differ in the search alone."""
    return Scip()


def growing(space: Domain, seed: int, **constants: float) -> rembo.Optimizer:
    """rembo's default, with other constants."""
    return rembo.Growing(space, growth=rembo.Growth(**constants), seed=seed)


TASKS = {"covers": Task("SCIP on set covers", configured, EVALUATIONS)}
METHODS = {
    "sparse-mutation": SPARSE_MUTATION,
    "wide-mutation": Entry("(1+1) mutation of 100", partial(SparseMutation, changes=100.0)),
    "default": Entry("rembo", partial(AskTell, growing)),
    "default-anywhere": Entry("rembo, not near the default", partial(AskTell, partial(growing, near=0.0))),
}
EXPERIMENT = Experiment("scip", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS)


def present(experiment: Experiment) -> None:
    """Tables, tests and figure, and what SCIP takes as it comes."""
    problem = configured(0)
    trained, held_out = problem(problem.space.default), problem.noiseless(problem.space.default)
    note = f"""\
As it comes, SCIP takes {trained:.2f} s of CPU time on the covers trained on and {held_out:.2f} s on those held out.
Runs are stopped after {LIMIT:g} s. A gap is the mean CPU time in seconds on the covers held out."""
    report(experiment, f"SCIP, {problem.space.size:,} parameters", [note])


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
