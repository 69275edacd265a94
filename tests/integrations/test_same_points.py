"""The law of all doors: the same problem and the same seed, and so the same points as `rembo.minimize` asks."""

import joblib
import numpy as np
import pytest
import scipy.optimize
from doors import SPACE, Costly, asked_by_minimize, cost
from gest_api.vocs import VOCS, ContinuousVariable
from numpy.testing import assert_array_equal

from rembo import Box, Space, minimize
from rembo.integrations.configspace import Configured, to_configspace
from rembo.integrations.gest import RemboGenerator
from rembo.integrations.scipy import embedded
from rembo.integrations.sklearn import EmbeddedSearchCV

N_TRIALS, SEED = 14, 7
X = np.zeros((6, 1))


def asked_by_search_cv(seed):
    search = EmbeddedSearchCV(Costly(), SPACE, N_TRIALS, cv=2, random_state=seed).fit(X)
    return search.cv_results_["params"]


def asked_by_search_cv_in_parallel(seed):
    with joblib.parallel_config("threading"):
        search = EmbeddedSearchCV(Costly(), SPACE, N_TRIALS, cv=2, random_state=seed, n_jobs=2).fit(X)
    return search.cv_results_["params"]


def asked_by_configured(seed):
    configured = Configured(cost, to_configspace(SPACE))
    return [trial.x for trial in minimize(configured, configured.space, N_TRIALS, seed=seed).trials]


def asked_by_generator(seed):
    whole = ContinuousVariable(domain=[1, 9], dtype="int64")
    variables = {"a": [0.0, 1.0], "b": [0.0, 10.0], "c": whole, "d": {"p", "q", "r"}}
    generator = RemboGenerator(VOCS(variables=variables, objectives={"f": "MINIMIZE"}), seed=seed)
    points = []
    for _ in range(N_TRIALS):
        points += generator.suggest(1)
        generator.ingest([{**points[-1], "f": cost(points[-1])}])
    return [{name: point[name] for name in SPACE.parameters} for point in points]


STARTED = Space(SPACE.parameters, {"a": 0.5, "b": 5.0, "c": 5, "d": "p"})  # ConfigSpace always has a default
DOORS = [
    pytest.param(asked_by_search_cv, SPACE, id="sklearn"),
    pytest.param(asked_by_search_cv_in_parallel, SPACE, id="sklearn_in_parallel"),
    pytest.param(asked_by_configured, STARTED, id="configspace"),
    pytest.param(asked_by_generator, SPACE, id="gest"),
]


@pytest.mark.parametrize(("asked_by_door", "space"), DOORS)
def test_door_asks_what_minimize_asks(asked_by_door, space):
    assert asked_by_door(SEED) == asked_by_minimize(N_TRIALS, SEED, space=space)


def test_scipy_method_asks_what_minimize_asks_from_the_same_start():
    seen, x0 = [], np.full(30, 0.7)
    bowl = lambda x: float(seen.append(np.array(x)) or ((x - 0.3) ** 2)[:3].sum())  # noqa: E731
    scipy.optimize.minimize(
        bowl, x0, method=embedded, bounds=[(-1.0, 2.5)] * 30, options={"n_trials": N_TRIALS, "seed": SEED}
    )
    ours = minimize(lambda x: bowl(np.asarray(x)), Box(30, -1.0, 2.5), N_TRIALS, seed=SEED, x0=x0)
    assert_array_equal(seen[:N_TRIALS], [np.asarray(trial.x) for trial in ours.trials])
