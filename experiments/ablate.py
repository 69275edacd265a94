"""What each mechanism of the default is worth: taken away in turn, on functions that others wrote.

    python experiments/ablate.py --families bbob-5 --methods default polishing --seeds 2 --workers 2
    python experiments/ablate.py --table                      # what is finished so far; runs nothing

The problems are a part of the development suite (suites.py); seed s, 0 to 9, is instance 16 + s of COCO and PBO, which
suites.py does not have. Each variant is compared with the default on the same problems and seeds: by how many decades
its gap is higher, and by Wilcoxon's signed-rank test of that. Where a mechanism cannot act, nothing is run.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from functools import partial

import numpy as np
from scipy import stats

from harness.contest import Experiment, contest
from harness.methods.ablated import (
    Ablated,
    among_categoricals,
    among_few_numbers,
    among_numbers,
    among_real_numbers,
    in_shared_bins,
    no_change_of_units,
    no_coin,
    no_density,
    no_directions,
    no_exploration,
    no_growth,
    no_guests,
    no_inheritance,
    no_main_effects,
    no_mutation,
    no_polishing,
    no_polishing_of_all,
    no_resolution,
    no_restarts,
    no_spans,
    no_tail,
)
from harness.methods.method import Entry
from harness.search import Line, Task
from harness.standings import EQUAL
from harness.suites.coco import Bbob, MixedInteger
from harness.suites.pbo import PseudoBoolean
from harness.tables import Table
from rembo.arrays import Array
from rembo.problems import Padded, Problem, Subspace

SEEDS = 10
FIRST_INSTANCE = 16
EVALUATIONS = 200
HIDDEN_DIM, AMBIENT_DIM, BITS = 5, 1000, 64
FUNCTIONS = (2, 8, 15, 21)  # separable, a valley, multimodal with global structure, and without


def bbob(seed: int, function: int, dim: int) -> Problem:
    """A function of bbob."""
    return Bbob(function, dim, FIRST_INSTANCE + seed)


def mixint(seed: int, function: int, dim: int) -> Problem:
    """A function of bbob-mixint."""
    return MixedInteger(function, dim, FIRST_INSTANCE + seed)


def hidden(seed: int, function: int, dim: int) -> Problem:
    """A function of bbob among coordinates that do not matter."""
    return Padded(Bbob(function, HIDDEN_DIM, FIRST_INSTANCE + seed), dim, seed)


def subspace(seed: int, function: int, dim: int) -> Problem:
    """A function of bbob along random directions."""
    return Subspace(Bbob(function, HIDDEN_DIM, FIRST_INSTANCE + seed), dim, seed)


def pbo(seed: int, name: str) -> Problem:
    """A problem of PBO."""
    return PseudoBoolean(name, BITS, FIRST_INSTANCE + seed)


FAMILIES = {"bbob-5": bbob, "bbob-20": bbob, "hidden-1000": hidden, "subspace-1000": subspace, "mixint-40": mixint}
TASKS = {
    f"{family}-f{function:02d}": Task(
        f"{family} f{function}",
        partial(make, function=function, dim=int(family.rpartition("-")[2])),
        EVALUATIONS,
        family,
    )
    for family, make in FAMILIES.items()
    for function in FUNCTIONS
} | {f"pbo-64-{name.lower()}": Task(name, partial(pbo, name=name), EVALUATIONS, "pbo-64") for name in ("LABS", "MIS")}
METHODS = {
    "default": Entry("rembo", Ablated),
    "alone": Entry("without bins of their own for few numbers", partial(Ablated, {"alone": 0}, acts=among_few_numbers)),
    "growth": Entry("without growth", partial(Ablated, replaced=no_growth, acts=in_shared_bins)),
    "resolution": Entry(
        "without a bin each at once where parameters are few",
        partial(Ablated, replaced=no_resolution, acts=in_shared_bins),
    ),
    "spans": Entry("without variances in what matters", partial(Ablated, replaced=no_spans, acts=in_shared_bins)),
    "density": Entry(
        "without other growth where all matters", partial(Ablated, replaced=no_density, acts=in_shared_bins)
    ),
    "effects": Entry("without main effects", partial(Ablated, replaced=no_main_effects)),
    "directions": Entry("without directions", partial(Ablated, replaced=no_directions, acts=among_real_numbers)),
    "polishing": Entry("without polishing", partial(Ablated, replaced=no_polishing, acts=among_numbers)),
    "polishing-all": Entry(
        "without polishing of what does not matter", partial(Ablated, replaced=no_polishing_of_all, acts=among_numbers)
    ),
    "exploration": Entry("without exploration", partial(Ablated, replaced=no_exploration, acts=in_shared_bins)),
    "coin": Entry("without polishing on the toss of a coin", partial(Ablated, replaced=no_coin, acts=among_numbers)),
    "restarts": Entry("without restarts", partial(Ablated, replaced=no_restarts, acts=in_shared_bins)),
    "inheritance": Entry(
        "without inheritance among restarts", partial(Ablated, replaced=no_inheritance, acts=in_shared_bins)
    ),
    "guests": Entry(
        "without polishing in the turn of another restart", partial(Ablated, replaced=no_guests, acts=in_shared_bins)
    ),
    "mutation": Entry("without steps that need no model", partial(Ablated, replaced=no_mutation, acts=among_numbers)),
    "tail": Entry("without the drawn-in tail", partial(Ablated, replaced=no_tail)),
    "units": Entry("without new units for values", partial(Ablated, replaced=no_change_of_units)),
    "reach": Entry("without a box around the incumbent", partial(Ablated, {"reach": 2e3}, acts=among_numbers)),
    "margin": Entry(
        "without the margin among categoricals", partial(Ablated, {"margin": 0.0}, acts=among_categoricals)
    ),
}
EXPERIMENT = Experiment("ablate", TASKS, METHODS, seeds=SEEDS, most_seeds=SEEDS)

LEGEND = """\
# What each mechanism is worth

A mechanism of the default is taken away, all else stays. Decades: the mean of log10 of the gap without it over the gap
with it, on the same problems and seeds; positive if the mechanism helps. Gaps below 1e-8 are equal. p: Wilcoxon's
signed-rank test of these logarithms, not corrected for the number of rows; empty where no pair differs. Better and
worse count the pairs on which the mechanism helps and harms. Written by `python experiments/ablate.py --table` from
`ablate.jsonl`."""


def present(experiment: Experiment) -> None:
    """Print a table for each family and one of all, and write them to results/ablate.md."""
    page = [LEGEND]
    for family in (*experiment.families, "all families"):
        table = compared(experiment, family)
        if table.rows:
            print(f"{family}\n{table}\n")
            page += [f"## {family}", table.markdown]
    (experiment.results / f"{experiment.name}.md").write_text("\n\n".join(page) + "\n")


def compared(experiment: Experiment, family: str) -> Table:
    """A row for each variant that has pairs with the default, those that cost most first."""
    lines = [line for line in experiment.lines if family in (experiment.tasks[line.problem].family, "all families")]
    rows = [(name, decades(lines, name)) for name in experiment.methods if name != "default"]
    rows = sorted((row for row in rows if len(row[1])), key=lambda row: -float(row[1].mean()))
    return Table(
        ["taken away", "pairs", "decades", "p", "better", "worse"],
        [[experiment.methods[name].title, *_cells(found)] for name, found in rows],
    )


def decades(lines: list[Line], variant: str) -> Array:
    """log10 of the variant's gap over the default's on each pair of problem and seed that both finished."""
    gaps = {(line.method, line.problem, line.seed): max(line.gap, EQUAL) for line in lines}
    pairs = [key[1:] for key in gaps if key[0] == variant and ("default", *key[1:]) in gaps]
    return np.array([np.log10(gaps[variant, *pair] / gaps["default", *pair]) for pair in pairs])


def _cells(found: Array) -> list[str]:
    differs = found[found != 0.0]
    p = f"{stats.wilcoxon(differs).pvalue:.2g}" if len(differs) else ""
    better, worse = np.count_nonzero(found > 0.0), np.count_nonzero(found < 0.0)
    return [str(len(found)), f"{found.mean():+.3f}", p, str(better), str(worse)]


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
