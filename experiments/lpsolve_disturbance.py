"""What it costs lp_solve under a limit of seconds that another one runs beside it, one on each core.

    python experiments/lpsolve_disturbance.py

The same random configurations are run three times: alone, alone again, and one on each core. Gaps that differ between
the first two differ by themselves: lp_solve seeds its random numbers by the clock.
"""

import os
import resource
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lpsolve_timed
import rembo
from harness.folders import RESULTS
from harness.measured import digits, keep
from rembo.problems.lpsolve import SPACE

CONFIGURATIONS = 16


@dataclass(frozen=True)
class Run:
    """The gap of one run, and the CPU seconds that lp_solve got."""

    gap: float
    cpu_s: float


def run(configuration: Mapping[str, Any]) -> Run:
    """One run on the corridor that was looked at."""
    problem, before = lpsolve_timed.TASKS["looked-at"].instance(0), children_cpu()
    return Run(problem(configuration), children_cpu() - before)


def children_cpu() -> float:
    """The CPU seconds of all children of this process that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def at_a_time(workers: int, configurations: Sequence[Mapping[str, Any]]) -> list[Run]:
    """The runs of these, so many at a time."""
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(run, configurations))


def configurations(count: int) -> list[Mapping[str, Any]]:
    """The first points of a random search."""
    search = rembo.RandomSearch(SPACE, seed=0)
    return [search.ask().x for _ in range(count)]


def differing(first: Sequence[Run], second: Sequence[Run]) -> int:
    """How many gaps are not the same."""
    return sum(one.gap != other.gap for one, other in zip(first, second, strict=True))


def main(count: int = CONFIGURATIONS, folder: Path = RESULTS) -> None:
    """Run, print and keep."""
    tried, cores = configurations(count), os.cpu_count() or 1
    alone, again, beside = (at_a_time(workers, tried) for workers in (1, 1, cores))
    measured: dict[str, Any] = {
        "configurations": count,
        "at_a_time": cores,
        "gaps_that_differ_alone": differing(alone, again),
        "gaps_that_differ_beside": differing(alone, beside),
        "mean_gap": [digits(float(np.mean([each.gap for each in runs]))) for runs in (alone, again, beside)],
        "mean_cpu_s": [digits(float(np.mean([each.cpu_s for each in runs]))) for runs in (alone, again, beside)],
    }
    keep("lpsolve_disturbance", folder, **measured)
    print(measured)


if __name__ == "__main__":
    main()
