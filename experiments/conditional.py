"""Conditional parameters: what it is worth that the default's model knows which of them are inactive.

    python experiments/conditional.py --seeds 3 --workers 2
    python experiments/conditional.py --table                 # what is finished so far; runs nothing

Three functions whose optima are known, 60 evaluations. The default is compared with itself without that knowledge (f
gets active parameters alone, as before, but the model measures distance along all), with itself inside Optuna, where
conditions must be found out, with Optuna's TPE, which suggests parameters as they are needed, and with random search.
Seeds are 100 and up: 0 to 5 were looked at while this was built.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from collections.abc import Callable, Sequence
from functools import partial

from ablate import compared
from harness.contest import Experiment, contest
from harness.methods import RANDOM
from harness.methods.ablated import Ablated, Replacement
from harness.methods.define_by_run import DefineByRun, ours, tpe
from harness.methods.method import Entry
from harness.search import Task, search_seed
from harness.suites.conditional import Nested, Pipeline, Solvers
from harness.tables import Table
from peers import in_full
from rembo.kernel import Dormant
from rembo.problems import Problem

SEEDS, FIRST_SEED, EVALUATIONS = 20, 100, 60


def unaware() -> Sequence[Replacement]:
    """No leaf ever rests."""
    return [Replacement(Dormant, "of", lambda space, alone, dim: None)]


def drawn(make: Callable[..., Problem], seed: int) -> Problem:
    """A function of a seed that was not looked at."""
    return make(seed=FIRST_SEED + seed)


def unseen_seed(seed: int) -> int:
    """The seed of a search."""
    return search_seed(FIRST_SEED + seed)


TASKS = {
    "solvers": Task("one of five solvers", partial(drawn, Solvers), EVALUATIONS),
    "nested": Task("layers, and a nested method", partial(drawn, Nested), EVALUATIONS),
    "pipeline": Task("stages of a pipeline", partial(drawn, Pipeline), EVALUATIONS),
}
METHODS = {
    "default": Entry("rembo", Ablated),
    "unaware": Entry("without knowing what is inactive", partial(Ablated, replaced=unaware)),
    "optuna": Entry("rembo inside Optuna", partial(DefineByRun, ours)),
    "tpe": Entry("Optuna TPE", partial(DefineByRun, tpe)),
    "random": RANDOM,
}
EXPERIMENT = Experiment("conditional", TASKS, METHODS, seeds=SEEDS, most_seeds=SEEDS, search_seed=unseen_seed)

LEGEND = """\
# Conditional parameters

Gaps after 60 evaluations of functions whose parameters exist only where others have certain values. First, the default
beside each of the others on the same functions and seeds, as in `ablate.md`: decades by which its gap is lower,
Wilcoxon's signed-rank test, and the pairs on which it is better and worse. Written by
`python experiments/conditional.py --table` from `conditional.jsonl`."""


def present(experiment: Experiment) -> None:
    """Print and write the comparison and the gaps."""
    beside(experiment, LEGEND)


def beside(experiment: Experiment, legend: str) -> None:
    """Print and write a page: the default beside each of the others, and the gaps of all."""
    found = compared(experiment, "all families")
    tables = {"the default beside": Table(["method", *found.head[1:]], found.rows), "gaps": in_full(experiment)}
    page = [legend, *(f"## {title}\n\n{table.markdown}" for title, table in tables.items())]
    print("\n\n".join(f"{title}\n{table}" for title, table in tables.items()))
    (experiment.results / f"{experiment.name}.md").write_text("\n\n".join(page) + "\n")


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
