"""What each of several processes does that share an Optuna study."""

import time

import optuna
from optuna.distributions import FloatDistribution
from optuna.storages import JournalStorage

try:
    from optuna.storages.journal import JournalFileBackend
except ModuleNotFoundError:  # its name before Optuna 4
    from optuna.storages import JournalFileStorage as JournalFileBackend

from rembo.integrations.optuna import RemboSampler

STUDY = "shared"
SPACE = {f"x{i}": FloatDistribution(-1.0, 1.0) for i in range(8)}
OPTIMUM = {"x1": 0.4, "x3": -0.5, "x5": 0.7, "x7": -0.2}


def opened(url):
    """A storage by its address; a file that ends in .log is a journal."""
    return JournalStorage(JournalFileBackend(url)) if url.endswith(".log") else url


def bowl(trial):
    """A function that takes a little time, of half of the parameters."""
    x = {name: trial.suggest_float(name, each.low, each.high) for name, each in SPACE.items()}
    time.sleep(0.02)
    return sum((x[name] - best) ** 2 for name, best in OPTIMUM.items())


def work(url, n_trials):
    """Evaluate some trials of the study."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(study_name=STUDY, storage=opened(url), sampler=RemboSampler(search_space=SPACE, seed=0))
    study.optimize(bowl, n_trials)
