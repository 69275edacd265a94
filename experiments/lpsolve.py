"""The 47 parameters of lp_solve (Section 4.3): the gap it leaves on a wildlife corridor, 200 configurations tried.

    python experiments/lpsolve.py --seeds 30

lp_solve is stopped after so many simplex iterations and its random numbers are fixed, so that every gap can be had
again, on any machine and whatever else runs there; lpsolve_timed.py has the paper's limit of time. Two corridors: one
that was looked at while this was built, and one that was not run before everything was chosen. As in the paper, methods
are run alone and as k = 4 interleaved runs, which share the evaluations; REMBO has d = 5 and the paper's categorical
kernel, exp(-h^2). REMBO with exp(-h), REMBO as the authors' released code has it, and rembo's default are extra.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import rembo
from harness.contest import Experiment, contest
from harness.methods import BAYES_OPT, DEFAULT, PARAM_ILS, RANDOM, Entry, in_turns, rembo_released, rembo_with, smac_for
from harness.methods.ask_tell import bayes_opt, default, param_ils, smac
from harness.methods.method import titled
from harness.methods.panels import RUNS, single_and_in_turns
from harness.report import in_panel, report
from harness.search import Task
from harness.statistics import Summary
from harness.tables import Table
from rembo.problems.lpsolve import HELD_OUT, READY, SPACE, Corridor, Iterations, Limit, LpSolve

SEEDS, ALL_SEEDS, EVALUATIONS = 30, 50, 200
LIMIT = Iterations(2000)
OURS = "rembo's default"


def configured(corridor: Corridor, limit: Limit, seed: int) -> LpSolve:
    """The same corridor for all seeds: they differ in the search alone."""
    return LpSolve(corridor, limit)


TASKS = {
    "looked-at": Task("lp_solve, corridor looked at", partial(configured, READY, LIMIT), EVALUATIONS),
    "held-out": Task("lp_solve, corridor held out", partial(configured, HELD_OUT, LIMIT), EVALUATIONS),
}


LINEAR = rembo.Hamming(power=1)
METHODS = single_and_in_turns(
    {
        "random": RANDOM,
        "bo": BAYES_OPT,
        "param-ils": PARAM_ILS,
        "smac": Entry("SMAC", partial(smac_for, EVALUATIONS)),
        "rembo": Entry("REMBO", partial(rembo_with, d=5)),
        "rembo-linear": Entry("REMBO, exp(-h)", partial(rembo_with, d=5, kernel=LINEAR)),
        "rembo-released": Entry("REMBO as released", partial(rembo_released, d=5)),
        "default": replace(DEFAULT, label=OURS),
    },
    {
        "bo": partial(in_turns, bayes_opt),
        "param-ils": partial(in_turns, param_ils),
        "smac": partial(in_turns, partial(smac, n_trials=EVALUATIONS // RUNS), ("rembo", "smac")),
        "rembo": partial(rembo_with, d=5, k=RUNS),
        "rembo-linear": partial(rembo_with, d=5, k=RUNS, kernel=LINEAR),
        "rembo-released": partial(rembo_released, d=5, k=RUNS),
        "default": partial(in_turns, default),
    },
)
EXPERIMENT = Experiment("lpsolve", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS)
TITLE = f"lp_solve, {len(SPACE.parameters)} parameters, {LIMIT.iterations:,} simplex iterations a run"


def found_in(problem: str, experiment: Experiment) -> str:
    """What lp_solve finds as it comes, and with the best configuration of all searches: here and on other corridors."""
    corridors = {name: task.instance(0) for name, task in experiment.tasks.items()}
    title, as_it_comes = experiment.tasks[problem].title, corridors[problem](SPACE.default)
    searches = [line for line in experiment.lines if line.problem == problem and line.best]
    if not searches:
        return f"{title}: as it comes, lp_solve leaves a gap of {as_it_comes:.3g}."
    best = min(searches, key=lambda line: line.gap)
    reached = sum(line.gap == best.gap for line in searches)
    elsewhere = [f"{corridors[name](best.best):.3g} ({name})" for name in corridors if name != problem]
    return (
        f"{title}: as it comes, lp_solve leaves a gap of {as_it_comes:.3g}; with the best configuration of "
        f"{len(searches)} searches {best.gap:.3g}, which {reached} of them reach. On the other corridor that "
        f"configuration leaves {', '.join(elsewhere)}."
    )


def standings(experiment: Experiment) -> Table:
    """The default beside the best of the other methods: on each corridor, single and interleaved runs apart."""
    head = ["corridor", "best other method", "its mean", "the default's", "behind by", "standard error"]
    panels = dict.fromkeys(entry.panel for entry in experiment.methods.values())
    found = {
        titled(problem, panel): in_panel(experiment, problem, panel) for problem in experiment.tasks for panel in panels
    }
    return Table(
        head, [[where, *_standing(means)] for where, means in found.items() if OURS in means and len(means) > 1]
    )


def _standing(means: Mapping[str, Summary]) -> list[str]:
    ours = means[OURS]
    others = {label: each for label, each in means.items() if label != OURS}
    best = min(others.values(), key=lambda each: each.mean)
    as_good = ", ".join(label for label, each in others.items() if each.mean == best.mean)
    numbers = (best.mean, ours.mean, ours.mean - best.mean)
    error = math.hypot(ours.error, best.error)  # seeds draw the search alone: nothing pairs them
    return [as_good, *(f"{each:.2g}" for each in numbers), "" if math.isnan(error) else f"{error:.2g}"]


def notes(experiment: Experiment) -> list[str]:
    """The configuration that lp_solve comes with, and where rembo's default stands."""
    table = standings(experiment)
    return [*(found_in(problem, experiment) for problem in experiment.tasks), *([table.markdown] if table.rows else [])]


def present(experiment: Experiment) -> None:
    """Tables, tests, notes and figure."""
    report(experiment, TITLE, notes(experiment))


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
