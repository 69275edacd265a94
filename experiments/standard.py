"""Figure "standard" (Section 4.1): the gap against evaluations on Branin in D = 25, rotated in D = 25, in D = 10^9.

    python experiments/standard.py --seeds 50

The paper compares random search, BO, HD BO and REMBO (d = 2, k = 4). Here REMBO is run in both protocols: f evaluated
at A y, outside the box too, as the authors' released code does; and at the projection of A y onto the box, as the text
says. REMBO as released has all parts of that code (docs/paper.md). It, SI-BO and rembo's default are extra. BO, HD BO
and SI-BO cannot be run in 10^9 dimensions.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from dataclasses import replace
from functools import partial

from harness.contest import Experiment, contest
from harness.methods import BAYES_OPT, DEFAULT, HD_BO, RANDOM, SI_BO, Entry, rembo_released, rembo_with
from harness.report import by_method, gaps, report
from harness.search import Task
from harness.statistics import same_distribution
from rembo.problems import Branin, Padded, Subspace

SEEDS, ALL_SEEDS, EVALUATIONS = 10, 50, 500  # a seed of all methods takes about 3 minutes of one core
TASKS = {
    "branin-25": Task("D = 25", partial(Padded, Branin(), 25), EVALUATIONS),
    "rotated-25": Task("D = 25, rotated", partial(Subspace, Branin(), 25), EVALUATIONS),
    "branin-1e9": Task("D = 1,000,000,000", partial(Padded, Branin(), 10**9), EVALUATIONS),
}
METHODS = {
    "random": RANDOM,
    "bo": BAYES_OPT,
    "hd-bo": HD_BO,
    "si-bo": SI_BO,
    "rembo": Entry("REMBO", partial(rembo_with, d=2, k=4, projection=False)),
    "rembo-projected": Entry("REMBO, projected", partial(rembo_with, d=2, k=4)),
    "rembo-released": Entry("REMBO as released", partial(rembo_released, d=2, k=4)),
    "default": replace(DEFAULT, label="rembo's default"),
}
EXPERIMENT = Experiment("standard", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS)
TITLE = "Branin in D = 25, rotated, and in a billion dimensions"

COMPARED = ("rembo", "rembo-projected", "rembo-released", "default")  # in 25 and in 10^9 dimensions


def equality(experiment: Experiment, method: str) -> float | None:
    """The p-value of a test that the final gaps in 25 and in 10^9 dimensions come from one distribution."""
    title = experiment.methods[method].title
    small, large = (gaps(by_method(experiment, problem).get(title, [])) for problem in ("branin-25", "branin-1e9"))
    return same_distribution(small, large) if small and large else None


def told(experiment: Experiment, method: str) -> str:
    """What the test of equality says, in one sentence."""
    p = equality(experiment, method)
    outcome = "not run yet" if p is None else f"p = {p:.2g} (two-sample Kolmogorov-Smirnov test of the final gaps)"
    return f"{experiment.methods[method].title} in D = 25 against D = 10^9: {outcome}."


def present(experiment: Experiment) -> None:
    """Tables, tests and figure; and whether a billion dimensions differ from 25."""
    report(
        experiment,
        TITLE,
        [told(experiment, method) for method in COMPARED],
    )


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
