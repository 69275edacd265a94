"""Which parameters of lp_solve matter: what the default optimizer has learned, beside changing one at a time.

    python experiments/lpsolve_importance.py

Importance is a parameter's share of the gap's variation around the best configuration of a search, here the mean over
the first seeds of lpsolve.py, on the corridor that was looked at. Changes of one parameter are made from the best
configuration of those searches and from lp_solve's own default, 59 runs each: they say nothing of interactions.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # as in lpsolve.py, whose searches are made again

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import lpsolve
import rembo
from harness.folders import RESULTS
from harness.search import search_seed
from harness.tables import Table
from rembo.optimizer import Importance
from rembo.problems.lpsolve import SPACE, LpSolve, flip_each

SEEDS, SHOWN = 5, 15
TITLE = "# Which parameters of lp_solve matter"


@dataclass(frozen=True)
class Found:
    """What a search ended with: its best configuration, and what it takes for important."""

    gap: float
    best: Mapping[str, Any]
    shares: Mapping[str, float]


def found_by(seed: int, problem: LpSolve, n_trials: int) -> Found:
    """The search of that seed, made again."""
    optimizer = rembo.Growing(problem.space, seed=search_seed(seed))
    for _ in range(n_trials):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.x))
    best = optimizer.best_trial
    assert best.value is not None
    return Found(best.value, best.x, shares_of(optimizer.importance()))


def shares_of(groups: Sequence[Importance]) -> dict[str, float]:
    """The share of each parameter: each has a bin of its own here."""
    return {name: group.share / len(group.parameters) for group in groups for name in group.parameters}


def table(searches: Sequence[Found], from_best: Mapping[str, float], from_default: Mapping[str, float]) -> Table:
    """The parameters from the most important on."""
    shares = {name: np.array([each.shares[name] for each in searches]) for name in SPACE.parameters}
    order = sorted(shares, key=lambda name: -shares[name].mean())[:SHOWN]
    head = ["parameter", "share, mean", "lowest", "highest", "changed alone, from the best", "from the default"]
    rows = [
        [
            name,
            *(f"{100 * share:.0f} %" for share in (shares[name].mean(), shares[name].min(), shares[name].max())),
            f"{from_best[name]:.3f}",
            f"{from_default[name]:.3f}",
        ]
        for name in order
    ]
    return Table(head, rows)


def page(searches: Sequence[Found], problem: LpSolve) -> str:
    """The table, and where its changes start."""
    best = min(searches, key=lambda each: each.gap)
    from_best, from_default = flip_each(problem, best.best), flip_each(problem)
    words = (
        f"Shares over {len(searches)} searches of the default, {lpsolve.LIMIT.iterations:,} iterations a run. The best "
        f"configuration has gap {from_best.unchanged.gap:.3f}, lp_solve's own default "
        f"{from_default.unchanged.gap:.3f}; a change counts by how far it moves the gap, at most, up or down."
    )
    differs = ", ".join(
        f"{name} = {value}" for name, value in best.best.items() if value != (SPACE.default or {})[name]
    )
    effects = table(searches, from_best.effects, from_default.effects)
    return "\n\n".join([TITLE, words, effects.markdown, f"The best differs from the default in: {differs}."]) + "\n"


def main() -> None:
    """Make the searches again, change parameters, and write the page."""
    task = lpsolve.TASKS["looked-at"]
    problem = lpsolve.configured(lpsolve.READY, lpsolve.LIMIT, seed=0)
    text = page([found_by(seed, problem, task.n_trials) for seed in range(SEEDS)], problem)
    (RESULTS / "lpsolve_importance.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
