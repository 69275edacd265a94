"""Who is ahead on a suite: ranks, first places, and the share of targets reached, as COCO has it (Hansen et al. 2021).

Methods are compared on what all of them finished: pairs of a problem and a seed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from harness.contest import Experiment
from harness.search import Line
from harness.statistics import curves
from rembo.arrays import Array

EQUAL = 1e-8  # gaps below this are solved, and equally well
TARGETS = np.logspace(2.0, -8.0, 51)


@dataclass(frozen=True)
class Met:
    """The finished searches of each method on the pairs of problem and seed that all finished, in the same order."""

    lines: Mapping[str, Sequence[Line]]
    finished: Mapping[str, int]  # searches of each method, also of pairs that others have not finished

    @property
    def pairs(self) -> int:
        """How many."""
        return min(map(len, self.lines.values()), default=0)

    @property
    def ranks(self) -> dict[str, Array]:
        """The rank of each method on each pair, (pairs,): 1 is the lowest gap, and ties share the mean of theirs."""
        gaps = np.array([[line.gap for line in lines] for lines in self.lines.values()])
        ranked = stats.rankdata(np.maximum(gaps, EQUAL), axis=0) if self.pairs else gaps
        return dict(zip(self.lines, ranked, strict=True))

    @property
    def firsts(self) -> dict[str, int]:
        """On how many pairs no method has a lower gap than this one."""
        lowest = np.min(list(self.ranks.values()), axis=0)
        return {name: int(np.sum(rank == lowest)) for name, rank in self.ranks.items()}

    @property
    def seconds(self) -> dict[str, float]:
        """The median CPU seconds of a search."""
        return {name: float(np.median([line.cpu_s for line in lines])) for name, lines in self.lines.items() if lines}

    def shares(self, n_trials: int) -> dict[str, Array]:
        """The share of pairs and targets reached after each evaluation, (n_trials,)."""
        return {name: share_of_targets(lines, n_trials) for name, lines in self.lines.items()}


def met(experiment: Experiment, family: str, methods: Collection[str] | None = None) -> Met:
    """The methods, all unless told, that finished a search of a family, on what all of them finished."""
    found = {line.key: line for line in experiment.lines if family_of(experiment, line) == family}
    grouped = {
        name: {(key.problem, key.seed): line for key, line in found.items() if key.method == name}
        for name in experiment.methods
        if methods is None or name in methods
    }
    present = {name: lines for name, lines in grouped.items() if lines}
    common = sorted(set.intersection(*(set(lines) for lines in present.values()))) if present else []
    return Met(
        {name: [lines[pair] for pair in common] for name, lines in present.items()},
        {name: len(lines) for name, lines in present.items()},
    )


def meetings(experiment: Experiment, family: str) -> list[Met]:
    """All methods; and where some have fewer searches than the default, the others, who met on more pairs."""
    everyone = met(experiment, family)
    fewest = min(everyone.finished.values(), default=0)
    others = [name for name, searches in everyone.finished.items() if searches > fewest]
    found = [everyone, met(experiment, family, others)] if "default" in others else [everyone]
    return [meeting for meeting in found if meeting.pairs]


def family_of(experiment: Experiment, line: Line) -> str | None:
    """The family of the problem that was searched, or None where the experiment no longer has it."""
    task = experiment.tasks.get(line.problem)
    return None if task is None else task.family


def share_of_targets(lines: Sequence[Line], n_trials: int) -> Array:
    """The share of (search, target) that are reached after each evaluation, (n_trials,)."""
    gaps = curves(lines, n_trials)
    return np.asarray((gaps[:, :, None] <= TARGETS).mean(axis=(0, 2)))
