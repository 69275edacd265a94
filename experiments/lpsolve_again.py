"""Whether lp_solve finds again in five seconds what it found with the best configurations of lpsolve_timed.py.

    python experiments/lpsolve_again.py

What lp_solve finds in five seconds differs from run to run, and the gap of a search is the lowest of a hundred runs: it
may be luck that the configuration does not have again. Each search's best configuration is run three times more, one
run on each core; nothing else should run.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import lpsolve_timed
from harness.contest import Experiment
from harness.measured import keep
from harness.search import Line, six_digits
from harness.tables import Table

RUNS = 3
NAME = "lpsolve_again"
HEAD = ["corridor", "method", "searches", "runs again", "mean found", "mean again", "worst again", "never worse"]


@dataclass(frozen=True)
class Again:
    """A search, and the gaps of further runs of its best configuration."""

    search: Line
    gaps: Sequence[float]

    @property
    def never_worse(self) -> bool:
        """Whether every run is as good as the search says."""
        return max(self.gaps) <= self.search.gap


def run(experiment: Experiment, times: int, search: Line) -> Again:
    """Run the best configuration of a search so many times."""
    problem = experiment.tasks[search.problem].instance(search.seed)
    return Again(search, [six_digits(problem(search.best)) for _ in range(times)])  # as the search's own gap


def table(experiment: Experiment, found: Sequence[Again]) -> Table:
    """A row for each method on each corridor."""
    rows = []
    for problem in experiment.tasks:
        for name, entry in experiment.methods.items():
            if of := [each for each in found if (each.search.problem, each.search.method) == (problem, name)]:
                rows.append([problem, entry.label, *_statistics(of)])
    return Table(HEAD, rows)


def _statistics(found: Sequence[Again]) -> list[str]:
    before, again = [each.search.gap for each in found], [each.gaps for each in found]
    gaps = [f"{gap:.2g}" for gap in (np.mean(before), np.mean(again), np.max(again))]
    return [str(len(found)), str(np.size(again)), *gaps, str(sum(each.never_worse for each in found))]


def as_json(found: Sequence[Again]) -> Mapping[str, Any]:
    """A line for each search: its gap, and those of the further runs."""
    return {
        f"{each.search.problem}, {each.search.method}, seed {each.search.seed}": [each.search.gap, *each.gaps]
        for each in found
    }


def present(experiment: Experiment, found: Sequence[Again]) -> None:
    """Print the table, and keep it and the gaps."""
    told = table(experiment, found)
    page = f"# {lpsolve_timed.TITLE}: the best configurations run again\n\n{told.markdown}\n"
    print(told)
    keep(NAME, experiment.results, **as_json(found))
    (experiment.results / f"{NAME}.md").write_text(page)


def main(experiment: Experiment = lpsolve_timed.EXPERIMENT, runs: int = RUNS) -> None:
    """Run the best configuration of every finished search again."""
    searches = [line for line in experiment.lines if line.best]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(partial(run, experiment, runs), searches))
    present(experiment, found)


if __name__ == "__main__":
    main()
