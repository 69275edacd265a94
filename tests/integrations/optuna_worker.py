"""What each of several processes does that share an Optuna study."""

import time

import optuna
from optuna.distributions import FloatDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from rembo.integrations.optuna import RemboSampler

STUDY = "shared"
SPACE = {f"x{i}": FloatDistribution(-1.0, 1.0) for i in range(8)}


def opened(url):
    """A storage by its address; a file that ends in .log is a journal."""
    return JournalStorage(JournalFileBackend(url)) if url.endswith(".log") else url


def bowl(trial):
    """A function that takes a little time."""
    x = [trial.suggest_float(name, each.low, each.high) for name, each in SPACE.items()]
    time.sleep(0.02)
    return sum((number - 0.4) ** 2 for number in x)


def work(url, n_trials):
    """Evaluate some trials of the study."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(study_name=STUDY, storage=opened(url), sampler=RemboSampler(search_space=SPACE, seed=0))
    study.optimize(bowl, n_trials)
