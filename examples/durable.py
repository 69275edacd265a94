"""A search that outlives its process: started again, it goes on where it was."""

import tempfile
from pathlib import Path

import rembo
from rembo.study import Study, verify


def f(x: rembo.Point) -> float:
    """Stands for an expensive experiment; it looks at 2 of 1000 numbers."""
    return (x[41] - 0.5) ** 2 + (x[722] + 0.3) ** 2


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tune.db"
    with Study(rembo.Box(1000), storage=path, seed=0) as study:
        study.optimize(f, n_trials=30)  # and here the machine goes down
    with Study(rembo.Box(1000), storage=path) as study:
        study.optimize(f, n_trials=60)
        print(f"best value {study.best_value:.6f} after {len(study.trials)} trials, 30 of them by the second process")
    print(f"{verify(path).followed} suggestions follow from what was told before them")
