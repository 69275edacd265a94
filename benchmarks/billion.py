"""Branin at two of 10^9 coordinates, Rembo(embedding_dim=2, runs=4), 100 evaluations: memory, and time against D = 25.

The two searches take turns in one process, ask by ask and each first every other time, so that a noisy machine disturbs
both alike; being bit-identical (Theorem 4) they do the same work. Memory is the peak of the whole process.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded

import resource
import time

import numpy as np

import rembo
from rembo.problems import Branin
from results import save

N_TRIALS = 100
SMALL, LARGE = 25, 10**9
BRANIN = Branin()


def f(x: rembo.Point) -> float:
    """Branin at coordinates 3 and 17, which both spaces have."""
    return BRANIN(x[[3, 17]].tolist())


def timed_step(optimizer: rembo.Optimizer) -> tuple[float, float]:
    """Seconds of one ask, and the value told."""
    started = time.perf_counter()
    trial = optimizer.ask()
    seconds = time.perf_counter() - started
    value = f(trial.x)
    optimizer.tell(trial, value)
    return seconds, value


def in_turn(small: rembo.Optimizer, large: rembo.Optimizer, large_first: bool) -> tuple[tuple[float, float], ...]:
    """A step of each: (small's, large's)."""
    if large_first:
        return tuple(reversed((timed_step(large), timed_step(small))))
    return timed_step(small), timed_step(large)


def main() -> None:
    """Run both searches side by side."""
    small, large = (rembo.Rembo(rembo.Box(D), embedding_dim=2, runs=4, seed=0) for D in (SMALL, LARGE))
    rembo.minimize(f, rembo.Box(SMALL), 3, seed=1)  # SciPy's modules are loaded by the first asks
    steps = [in_turn(small, large, large_first=bool(number % 2)) for number in range(N_TRIALS)]
    at_small, at_large = (np.array([step[side][0] for step in steps]) for side in (0, 1))
    identical = all(first[1] == second[1] for first, second in steps)
    save(
        "billion",
        evaluations=N_TRIALS,
        gap=large.best_trial.value - BRANIN.optimum,
        values_identical_at_both_D=identical,
        peak_rss_MB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        ask_ms_median={"D=25": float(np.median(at_small) * 1e3), "D=1e9": float(np.median(at_large) * 1e3)},
        ask_ratio_of_medians=float(np.median(at_large) / np.median(at_small)),
        ask_ratio_of_totals=float(at_large.sum() / at_small.sum()),
    )


if __name__ == "__main__":
    main()
