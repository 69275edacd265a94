"""rembo's default beside its peers on benchmarks that others wrote: COCO, PBO, LassoBench.

    python experiments/suites.py --families bbob-5 mixint-10 --methods default cma --seeds 1 --workers 2
    python experiments/suites.py --problems bbob-20-f08 pbo-64-labs
    python experiments/suites.py --table                      # what is finished so far; runs nothing

A search has 200 evaluations, on LassoBench 1000 as published. Seed s, 0 to 4, is instance 11 + s of COCO and of PBO,
fixed before looking; it also draws where a hidden function stands, and the search. hidden-1000 has functions of five
among 1000 coordinates, subspace-1000 the same along five random directions of 1000.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from collections.abc import Callable
from functools import partial

from harness.contest import Experiment, contest
from harness.figures import save, shares_figure
from harness.methods import (
    BAXUS,
    BOTORCH,
    CMA_ES,
    DEFAULT,
    HILL_CLIMBER,
    OPTUNA_GP,
    RANDOM,
    SMAC,
    SPARSE_MUTATION,
    TPE,
    TURBO,
)
from harness.search import Task
from harness.standings import Met, meetings
from harness.suites.coco import FUNCTIONS, Bbob, MixedInteger
from harness.suites.lasso import Lasso
from harness.suites.pbo import PseudoBoolean
from harness.tables import Table
from rembo.problems import Padded, Problem, Subspace

SEEDS = 5
FIRST_INSTANCE = 11
EVALUATIONS = 200
LASSO_EVALUATIONS = 1000
HIDDEN_DIM, AMBIENT_DIM, BITS = 5, 1000, 64

# Unimodal and multimodal, separable and rotated, well and badly conditioned, with and without global structure.
HIDDEN = (1, 2, 3, 5, 6, 8, 10, 15, 20, 21)
PBO = {
    "onemax": "OneMax",
    "onemaxdummy": "OneMaxDummy1",
    "onemaxepistasis": "OneMaxEpistasis",
    "onemaxruggedness": "OneMaxRuggedness3",
    "leadingones": "LeadingOnes",
    "linear": "Linear",
    "labs": "LABS",
    "isingring": "IsingRing",
    "isingtorus": "IsingTorus",
    "mis": "MIS",
    "nqueens": "NQueens",
}
LASSO = {"simple": "synt_simple", "medium": "synt_medium", "high": "synt_high"}


def bbob(seed: int, function: int, dim: int) -> Bbob:
    """A function of bbob."""
    return Bbob(function, dim, FIRST_INSTANCE + seed)


def mixint(seed: int, function: int, dim: int) -> MixedInteger:
    """A function of bbob-mixint."""
    return MixedInteger(function, dim, FIRST_INSTANCE + seed)


def hidden(seed: int, function: int, dim: int) -> Padded:
    """A function of bbob among coordinates that do not matter."""
    return Padded(bbob(seed, function, HIDDEN_DIM), dim, seed)


def subspace(seed: int, function: int, dim: int) -> Subspace:
    """A function of bbob along random directions: outside of its cube, too, where bbob is nowhere below its optimum."""
    return Subspace(bbob(seed, function, HIDDEN_DIM), dim, seed)


def pbo(seed: int, name: str) -> PseudoBoolean:
    """A problem of PBO."""
    return PseudoBoolean(name, BITS, FIRST_INSTANCE + seed)


def lasso(seed: int, name: str) -> Lasso:
    """A function of LassoBench, of which there is one instance."""
    return Lasso(name)


def of_coco(name: str, make: Callable[..., Problem], dim: int, functions: tuple[int, ...]) -> dict[str, Task]:
    """A family of COCO's functions."""
    family = f"{name}-{dim}"
    return {
        f"{family}-f{function:02d}": Task(
            f"{family} f{function}", partial(make, function=function, dim=dim), EVALUATIONS, family
        )
        for function in functions
    }


ALL = tuple(range(1, FUNCTIONS + 1))
TASKS = {
    **of_coco("bbob", bbob, 5, ALL),
    **of_coco("bbob", bbob, 20, ALL),
    **of_coco("mixint", mixint, 10, ALL),
    **of_coco("mixint", mixint, 40, ALL),
    **of_coco("hidden", hidden, AMBIENT_DIM, HIDDEN),
    **of_coco("subspace", subspace, AMBIENT_DIM, HIDDEN),
    **{f"pbo-64-{key}": Task(name, partial(pbo, name=name), EVALUATIONS, "pbo-64") for key, name in PBO.items()},
    **{
        f"lasso-{key}": Task(name, partial(lasso, name=name), LASSO_EVALUATIONS, "lasso") for key, name in LASSO.items()
    },
}
METHODS = {
    "default": DEFAULT,
    "random": RANDOM,
    "climber": HILL_CLIMBER,
    "mutation": SPARSE_MUTATION,
    "cma": CMA_ES,
    "tpe": TPE,
    "turbo": TURBO,
    "optuna-gp": OPTUNA_GP,
    "botorch": BOTORCH,
    "smac": SMAC,
    "baxus": BAXUS,
}
EXPERIMENT = Experiment("suites", TASKS, METHODS, seeds=SEEDS, most_seeds=SEEDS)

LEGEND = """\
# The development suite

Benchmarks that others wrote: 200 evaluations a search (LassoBench 1000), seed s = 0 to 4 is instance 11 + s. The
methods of a family are compared on the pairs of problem and seed that all of them finished, and where slow ones have
fewer searches, the others once more on what these finished. rembo's searches are of its present version, to the bit.
The mean rank is that of the gap at the end among them, the lowest is best: ties share ranks, and gaps below 1e-8 are
equal. `first` counts the pairs on which nobody is ahead. CPU seconds are the median of a search on one core,
evaluations included; more searches than cores ran at a time. Written by
`python experiments/suites.py --table` from `suites.jsonl`.

![Share of functions, instances and targets that are reached](../figures/suites.svg)

The picture is COCO's: the share of triples of function, instance and target that are reached after so many evaluations,
the targets 51 gaps from 100 to 1e-8, evenly spaced in the logarithm. On LassoBench, whose optimum nobody knows, the gap
is the value itself."""


def present(experiment: Experiment) -> None:
    """Print a table for each family, write them to results/suites.md, and draw the share of targets reached."""
    found = {family: meetings(experiment, family) for family in experiment.families}
    if not any(found.values()):
        print(f"{experiment.name}: nothing is finished yet that methods have in common")
        return
    page = [LEGEND]
    for family, meeting in [(family, meeting) for family, several in found.items() for meeting in several]:
        table = standings(experiment, meeting)
        title = f"{family}: {len(meeting.lines)} methods, {meeting.pairs} pairs of problem and seed"
        print(f"{title}\n{table}\n")
        page += [f"## {title}", table.markdown]
    (experiment.results / f"{experiment.name}.md").write_text("\n\n".join(page) + "\n")
    draw(experiment, {family: several[-1] for family, several in found.items() if several})


def standings(experiment: Experiment, meeting: Met) -> Table:
    """A row for each method, the lowest mean rank first."""
    ranks, firsts, seconds = meeting.ranks, meeting.firsts, meeting.seconds
    rows = [
        [
            experiment.methods[name].title,
            f"{ranks[name].mean():.2f}",
            str(firsts[name]),
            f"{seconds[name]:.3g}",
            f"{seconds[name] / seconds['turbo']:.2g}" if seconds.get("turbo") else "",
            str(meeting.finished[name]),
        ]
        for name in sorted(ranks, key=lambda name: float(ranks[name].mean()))
    ]
    return Table(["method", "mean rank", "first", "CPU s", "CPU / TuRBO's", "searches"], rows)


def draw(experiment: Experiment, found: dict[str, Met]) -> None:
    """The share of targets that are reached against evaluations, a panel for each family."""
    trials = {task.family: task.n_trials for task in experiment.tasks.values()}
    panels = {
        family: {experiment.methods[name].title: share for name, share in meeting.shares(trials[family]).items()}
        for family, meeting in found.items()
    }
    save(shares_figure(panels), experiment.name, experiment.figures)


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
