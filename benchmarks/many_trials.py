"""What an ask of the default costs when thousands of evaluations were told: the model sees a bounded part of them."""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import time

import numpy as np

import rembo
from rembo.problems import Hartmann6, Levy, Padded, Shifted
from results import save

N_TRIALS, LAST = 2000, 100
PROBLEMS = {
    "Hartmann6, D = 1000": Padded(Hartmann6(), 1000, seed=0),
    "Levy, D = 100, all active": Shifted(Levy(100), seed=0),
}


def seconds(problem: Padded | Shifted) -> list[float]:
    """From each evaluation to the next: telling, learning and asking."""
    optimizer = rembo.Growing(problem.space, seed=0)
    taken = []
    for _ in range(N_TRIALS):
        start = time.perf_counter()
        trial = optimizer.ask()
        taken.append(time.perf_counter() - start)
        optimizer.tell(trial, problem(trial.x))
    return taken


def main() -> None:
    """The last asks of two searches: one that resolves quickly, and one in which every parameter matters."""
    measured = {}
    for name, problem in PROBLEMS.items():
        taken = seconds(problem)
        last = np.array(taken[-LAST:])
        measured[name] = {
            "median_s": float(np.median(last)),
            "mean_s": float(last.mean()),
            "worst_s": float(last.max()),
            "all_s": float(np.sum(taken)),
        }
    save("many_trials", trials=N_TRIALS, last=LAST, **measured)


if __name__ == "__main__":
    main()
