"""Body parts (Section 4.4): 14 parameters of a random forest, all of which seem to matter, 200 evaluations.

    python experiments/bodyparts.py --seeds 10
    python experiments/bodyparts_test.py                      # then, once: what was found, on the test pictures

The gap is the error rate on the validation pictures. As in the paper, REMBO has d = 3 and the high-dimensional kernel,
and methods are run alone and as k = 4 interleaved runs, which here share the 200 evaluations. SMAC and rembo's default
are extra; of all methods, only rembo's default begins at the space's default configuration.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from dataclasses import replace
from functools import partial

import rembo
from harness.contest import Experiment, contest
from harness.methods import BAYES_OPT, DEFAULT, RANDOM, AskTell, Entry, interleaved, rembo_with, smac_for
from harness.methods.ask_tell import Maker, bayes_opt, default, smac, small
from harness.report import report
from harness.search import Task
from rembo.problems.bodyparts import BodyParts

SEEDS, ALL_SEEDS, EVALUATIONS, RUNS = 10, 50, 200, 4
HIGH_DIMENSIONAL = rembo.SquaredExponential(on=rembo.Image())


def _in_turns(label: str, make: Maker, packages: tuple[str, ...] = AskTell.packages) -> Entry:
    """Four optimizers of one kind."""
    return Entry(label, partial(AskTell, partial(interleaved, make=make, k=RUNS), packages, small))


TASKS = {"bodyparts": Task("body parts, D = 14", BodyParts, EVALUATIONS)}
METHODS = {
    "random": RANDOM,
    "bo": BAYES_OPT,
    "rembo": Entry("REMBO", partial(rembo_with, d=3, kernel=HIGH_DIMENSIONAL)),
    "smac": Entry("SMAC", partial(smac_for, EVALUATIONS)),
    "default": replace(DEFAULT, label="rembo's default"),
    "bo-4": _in_turns("BO, k = 4", bayes_opt),
    "rembo-4": Entry("REMBO, k = 4", partial(rembo_with, d=3, k=RUNS, kernel=HIGH_DIMENSIONAL)),
    "smac-4": _in_turns("SMAC, k = 4", partial(smac, n_trials=EVALUATIONS // RUNS), ("rembo", "smac")),
    "default-4": _in_turns("rembo's default, k = 4", default),
}
EXPERIMENT = Experiment("bodyparts", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS)
TITLE = "A classifier of body parts, 14 parameters"


def present(experiment: Experiment) -> None:
    """Tables, tests and figure."""
    report(experiment, TITLE, ["The gap is the error rate on validation pictures; that of a perfect forest is 0."])


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
