"""The part of experiments/README.md that shows results: a row for each claim of the paper, and the figures.

    python experiments/overview.py

Reads what the other scripts have recorded and runs nothing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import bodyparts
import discrete_branin
import lpsolve
import lpsolve_timed
import standard
import table1
from harness.contest import Experiment
from harness.methods.panels import PANELS, SINGLE, TURNS
from harness.report import by_method, gaps, in_panel
from harness.search import Line
from harness.statistics import Summary
from harness.tables import Table

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- what overview.py writes begins here -->", "<!-- and ends here -->"
NOTHING = "not run yet"


@dataclass(frozen=True)
class Claim:
    """What the paper says of some searches of an experiment, and how to say what ours found."""

    what: str
    paper: str
    experiment: Experiment
    problem: str
    ours: Callable[[Experiment, str], str]
    methods: Sequence[str]

    @property
    def row(self) -> list[str]:
        """Claim, paper, ours, seeds, command, CPU time."""
        lines = [each for each in self.experiment.lines if each.problem == self.problem and each.method in self.methods]
        ours = self.ours(self.experiment, self.problem) if lines else NOTHING
        return [self.what, self.paper, ours, seeds(lines), f"`{self.experiment.name}.py`", minutes(lines)]


def order(experiment: Experiment, problem: str, panel: str = "") -> str:
    """The methods of a panel from the lowest mean gap to the highest; those of the same mean stand together."""
    labels: dict[float, list[str]] = {}
    for label, summary in in_panel(experiment, problem, panel).items():
        labels.setdefault(summary.mean, []).append(label)
    return " < ".join(f"{', '.join(labels[mean])} {mean:.2g}" for mean in sorted(labels))


def cell(experiment: Experiment, problem: str, name: str) -> str:
    """Mean and standard deviation of one cell of Table 1."""
    found = Summary(gaps(by_method(experiment, problem)[experiment.methods[name].title]))
    return f"{found.mean:.2g} ± {found.std:.2g}"


def equality(experiment: Experiment, problem: str) -> str:
    """Whether REMBO's gaps in 25 and in 10^9 dimensions can be told apart."""
    p = standard.equality(experiment, "rembo")
    return NOTHING if p is None else f"Kolmogorov-Smirnov test, p = {p:.2g}"


def seeds(lines: Sequence[Line]) -> str:
    """How many seeds the methods have: one number, or the least and the most."""
    numbers = sorted({sum(line.method == name for line in lines) for name in {line.method for line in lines}})
    return " to ".join(dict.fromkeys(str(number) for number in (numbers[:1] + numbers[-1:])))


def minutes(lines: Sequence[Line]) -> str:
    """The CPU time of all searches, without that of programs that f runs."""
    return f"{sum(line.cpu_s for line in lines) / 60.0:.0f} min" if lines else ""


def table_cell(k: int, d: int, column: str) -> Claim:
    """A cell of Table 1."""
    printed, name = table1.PAPER[k, d], table1.name_of(k, d, column)
    what = f"Table 1, k = {k}, d = {d}, {table1.COLUMNS[column].heading}"
    paper = f"{printed.mean:.4f} ± {printed.std:.4f}"
    return Claim(what, paper, table1.EXPERIMENT, table1.PROBLEM, partial(cell, name=name), [name])


def panel_of(experiment: Experiment, problem: str, panel: str, paper: str) -> Claim:
    """Single or interleaved runs on a problem."""
    names = [name for name, entry in experiment.methods.items() if entry.panel == panel]
    what = f"{experiment.tasks[problem].title}, {panel}"
    return Claim(what, paper, experiment, problem, partial(order, panel=panel), names)


CURVES, GRID, BODY = standard.EXPERIMENT, discrete_branin.EXPERIMENT, bodyparts.EXPERIMENT
COUNTED, TIMED = lpsolve.EXPERIMENT, lpsolve_timed.EXPERIMENT
SOLVER = "SMAC, REMBO < random search, BO"
CLAIMS = (
    table_cell(4, 2, "released"),
    table_cell(1, 4, "released"),
    table_cell(4, 2, "unprojected-y"),
    table_cell(1, 4, "unprojected-y"),
    table_cell(4, 2, "unprojected-ours"),
    table_cell(1, 4, "unprojected-ours"),
    table_cell(4, 2, "projected-y"),
    table_cell(1, 4, "projected-y"),
    Claim("Branin, D = 25", "HD BO < REMBO < BO, random search", CURVES, "branin-25", order, [*CURVES.methods]),
    Claim("the same, rotated", "REMBO < BO, random search < HD BO", CURVES, "rotated-25", order, [*CURVES.methods]),
    Claim("the same, D = 10^9", "REMBO < random search", CURVES, "branin-1e9", order, [*CURVES.methods]),
    Claim("REMBO in D = 10^9 against D = 25", "just as well", CURVES, "branin-1e9", equality, ["rembo"]),
    *(
        Claim(task.title, "REMBO < random search < BO", GRID, problem, order, [*GRID.methods])
        for problem, task in GRID.tasks.items()
    ),
    *(panel_of(COUNTED, problem, panel, SOLVER) for problem in COUNTED.tasks for panel in PANELS),
    *(Claim(task.title, SOLVER, TIMED, problem, order, [*TIMED.methods]) for problem, task in TIMED.tasks.items()),
    panel_of(BODY, "bodyparts", SINGLE, "BO < REMBO < random search"),
    panel_of(BODY, "bodyparts", TURNS, "BO, REMBO < random search"),
)


def overview(claims: Sequence[Claim] = CLAIMS) -> str:
    """The table of claims, then the figures and tables of the experiments that were run."""
    head = ["what", "paper", "ours: mean gap", "seeds", "command", "CPU time"]
    experiments = {claim.experiment.name: claim.experiment for claim in claims if claim.experiment.lines}
    return "\n\n".join([Table(head, [claim.row for claim in claims]).markdown, *map(shown, experiments.values())])


def shown(experiment: Experiment) -> str:
    """A link to the experiment's tables, and its figure if it has one."""
    tables = f"[{experiment.name}: every method and test](results/{experiment.name}.md)"
    figure = f"![{experiment.name}](figures/{experiment.name}.svg)"
    return f"{figure}\n\n{tables}" if (experiment.figures / f"{experiment.name}.svg").exists() else tables


def written(text: str, part: str) -> str:
    """The page with its part exchanged."""
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    if not re.search(pattern, text, flags=re.DOTALL):
        raise ValueError(f"{README} has no part between {BEGIN!r} and {END!r}: put both lines where it belongs")
    return re.sub(pattern, lambda _: f"{BEGIN}\n\n{part}\n\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    README.write_text(written(README.read_text(), overview()))
