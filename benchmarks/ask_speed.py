"""Milliseconds per ask after 500 observations on one core, d = 2..6; and seconds for 500 evaluations with k = 4."""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded

import time
from dataclasses import replace

import numpy as np

import rembo
from rembo.problems import Branin, Padded
from results import save

N_OBSERVED, N_ASKS = 500, 25
MAXIMIZERS = {
    "Ascent()": rembo.Ascent(),
    "BestOf(Direct(), CMAES())": rembo.BestOf(rembo.Direct(), rembo.CMAES()),
}
KERNELS = {"SE on y": None, "Matern-5/2 on image": rembo.Matern52(on=rembo.Image())}


def ask_milliseconds(d: int, kernel: rembo.Matern52 | None, maximizer: rembo.Ascent | rembo.BestOf) -> float:
    """The median time of an ask from a search that has made 500 evaluations of its own."""
    problem = Padded(Branin(), 1000, seed=0)
    learning = rembo.Schedule(every=100)
    grown = rembo.Rembo(
        problem.space, d, kernel=kernel, learning=learning, maximizer=rembo.Ascent(64, 64, 2, 5), seed=0
    )
    for _ in range(N_OBSERVED):
        trial = grown.ask()
        grown.tell(trial, problem(trial.x))
    run = grown.runs[0]
    run.parts = replace(run.parts, maximizer=maximizer)
    _ = run.state  # what was told is learned before the clock starts
    seconds = []
    for number in range(N_ASKS):
        started = time.perf_counter()
        run.suggest(np.zeros((0, d)), np.random.default_rng(number))
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds) * 1e3)


def whole_search_seconds() -> float:
    """500 evaluations of Branin in D = 25 with k = 4, d = 2: all that the library does, in seconds."""
    problem = Padded(Branin(), 25, seed=0)
    started = time.perf_counter()
    rembo.minimize(problem, problem.space, 500, optimizer=rembo.Rembo(problem.space, 2, runs=4, seed=0))
    return time.perf_counter() - started


def main() -> None:
    """Measure every combination."""
    medians = {
        f"{label}, {name}, d={d}": ask_milliseconds(d, kernel, maximizer)
        for label, kernel in KERNELS.items()
        for name, maximizer in MAXIMIZERS.items()
        for d in (2, 3, 4, 5, 6)
    }
    save("ask_speed", ask_ms_median_at_n_500=medians, seconds_500_evaluations_k4_d2=whole_search_seconds())


if __name__ == "__main__":
    main()
