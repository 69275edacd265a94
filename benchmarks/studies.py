"""What a study holds to: in parallel, hurried, soaked and failing; with real processes and files.

What it holds to when it is killed, `make torture` measures.

`python benchmarks/studies.py` measures all parts, each in minutes; with the names of some, those alone.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import gc
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import rembo
from rembo.problems import Branin, Padded
from rembo.study import Study, StudyTrial
from results import load, save

PROBLEM = Padded(Branin(), 100, seed=0)
SPACE = PROBLEM.space
SEEDS = (0, 1, 2)


def uneven_branin(x: rembo.Point) -> float:
    """Branin, for as long as it happens to take."""
    time.sleep(random.SystemRandom().uniform(0.0, 0.08))
    return PROBLEM(x)


def second_branin(x: rembo.Point) -> float:
    """Branin in a second."""
    time.sleep(1.0)
    return PROBLEM(x)


def quick_branin(x: rembo.Point) -> float:
    """Branin in ten milliseconds."""
    time.sleep(0.01)
    return PROBLEM(x)


def half_fails(x: rembo.Point) -> float:
    """A bowl that cannot be evaluated in half of the box."""
    if x[3] < 0.0:
        raise ValueError("no value here")
    return (x[3] - 0.4) ** 2 + (x[17] + 0.2) ** 2


def search(f: Callable[[Any], float], n_trials: int, optimizer: rembo.Optimizer | None = None, **options: Any) -> Study:
    """A study of f in memory, all its trials made."""
    study = Study(SPACE, optimizer=optimizer or rembo.Growing(SPACE, seed=0))
    study.optimize(f, n_trials, progress=False, **options)
    return study


def story(trials: Sequence[StudyTrial]) -> list[tuple[Any, ...]]:
    """All that must be the same, trial by trial: where, what came of it, and when it was asked and told."""
    return [(trial.number, trial.point, trial.value, trial.asked, trial.told) for trial in trials]


def workers() -> dict[str, Any]:
    """The same trials with 1, 2 and 4 workers, evaluations being of random duration."""
    taken, stories = {}, []
    for n_workers in (1, 2, 4):
        started = time.perf_counter()
        stories.append(story(search(uneven_branin, 60, n_workers=n_workers, deterministic=True).trials))
        taken[f"{n_workers} workers, s"] = time.perf_counter() - started
    return {"the_same_trials": stories[0] == stories[1] == stories[2], **taken}


def busy() -> dict[str, Any]:
    """How much of the time eight workers evaluate, a second each, from the first start to the last end."""
    trials = search(second_branin, 200, n_workers=8).trials
    evaluating = sum(trial.duration or 0.0 for trial in trials)
    elapsed = max(trial.finished_at or 0.0 for trial in trials) - min(trial.started_at or np.inf for trial in trials)
    asks = np.array([trial.ask_seconds for trial in trials])
    return {
        "busy_share": evaluating / (8 * elapsed),
        "elapsed_s": elapsed,
        "median_ask_s": float(np.median(asks)),
        "mean_ask_s": float(asks.mean()),
    }


def overhead() -> dict[str, Any]:
    """Twenty seconds of a search whose f takes ten milliseconds, with and without a cap on the time of suggestions."""
    caps = {"no cap": None, "max_overhead=0.5": 0.5, "max_overhead=0.2": 0.2}
    measured = {name: [hurried(rembo.Growing(SPACE, seed=seed), cap) for seed in SEEDS] for name, cap in caps.items()}
    return measured | {"random search": [hurried(rembo.RandomSearch(SPACE, seed=seed), None) for seed in SEEDS]}


def hurried(optimizer: rembo.Optimizer, cap: float | None) -> dict[str, Any]:
    """The share of the time spent in asking, the trials made in it, and the gap to the optimum."""
    started = time.perf_counter()
    study = search(quick_branin, 100_000, optimizer, timeout=20.0, max_overhead=cap)
    elapsed = time.perf_counter() - started
    asking = sum(trial.ask_seconds for trial in study.trials)
    return {
        "asking_share": asking / elapsed,
        "trials": len(study.trials),
        "gap": study.best_value - PROBLEM.optimum,
    }


def random_soak() -> dict[str, Any]:
    """Ten thousand trials of a cheap function by random search."""
    return soak("RandomSearch", 10_000)


def default_soak() -> dict[str, Any]:
    """Two thousand trials of a cheap function by the default optimizer."""
    return soak("Growing", 2_000)


def soak(name: str, n_trials: int) -> dict[str, Any]:
    """Very many trials in a file, in a process of their own: memory, time, and each trial there once."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "soaked", f"{folder}/soak.db", name, str(n_trials)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {"trials": n_trials, **json.loads(output)}


def soaked(path: str, name: str, n_trials: str) -> None:
    """The program that is soaked: a study in a file, and, to subtract, the same in memory."""
    count, sizes = int(n_trials), []

    def look(study: Study, trial: StudyTrial) -> None:
        if trial.number in (count // 10, count // 2, count - 1):
            gc.collect()
            sizes.append(megabytes())

    make = {"RandomSearch": rembo.RandomSearch, "Growing": rembo.Growing}[name]
    with Study(SPACE, optimizer=make(SPACE, seed=0), storage=path) as study:
        in_file = clocked(study, count, look)
        order = sorted(place for trial in study.trials for place in (trial.asked, trial.told))
        asking = sum(trial.ask_seconds for trial in study.trials)
    measured = {
        "MB_after_a_tenth_half_and_all": sizes,
        "wall_s": in_file[0],
        "asking_s": asking,
        "each_asked_and_told_once": order == list(range(2 * count)),
        "file_kB_per_trial": Path(path).stat().st_size / 1024 / count,
    }
    if name == "RandomSearch":  # of which both take the same time but for the file
        in_memory = clocked(Study(SPACE, optimizer=make(SPACE, seed=0)), count)
        measured["storage_wall_ms_per_trial"] = 1000 * (in_file[0] - in_memory[0]) / count
        measured["storage_cpu_ms_per_trial"] = 1000 * (in_file[1] - in_memory[1]) / count
    started = time.perf_counter()
    with Study.load(path) as again:
        measured["trials_on_disk"] = sum(trial.value is not None for trial in again.trials)
    measured["reopening_s"] = time.perf_counter() - started
    print(json.dumps(measured))


def clocked(study: Study, n_trials: int, *callbacks: Callable[[Study, StudyTrial], object]) -> tuple[float, float]:
    """Seconds of wall and of this process's time that a study takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    study.optimize(PROBLEM, n_trials, progress=False, callbacks=callbacks)
    return time.perf_counter() - wall, time.process_time() - cpu


def megabytes() -> float:
    """Memory of this process that is resident."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def everywhere() -> dict[str, Any]:
    """The same search in this process, in a pool and on a Dask cluster, each by one argument."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        places = {"this process": {}, "a pool": {"n_workers": 2}, "a Dask cluster": {"executor": client}}
        taken, stories = {}, []
        for name, argument in places.items():
            started = time.perf_counter()
            stories.append(story(search(uneven_branin, 60, deterministic=True, **argument).trials))
            taken[f"{name}, s"] = time.perf_counter() - started
    return {"the_same_trials": stories[0] == stories[1] == stories[2], **taken}


def failures() -> dict[str, Any]:
    """The share of trials that fail, ten by ten, where half of the box has no value."""
    shares = []
    for seed in range(5):
        trials = search(half_fails, 120, rembo.Growing(SPACE, seed=seed)).trials
        shares.append(np.array([trial.value is None for trial in trials]).reshape(-1, 10).mean(axis=1).tolist())
    return {"seeds": 5, "failing_share_ten_by_ten": np.mean(shares, axis=0).round(2).tolist(), "each_seed": shares}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    part.__name__: part for part in (workers, busy, overhead, random_soak, default_soak, everywhere, failures)
}
PROGRAMS: dict[str, Callable[..., None]] = {"soaked": soaked}


def main(names: Sequence[str]) -> None:
    """Measure some parts, or all, and keep what was measured of the others."""
    measured: dict[str, Any] = {}
    with suppress(FileNotFoundError):
        measured = load("studies")
    for name in names or PARTS:
        load_before = os.getloadavg()[0]
        started = time.perf_counter()
        measured[name] = PARTS[name]()
        measured[name] |= {"part_took_s": time.perf_counter() - started, "load_average_before": load_before}
        save("studies", **measured)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in PROGRAMS:
        PROGRAMS[sys.argv[1]](*sys.argv[2:])
    else:
        main(sys.argv[1:])
