"""What the default finds per evaluation: gaps on hidden Branin and Hartmann6, 30 seeds each, all of them kept.

Seeds are 0 to 29, fixed before looking; each draws the coordinates or directions that matter, and the search.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: seeds run in parallel

import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import rembo
from rembo.problems import Branin, Hartmann6, Padded, Subspace
from results import save, summary

SEEDS = range(30)
PROBLEMS = {
    "Branin, D = 25": (Padded, Branin(), 25, (50, 100)),
    "Branin, D = 100": (Padded, Branin(), 100, (50, 100)),
    "Branin, D = 10^6": (Padded, Branin(), 10**6, (50, 100)),
    "Branin, D = 10^9": (Padded, Branin(), 10**9, (50, 100)),
    "rotated Branin, D = 25": (Subspace, Branin(), 25, (50, 100)),
    "Hartmann6, D = 100": (Padded, Hartmann6(), 100, (100, 200)),
    "Hartmann6, D = 1000": (Padded, Hartmann6(), 1000, (100, 200)),
    "Hartmann6, D = 10^9": (Padded, Hartmann6(), 10**9, (100, 200)),
    "Hartmann6 in a random subspace, D = 1000": (Subspace, Hartmann6(), 1000, (100, 200)),
}


def search(seed: int, name: str) -> tuple[list[float], float]:
    """The best gap after each evaluation, and the median milliseconds between two evaluations."""
    wrapper, function, ambient_dim, (_, n_trials) = PROBLEMS[name]
    problem = wrapper(function, ambient_dim, seed)
    finished: list[float] = []
    result = rembo.minimize(
        problem, problem.space, n_trials, seed=seed, callbacks=[lambda *_: finished.append(time.perf_counter())]
    )
    gaps = np.minimum.accumulate([trial.value for trial in result.trials]) - problem.optimum
    return gaps.tolist(), float(np.median(np.diff(finished)) * 1e3)


def main() -> None:
    """All problems, all seeds."""
    measured = {}
    with ProcessPoolExecutor() as pool:
        for name, (*_, marks) in PROBLEMS.items():
            curves, milliseconds = zip(*pool.map(partial(search, name=name), SEEDS), strict=True)
            at = {f"gap after {mark}": summary([curve[mark - 1] for curve in curves]) for mark in marks}
            measured[name] = {"ms_per_trial_median": float(np.median(milliseconds)), **at}
            print(name, {key: (at[key]["mean"], at[key]["median"], at[key]["worst"]) for key in at}, flush=True)
    save("quality", **measured)


if __name__ == "__main__":
    main()
