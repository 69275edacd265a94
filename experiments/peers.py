"""rembo's default beside its peers: the same problems, budgets and seeds for all, run from the packages as released.

    python experiments/peers.py --methods random cma --problems bits-50 sparse-bits --seeds 10 --workers 2
    python experiments/peers.py --table                       # what is finished so far; runs nothing

Seeds are 0 to 29, fixed before looking; slow methods run the first of them, and the table says how many. A line of
results/peers.jsonl keeps the gap to the optimum after each evaluation that improved it; where values are noisy, it is
the gap of the true value at the point with the best value observed.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

import math
from collections.abc import Mapping
from functools import partial

from harness.contest import Experiment, contest
from harness.methods import CMA_ES, DEFAULT, OPTUNA_GP, PARAM_ILS, RANDOM, TPE, TURBO
from harness.report import by_method, gaps, summary_table
from harness.search import Line, Task
from harness.statistics import Summary
from harness.tables import Table, mean_and_error
from rembo.problems import (
    Ackley,
    BinaryQuadratic,
    Branin,
    CategoryTable,
    Hartmann6,
    Levy,
    Noisy,
    Padded,
    Rosenbrock,
    Shifted,
    SparseBits,
)

SEEDS = 30


def levy4(seed: int) -> Padded:
    """Levy's function of 4 of 1000 coordinates, its optimum moved."""
    return Padded(Shifted(Levy(4), seed), 1000, seed)


def noisy_levy4(seed: int) -> Noisy:
    """The same with noise."""
    return Noisy(levy4(seed), 0.01, seed)


def ackley10(seed: int) -> Padded:
    """Ackley's function of 10 of 500 coordinates, its optimum moved."""
    return Padded(Shifted(Ackley(10), seed), 500, seed)


TASKS = {
    "branin-25": Task("Branin in D = 25", partial(Padded, Branin(), 25), 100),
    "hartmann6-100": Task("Hartmann6 in D = 100", partial(Padded, Hartmann6(), 100), 200),
    "levy4-1000": Task("shifted Levy4 in D = 1000", levy4, 250),
    "levy4-1000-noisy": Task("the same, noise 0.01", noisy_levy4, 250),
    "ackley10-500": Task("shifted Ackley10 in D = 500", ackley10, 500),
    "levy-30": Task("shifted Levy, D = 30, all active", partial(Shifted, Levy(30)), 500),
    "levy-100": Task("shifted Levy, D = 100, all active", partial(Shifted, Levy(100)), 500),
    "rosenbrock-30": Task("shifted Rosenbrock, D = 30, all active", partial(Shifted, Rosenbrock(30)), 500),
    "rosenbrock-100": Task("shifted Rosenbrock, D = 100, all active", partial(Shifted, Rosenbrock(100)), 500),
    "bits-50": Task("BinaryQuadratic, 50 bits, all active", partial(BinaryQuadratic, 50), 200),
    "sparse-bits": Task("SparseBits, 50 bits, 10 active", partial(SparseBits, 50, 10), 200),
    "categories": Task("CategoryTable, 20 x 5, all active", partial(CategoryTable, 20, 5, None), 200),
    "sparse-categories": Task("CategoryTable, 20 x 5, 4 active", partial(CategoryTable, 20, 5, 4), 200),
}
METHODS = {
    "default": DEFAULT,
    "random": RANDOM,
    "cma": CMA_ES,
    "tpe": TPE,
    "paramils": PARAM_ILS,
    "optuna-gp": OPTUNA_GP,
    "turbo": TURBO,
}
EXPERIMENT = Experiment("peers", TASKS, METHODS, seeds=SEEDS, most_seeds=SEEDS)

LEGEND = """\
Gap between the best value found and the optimum, lower is better: mean ± standard error (number of seeds, always the
first ones), the lowest mean in bold. With noise it is the true value at the point with the best value observed. Seconds
are those of one core, per search; those of asking alone are missing where they were not yet measured. Written by
`python experiments/peers.py --table` from `peers.jsonl`."""


def present(experiment: Experiment) -> None:
    """Print a table for each problem, and write all of them side by side to results/peers.md."""
    finished = [problem for problem in experiment.tasks if by_method(experiment, problem)]
    for problem in finished:
        task = experiment.tasks[problem]
        print(f"{task.title}, {task.n_trials} evaluations ({problem})\n{summary_table(experiment, problem)}\n")
    page = f"{LEGEND}\n\n{side_by_side(experiment).markdown}\n\n{in_full(experiment).markdown}\n"
    (experiment.results / "peers.md").write_text(page)


def side_by_side(experiment: Experiment) -> Table:
    """A row for each problem, a column for each method: mean gap ± standard error (seeds), the lowest in bold."""
    found = {problem: by_method(experiment, problem) for problem in experiment.tasks}
    used = [entry.title for entry in experiment.methods.values() if any(entry.title in row for row in found.values())]
    rows = [
        [experiment.tasks[problem].title, str(experiment.tasks[problem].n_trials), *_cells(row, used)]
        for problem, row in found.items()
        if row
    ]
    return Table(["problem", "evaluations", *used], rows)


def in_full(experiment: Experiment) -> Table:
    """Every statistic of every problem and method."""
    tables = {task.title: summary_table(experiment, problem) for problem, task in experiment.tasks.items()}
    head = next(iter(tables.values())).head
    return Table(["problem", *head], [[title, *row] for title, table in tables.items() for row in table.rows])


def _cells(row: Mapping[str, list[Line]], used: list[str]) -> list[str]:
    found = {label: Summary(gaps(lines)) for label, lines in row.items()}
    lowest = min((summary.mean for summary in found.values()), default=math.nan)
    return [_cell(found[label], lowest) if label in found else "" for label in used]


def _cell(summary: Summary, lowest: float) -> str:
    text = mean_and_error(summary)
    return f"**{text}** ({len(summary.gaps)})" if summary.mean == lowest else f"{text} ({len(summary.gaps)})"


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
