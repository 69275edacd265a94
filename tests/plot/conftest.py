"""Searches to draw: small ones, made once."""

import pytest

import rembo
from rembo.plot.data.search import Search

ODD = {
    "<script>": rembo.Categorical(["<i>a</i>", "b", "c"]),
    "<b>": rembo.Float(0.0, 1.0),
    "steps": rembo.Integer(1, 9),
    "weights": rembo.Box(40),
}


def bowl(x):
    """It looks at two coordinates, the same in every box."""
    return (x[3] - 0.3) ** 2 + (x[7] + 0.5) ** 2


def odd(x):
    """It fails in a corner, with a text that looks like HTML."""
    if x["<b>"] > 0.8:
        raise ValueError("too <u>large</u>")
    return (x["<b>"] - 0.3) ** 2 + (x["<script>"] == "b") + x["weights"][7] ** 2


def embedded(ambient_dim, runs=2, n_trials=24):
    space = rembo.Box(ambient_dim)
    return rembo.minimize(bowl, space, n_trials, optimizer=rembo.Rembo(space, 2, runs=runs, seed=1))


@pytest.fixture(scope="session")
def rembo_result():
    """Algorithm 2 in two dimensions of a thousand, two runs."""
    return embedded(1000)


@pytest.fixture(scope="session")
def growing_result():
    """The default search in a thousand dimensions."""
    return rembo.minimize(bowl, rembo.Box(1000), 40, seed=1)


@pytest.fixture(scope="session")
def billion_result():
    """The default search in a billion dimensions."""
    return rembo.minimize(bowl, rembo.Box(10**9), 16, seed=1)


@pytest.fixture(scope="session")
def random_results():
    """Three random searches, one of them shorter."""
    space = rembo.Box(1000)
    searches = [(0, 24), (1, 24), (2, 20)]
    return [rembo.minimize(bowl, space, n, optimizer=rembo.RandomSearch(space, seed=seed)) for seed, n in searches]


@pytest.fixture(scope="session")
def odd_study():
    """A study whose names, choices and failures look like HTML, of parameters of all kinds."""
    study = rembo.Study(rembo.Space(ODD), name="<b>odd</b>", seed=4)
    study.optimize(odd, 24)
    return study


@pytest.fixture(scope="session")
def odd_search(odd_study):
    return Search.of(odd_study)


@pytest.fixture(scope="session")
def embedded_search(rembo_result):
    return Search.of(rembo_result)


@pytest.fixture(scope="session")
def growing_search(growing_result):
    return Search.of(growing_result)
