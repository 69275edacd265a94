"""What a trial of an Optuna study costs by the number of parameters: Optuna with its storage, and RemboSampler in it.

The processor's seconds per trial, of which RemboSampler takes a part, over 20 trials of a function that costs nothing.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import tempfile
import time
from collections.abc import Callable
from typing import Any

import optuna

from rembo.integrations.optuna import RemboSampler
from results import save

N_TRIALS = 20
PARAMETERS = (10, 100, 1000, 2000)


class Clocked:
    """A sampler, and the processor's seconds that it takes."""

    def __init__(self, sampler: optuna.samplers.BaseSampler) -> None:
        self.sampler = sampler
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def clocked(*arguments: Any) -> Any:
            began = time.process_time()
            try:
                return getattr(self.sampler, name)(*arguments)
            finally:
                self.seconds += time.process_time() - began

        return clocked


def cost(parameters: int, storage: str | None) -> dict[str, float]:
    """Seconds per trial, and the sampler's part."""

    def objective(trial: optuna.Trial) -> float:
        x = [trial.suggest_float(f"x{i:04}", -1.0, 1.0) for i in range(parameters)]
        return (x[3] - 0.5) ** 2 + (x[7] + 0.3) ** 2

    sampler = Clocked(RemboSampler(seed=0))
    study = optuna.create_study(sampler=sampler, storage=storage)
    optuna.create_study(sampler=RemboSampler(seed=0)).optimize(objective, n_trials=8)  # what is imported at first use
    began = time.process_time()
    study.optimize(objective, n_trials=N_TRIALS)
    total = time.process_time() - began
    return {"trial_s": round(total / N_TRIALS, 4), "sampler_s": round(sampler.seconds / N_TRIALS, 4)}


def main() -> None:
    """In memory and in SQLite."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    measured: dict[str, dict[str, dict[str, float]]] = {"memory": {}, "sqlite": {}}
    for parameters in PARAMETERS:
        measured["memory"][str(parameters)] = cost(parameters, None)
        with tempfile.TemporaryDirectory() as folder:
            measured["sqlite"][str(parameters)] = cost(parameters, f"sqlite:///{folder}/study.db")
    save("optuna_cost", trials=N_TRIALS, **measured)


if __name__ == "__main__":
    main()
