"""RemboSampler beside Optuna's own samplers on a tuning task with 67 parameters, at equal numbers of trials.

The task: nearest neighbours on scikit-learn's handwritten digits, with a weight for each of the 64 pixels, the number
of neighbours, how they vote, and the metric; three-fold cross-validated accuracy, to be maximised. Every sampler has
its defaults. RemboSampler begins in the middle of all ranges, which is a good place here: all pixels alike. So three
others are run once more with that trial enqueued as their first. A line of results/optuna_sampler.jsonl is a finished
run; what is not finished yet is run. `make peers` installs what it needs.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import optuna
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from rembo.integrations.optuna import RemboSampler
from results import FOLDER

FILE = FOLDER / "optuna_sampler.jsonl"
N_TRIALS, SEEDS, EVERY = 100, 10, 10
SAMPLERS: dict[str, Callable[[int], optuna.samplers.BaseSampler]] = {
    "RemboSampler": lambda seed: RemboSampler(seed=seed),
    "TPESampler": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "GPSampler": lambda seed: optuna.samplers.GPSampler(seed=seed),
    "CmaEsSampler": lambda seed: optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False),
    "RandomSampler": lambda seed: optuna.samplers.RandomSampler(seed=seed),
}
FROM_THE_MIDDLE = {f"{name}, from the middle": name for name in ("TPESampler", "GPSampler", "CmaEsSampler")}
CONTEST = (*SAMPLERS, *FROM_THE_MIDDLE)
MIDDLE = {f"pixel{i:02}": 0.5 for i in range(64)} | {"neighbours": 4, "vote": "distance", "metric": "cosine"}


class Task:
    """The accuracy of nearest neighbours with a trial's parameters; counts the processor's seconds that it takes."""

    def __init__(self) -> None:
        self.X, self.y = load_digits(return_X_y=True)
        self.folds = StratifiedKFold(3, shuffle=True, random_state=0)
        self.seconds = 0.0

    def __call__(self, trial: optuna.Trial) -> float:
        """The mean over the folds."""
        weights = np.array([trial.suggest_float(f"pixel{i:02}", 0.0, 1.0) for i in range(self.X.shape[1])])
        classifier = KNeighborsClassifier(
            n_neighbors=trial.suggest_int("neighbours", 1, 30, log=True),
            weights=trial.suggest_categorical("vote", ["uniform", "distance"]),
            metric=trial.suggest_categorical("metric", ["euclidean", "cosine"]),
            algorithm="brute",
        )
        began = time.process_time()
        accuracy = cross_val_score(classifier, self.X * weights, self.y, cv=self.folds).mean()
        self.seconds += time.process_time() - began
        return float(accuracy)


def run(name: str, seed: int) -> dict[str, object]:
    """One search: the best accuracy after every ten trials, and the processor's seconds outside the task."""
    task = Task()
    began = time.process_time()
    study = optuna.create_study(direction="maximize", sampler=SAMPLERS[FROM_THE_MIDDLE.get(name, name)](seed))
    if name in FROM_THE_MIDDLE:
        study.enqueue_trial(MIDDLE)
    study.optimize(task, n_trials=N_TRIALS)
    total = time.process_time() - began
    best = np.maximum.accumulate([trial.value for trial in study.trials])
    return {
        "sampler": name,
        "seed": seed,
        "best": [round(float(value), 6) for value in best[EVERY - 1 :: EVERY]],
        "suggesting_s": round(total - task.seconds, 2),
        "task_s": round(task.seconds, 2),
    }


def finished() -> list[dict[str, object]]:
    """The runs in the file."""
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def missing(seeds: int) -> Iterator[tuple[str, int]]:
    """The runs that are not, seed by seed."""
    done = {(run["sampler"], run["seed"]) for run in finished()}
    return ((name, seed) for seed in range(seeds) for name in CONTEST if (name, seed) not in done)


def table() -> str:
    """A line for each sampler: mean and spread of the best accuracy, and how often RemboSampler is above and below."""
    runs = finished()
    ours = {run["seed"]: run["best"][-1] for run in runs if run["sampler"] == "RemboSampler"}
    lines = [f"{'sampler':29} seeds  after 50          after 100         Rembo above/below   CPU s suggesting"]
    for name in CONTEST:
        theirs = [run for run in runs if run["sampler"] == name]
        if theirs:
            curves = np.array([run["best"] for run in theirs])
            half, end = (f"{column.mean():.4f} +- {column.std():.4f}" for column in (curves[:, 4], curves[:, -1]))
            pairs = [(ours[run["seed"]], run["best"][-1]) for run in theirs if run["seed"] in ours]
            duel = f"{sum(a > b for a, b in pairs)}/{sum(a < b for a, b in pairs)}"
            seconds = np.mean([run["suggesting_s"] for run in theirs])
            lines.append(f"{name:29} {len(theirs):5}  {half}  {end}  {duel:>17}   {seconds:18.1f}")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, one after another, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of how many seeds, 0, 1, ... (default: %(default)s)")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")  # what the others' packages say of each other
    for name, seed in missing(parser.parse_args().seeds):
        line = json.dumps(run(name, seed))
        FOLDER.mkdir(exist_ok=True)
        with FILE.open("a") as file:
            file.write(line + "\n")
        print(line, flush=True)
    print(table())


if __name__ == "__main__":
    main()
