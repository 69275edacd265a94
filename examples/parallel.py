"""The same search in this process, in two, and in four threads: one argument, and the same trials."""

import time
from concurrent.futures import ThreadPoolExecutor

import rembo
from rembo.study import Study


def f(x: rembo.Point) -> float:
    """Stands for a simulation that takes its time; it looks at 2 of 300 numbers."""
    time.sleep(0.05)
    return (x[41] - 0.5) ** 2 + (x[222] + 0.3) ** 2


def main() -> None:
    """Search three times and say how long each took."""
    with ThreadPoolExecutor(4) as threads:
        for where, argument in {"here": {}, "processes": {"n_workers": 2}, "threads": {"executor": threads}}.items():
            started = time.perf_counter()
            study = Study(rembo.Box(300), seed=0)
            study.optimize(f, n_trials=24, deterministic=True, **argument)
            print(f"{where:10} best value {study.best_value:.6f} in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
