"""What the tests of all doors share: one problem, in rembo's own words, and an estimator whose score it is."""

from sklearn.base import BaseEstimator

from rembo import Categorical, Float, Integer, Space, minimize

SPACE = Space({"a": Float(0.0, 1.0), "b": Float(0.0, 10.0), "c": Integer(1, 9), "d": Categorical(["p", "q", "r"])})


def cost(x):
    """Lowest at a = 0.3, b = 4, c = 7, d = q; to six digits, since ConfigSpace rounds its numbers to nine."""
    a, b = round(x["a"], 6), round(x["b"], 6)
    return (a - 0.3) ** 2 + 0.1 * (b - 4.0) ** 2 + 0.01 * abs(x["c"] - 7) + 0.2 * (x["d"] != "q")


def asked_by_minimize(n_trials, seed, f=cost, space=SPACE):
    """What `rembo.minimize` evaluates."""
    return [trial.x for trial in minimize(f, space, n_trials, seed=seed).trials]


class Costly(BaseEstimator):
    """An estimator that learns nothing: its score is minus the cost of its parameters."""

    def __init__(self, a=0.0, b=0.0, c=1, d="p"):
        self.a, self.b, self.c, self.d = a, b, c, d

    def fit(self, X, y=None):
        return self

    def score(self, X, y=None):
        return -cost(self.get_params())
