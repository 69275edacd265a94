"""Which classifier, and how: 25 parameters, most of them conditional, 60 models trained on scikit-learn's digits.

    python experiments/model_selection.py --seeds 3 --workers 2
    python experiments/model_selection.py --table             # what is finished so far; runs nothing

Five classifiers, each with parameters of its own; the value is the error rate on pictures that were not trained on. A
seed draws the pictures and the search. SMAC gets the same space through ConfigSpace, Optuna's samplers suggest what
they need. Seeds 0 to 9; the task was timed with random search on another draw of pictures before any method was run.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from functools import partial

from conditional import beside
from harness.contest import Experiment, contest
from harness.methods import DEFAULT, RANDOM
from harness.methods.define_by_run import DefineByRun, ours, tpe
from harness.methods.method import Entry
from harness.methods.smac_conditional import ConditionalSMAC
from harness.search import Task
from harness.suites.digits import Digits

SEEDS, EVALUATIONS = 10, 60
TASKS = {"digits": Task("which classifier, on digits", Digits, EVALUATIONS)}
METHODS = {
    "default": DEFAULT,
    "optuna": Entry("rembo inside Optuna", partial(DefineByRun, ours)),
    "tpe": Entry("Optuna TPE", partial(DefineByRun, tpe)),
    "smac": Entry("SMAC", ConditionalSMAC),
    "random": RANDOM,
}
EXPERIMENT = Experiment("model_selection", TASKS, METHODS, seeds=SEEDS, most_seeds=SEEDS)

LEGEND = """\
# Which classifier, and how

Error rates on 600 of scikit-learn's digits after 60 models were trained on 600 others: five classifiers, 25 parameters,
most of them conditional. First, the default beside each of the others on the same seeds, as in `ablate.md`. Written by
`python experiments/model_selection.py --table` from `model_selection.jsonl`."""


def present(experiment: Experiment) -> None:
    """Print and write the comparison and the error rates."""
    beside(experiment, LEGEND)


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
