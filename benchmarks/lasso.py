"""The default on a sparse regression whose penalties, one for each feature, are its parameters: value over oracle.

The settings are LassoBench's (100 features, 5 active; 300, 15), the data are our own draws, so published ratios compare
in kind only. Seeds are 0 and 1, fixed before looking: each search takes minutes.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: searches run in parallel

from concurrent.futures import ProcessPoolExecutor

import numpy as np

import rembo
from rembo.problems import SparseRegression
from results import save

CASES = ((100, 5), (300, 15))
SEEDS, N_TRIALS, MARKS = (0, 1), 1000, (100, 300, 1000)


def search(case: tuple[int, int, int]) -> dict[str, float]:
    """The best value over the oracle's after each mark."""
    features, active, seed = case
    problem = SparseRegression(features, active, seed=seed)
    result = rembo.minimize(problem, problem.space, N_TRIALS, seed=seed, progress=False)
    best = np.minimum.accumulate([trial.value for trial in result.trials]) / problem.oracle
    return {
        "at the centre": float(result.trials[0].value / problem.oracle),
        **{str(m): float(best[m - 1]) for m in MARKS},
    }


def main() -> None:
    """All cases and seeds."""
    cases = [(features, active, seed) for features, active in CASES for seed in SEEDS]
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(search, cases))
    named = {f"{f} features, {a} active, seed {s}": ratios for (f, a, s), ratios in zip(cases, found, strict=True)}
    save("lasso", value_over_oracle=named)


if __name__ == "__main__":
    main()
