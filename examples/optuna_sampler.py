"""An Optuna study whose trials rembo suggests: the objective is Optuna's, and few of its 100 parameters matter."""

import optuna

from rembo.integrations.optuna import RemboSampler


def objective(trial: optuna.Trial) -> float:
    """Stands for training a model with a penalty for each feature."""
    penalties = [trial.suggest_float(f"penalty{i:02}", 1e-4, 1e2, log=True) for i in range(98)]
    depth = trial.suggest_int("depth", 1, 8)
    solver = trial.suggest_categorical("solver", ["adam", "sgd"])
    return abs(penalties[7] - 0.1) + abs(penalties[61] - 3.0) + 0.1 * abs(depth - 3) + (solver == "sgd")


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=RemboSampler(seed=0))
study.optimize(objective, n_trials=40)
print(f"best value {study.best_value:.3f} in trial {study.best_trial.number}")
print({name: study.best_params[name] for name in ("penalty07", "penalty61", "depth", "solver")})
