"""What else could be done where parameters are categorical: variants of the default on discrete and mixed problems.

    python experiments/choices.py --methods default margin-0 --problems sparse-bits --seeds 8 --workers 1
    python experiments/choices.py --table                     # what is finished so far; runs nothing

The margin's rule was chosen by these searches, so their seeds are those that no report has: 100 and up for problems and
searches, instances 16 and up of PBO. lp_solve is that of the corridor looked at.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ablate import compared, pbo
from harness.contest import Experiment, contest
from harness.methods import RANDOM
from harness.methods.ablated import Ablated
from harness.methods.local_search import SparseMutation
from harness.methods.method import Entry
from harness.methods.tried import all_settings, forest, margin_always, margin_at_once, mutations
from harness.search import Task, search_seed
from harness.tables import Table
from peers import in_full
from rembo.arrays import Array
from rembo.problems import BinaryQuadratic, Branin, CategoryTable, Hartmann6, Padded, Problem, SparseBits
from rembo.problems.lpsolve import READY, Iterations, LpSolve
from rembo.space import Box, Space

SEEDS, ALL_SEEDS, FIRST_SEED, EVALUATIONS = 10, 16, 100, 200


@dataclass(frozen=True)
class Bowl:
    """The squared distance from a place that the seed draws."""

    dim: int
    seed: int
    optimum: float = 0.0

    @property
    def space(self) -> Box:
        """[-1,1]^dim."""
        return Box(self.dim)

    @cached_property
    def bottom(self) -> Array:
        """The place, (dim,)."""
        return np.random.default_rng((self.seed, 40)).uniform(-0.8, 0.8, self.dim)

    def __call__(self, x: Any) -> float:
        """The value at x, (dim,)."""
        return float(((np.asarray(x) - self.bottom) ** 2).sum())


@dataclass(frozen=True)
class Mixed:
    """A function of categoricals plus one of numbers, u."""

    categoricals: Any
    numbers: Any

    @property
    def space(self) -> Space:
        """The categoricals, then the numbers."""
        return Space({**self.categoricals.space.parameters, "u": self.numbers.space})

    @property
    def optimum(self) -> float:
        """The sum of both."""
        return float(self.categoricals.optimum + self.numbers.optimum)

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The sum of both."""
        return float(self.categoricals(x) + self.numbers(x["u"]))


def bits_and_bowl(seed: int) -> Mixed:
    """40 bits, eight of which act together, and three numbers."""
    return Mixed(SparseBits(40, 8, seed), Bowl(3, seed))


def table_and_hartmann(seed: int) -> Mixed:
    """Five categoricals, all of which matter, and 20 numbers, six of which do."""
    return Mixed(CategoryTable(5, 3, None, seed), Padded(Hartmann6(), 20, seed))


def table_and_branin(seed: int) -> Mixed:
    """Ten categoricals, three of which matter, and 20 numbers, two of which do."""
    return Mixed(CategoryTable(10, 4, 3, seed), Padded(Branin(), 20, seed))


def seeded(make: Callable[..., Problem], seed: int) -> Problem:
    """A problem of a seed that no report has."""
    return make(seed=FIRST_SEED + seed)


def configured(seed: int) -> LpSolve:
    """The corridor looked at."""
    return LpSolve(READY, Iterations(2000))


def development_seed(seed: int) -> int:
    """The seed of a search that no report has."""
    return search_seed(FIRST_SEED + seed)


MAKERS: dict[str, tuple[str, str, Callable[..., Problem]]] = {
    "sparse-bits": ("bits", "SparseBits, 50, 10 active", partial(SparseBits, 50, 10)),
    "bits-50": ("bits", "BinaryQuadratic, 50", partial(BinaryQuadratic, 50)),
    "categories": ("categories", "CategoryTable, 20 x 5", partial(CategoryTable, 20, 5, None)),
    "sparse-categories": ("categories", "CategoryTable, 20 x 5, 4 active", partial(CategoryTable, 20, 5, 4)),
    "mixed": ("mixed", "40 bits, 8 active, and a bowl of 3 numbers", bits_and_bowl),
    "mixed-hartmann": ("mixed", "CategoryTable, 5 x 3, and Hartmann6 in D = 20", table_and_hartmann),
    "mixed-branin": ("mixed", "CategoryTable, 10 x 4, 3 active, and Branin in D = 20", table_and_branin),
}
TASKS = (
    {name: Task(title, partial(seeded, make), EVALUATIONS, family) for name, (family, title, make) in MAKERS.items()}
    | {
        f"pbo-{name.lower()}": Task(name, partial(pbo, name=name), EVALUATIONS, "pbo-64")
        for name in ("LABS", "IsingRing", "MIS", "LeadingOnes", "NQueens")
    }
    | {"lp-solve": Task("lp_solve, corridor looked at", configured, EVALUATIONS, "lp_solve")}
)
METHODS = {
    "default": Entry("rembo", Ablated),
    "margin-0": Entry("no margin", partial(Ablated, {"margin": 0.0})),
    "margin-at-once": Entry("the margin of ADR 16", partial(Ablated, replaced=margin_at_once)),
    "margin-always": Entry(
        "the margin at once wherever there is a categorical", partial(Ablated, replaced=margin_always)
    ),
    "settings": Entry("all settings of the categoricals that matter most", partial(Ablated, replaced=all_settings)),
    "mutations": Entry("mutations where progress stalls", partial(Ablated, replaced=mutations)),
    "forest": Entry("a forest of trees where progress stalls", partial(Ablated, replaced=forest)),
    "mutation": Entry("(1+1), sparse mutation", SparseMutation),
    "random": RANDOM,
}
EXPERIMENT = Experiment(
    "ablate_choices", TASKS, METHODS, seeds=SEEDS, most_seeds=ALL_SEEDS, search_seed=development_seed
)

LEGEND = """\
# What was tried where parameters are categorical

Variants of the default, the (1+1) evolution strategy and random search, on development seeds. First, for each family,
decades: the mean of log10 of a variant's gap over the default's on the same problems and seeds; positive if the default
is ahead. Gaps below 1e-8 are equal; p is Wilcoxon's signed-rank test, not corrected for the number of rows. Better and
worse count the pairs on which the default is. Last, the gaps themselves: instances of PBO differ in scale, so means of
different seeds do not compare. Written by
`python experiments/choices.py --table` from `ablate_choices.jsonl`; ADR 23 says what follows."""


def present(experiment: Experiment) -> None:
    """Print and write a comparison for each family, and the gaps of every problem."""
    families = {family: beside_default(experiment, family) for family in (*experiment.families, "all families")}
    sections = {family: table for family, table in families.items() if table.rows} | {"gaps": in_full(experiment)}
    page = [LEGEND, *(f"## {title}\n\n{table.markdown}" for title, table in sections.items())]
    print("\n\n".join(f"{title}\n{table}" for title, table in sections.items()))
    (experiment.results / f"{experiment.name}.md").write_text("\n\n".join(page) + "\n")


def beside_default(experiment: Experiment, family: str) -> Table:
    """A row for each variant, those farthest behind the default first."""
    table = compared(experiment, family)
    return Table(["variant", *table.head[1:]], table.rows)


if __name__ == "__main__":
    raise SystemExit(contest(EXPERIMENT, __doc__, present))
