"""What the tests of adapters to other libraries share: a space with all kinds of parameters, functions, searches."""

import numpy as np

from rembo import Bool, Box, Categorical, Float, Integer, Space

MIXED = Space(
    {
        "rate": Float(1e-3, 1.0, log=True),
        "layers": Integer(1, 9),
        "width": Integer(1, 1000, log=True),
        "steps": Integer(0, 2**40 - 1),
        "solver": Categorical(["adam", ("sgd", 0.9), None]),
        "warm": Bool(),
        "weights": Box(3, 0.0, 2.0),
    }
)


def bowl(x):
    """Lowest at 0.4 in every coordinate."""
    return float(((np.asarray(x) - 0.4) ** 2).sum())


def ones(x):
    """How many bits are on."""
    return sum(x.values())


def search(optimizer, f, n_trials):
    """Ask and tell one at a time; the finished trials."""
    return [optimizer.tell(trial := optimizer.ask(), f(trial.x)) for _ in range(n_trials)]


def tell_all(optimizer, trials):
    return [optimizer.tell(trial, bowl(trial.x)) for trial in trials]


def positions(trials):
    return np.array([np.asarray(trial.point) for trial in trials])


def best(method, space, f, n_trials, seed):
    optimizer = method(space, seed=seed)
    search(optimizer, f, n_trials)
    return optimizer.best_trial.value
