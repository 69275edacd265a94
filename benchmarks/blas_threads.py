"""What a second thread of BLAS costs the default, with the limit of ADR 18 and without it, and what the limit costs.

30 trials in a process of its own, wall and CPU seconds, with 1 and with 2 threads; first on the machine as it is, then
beside as many busy processes as there are cores. Run it on a machine that does nothing else.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import timeit
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import numpy as np

from rembo.blas import OneThread, one_thread
from rembo.optimizer import Growing
from rembo.problems import Branin, Levy, Padded
from results import save

PROBLEMS = {
    "Branin in D = 1000": lambda: Padded(Branin(), 1000, seed=0),
    "Levy, all of D = 100 active": lambda: Padded(Levy(100), 100, seed=0),
}
N_TRIALS, THREADS, REPEATS = 30, (1, 2), 3
BUSY = "while True: pass"


def search(name: str, limited: bool) -> dict[str, float | str]:
    """30 trials of the default: seconds of wall and of CPU, and a digest of all that was asked."""
    if not limited:
        OneThread.__enter__ = lambda self: None  # type: ignore[method-assign]
        OneThread.__exit__ = lambda self, *reason: None  # type: ignore[method-assign]
    problem = PROBLEMS[name]()
    optimizer, asked = Growing(problem.space, seed=0), hashlib.sha256()
    before = os.times()
    for _ in range(N_TRIALS):
        trial = optimizer.ask()
        asked.update(trial.y.tobytes())
        optimizer.tell(trial, problem(trial.x))
    after = os.times()
    cpu = after.user + after.system - before.user - before.system
    return {"wall_s": after.elapsed - before.elapsed, "cpu_s": cpu, "asked": asked.hexdigest()[:12]}


def searched(name: str, limited: bool, threads: int) -> dict[str, float | str]:
    """The same in a fresh process with so many threads."""
    number = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    command = [sys.executable, __file__, "--search", name, *(() if limited else ("--unlimited",))]
    done = subprocess.run(command, env=os.environ | number, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that only compute, while this lasts."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def measured(name: str, limited: bool, threads: int, repeats: int) -> dict[str, object]:
    """Medians of several runs, and all of them."""
    runs = [searched(name, limited, threads) for _ in range(repeats)]
    medians = {key: float(np.median([run[key] for run in runs])) for key in ("wall_s", "cpu_s")}
    return {**medians, "asked": sorted({str(run["asked"]) for run in runs}), "runs": runs}


def entering() -> dict[str, float]:
    """Microseconds for entering and leaving the limit, from outside and from inside of it; the best of 20 repeats."""

    def enter() -> None:
        with one_thread:
            pass

    def best() -> float:
        return min(timeit.repeat(enter, number=1000, repeat=20)) * 1e3

    enter()  # finds the libraries
    outer = best()
    with one_thread:
        return {"outer_us": outer, "inner_us": best()}


def main() -> None:
    """Measure every combination, print a table, and keep all numbers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", choices=PROBLEMS)
    parser.add_argument("--unlimited", action="store_true")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    given = parser.parse_args()
    if given.search:
        print(json.dumps(search(given.search, not given.unlimited)))
        return
    found = {}
    print("| machine | problem | limit | threads | wall, s | CPU, s | asked |\n|---|---|---|---|---|---|---|")
    for machine, name, limited, threads in product(("idle", "loaded"), PROBLEMS, (False, True), THREADS):
        with busy((os.cpu_count() or 1) if machine == "loaded" else 0):
            row = measured(name, limited, threads, given.repeats)
        label = (machine, name, "with" if limited else "without", str(threads))
        print(
            f"| {' | '.join(label)} | {row['wall_s']:.2f} | {row['cpu_s']:.2f} | {' '.join(row['asked'])} |", flush=True
        )
        found[", ".join(label)] = row
    save("blas_threads", n_trials=N_TRIALS, entering=entering(), searches=found)


if __name__ == "__main__":
    main()
