"""The default in spaces with conditions and forbidden clauses."""

import math

import pytest

import rembo
from rembo import Box, Categorical, Float, Growing, Integer, Is, Less, RandomSearch, Rembo, Space

MODELS = Space(
    {
        "model": Categorical(["svm", "forest", "neighbours"]),
        "C": Float(1e-3, 1e3, log=True).when(Is("model", "svm")),
        "gamma": Float(1e-4, 10.0, log=True).when(Is("model", "svm")),
        "depth": Integer(1, 30).when(Is("model", "forest")),
        "features": Float(0.01, 1.0).when(Is("model", "forest")),
        "k": Integer(1, 50).when(Is("model", "neighbours")),
    }
)


def error(x):
    """Lowest for a support vector machine; what is inactive is not there to be read."""
    match x:
        case {"model": "svm", "C": C, "gamma": gamma, **others}:
            value = 0.02 + 0.02 * (math.log10(C) - 1.3) ** 2 + 0.05 * (math.log10(gamma) + 2.2) ** 2
        case {"model": "forest", "depth": depth, "features": features, **others}:
            value = 0.04 + 5e-4 * (depth - 17) ** 2 + (features - 0.3) ** 2
        case {"model": "neighbours", "k": k, **others}:
            value = 0.05 + 1e-3 * abs(k - 5)
    assert not others
    return value


@pytest.mark.parametrize("seed", [0, 1])
def test_search_finds_the_best_branch_and_its_optimum(seed):
    result = rembo.minimize(error, MODELS, 50, seed=seed)
    assert result.x["model"] == "svm"
    assert result.fun < 0.0201


def test_what_matters_is_what_exists_at_the_best_configuration():
    result = rembo.minimize(error, MODELS, 40, seed=0)
    matter = {name for group in result.optimizer.importance() if group.matters for name in group.parameters}
    assert matter <= {"model", "C", "gamma"}


@pytest.mark.parametrize(
    "optimizer", [Growing(MODELS, seed=0), RandomSearch(MODELS, seed=0), Rembo(MODELS, embedding_dim=2, seed=0)]
)
def test_every_optimizer_asks_what_f_can_read(optimizer):
    for _ in range(15):
        trial = optimizer.ask()
        optimizer.tell(trial, error(trial.x))
    asked = [trial.x for trial in optimizer.trials]
    assert [MODELS.active(x) for x in asked] == asked
    assert len({x["model"] for x in asked}) > 1


def test_configurations_of_a_finite_space_are_asked_once():
    space = Space(
        {
            "a": Categorical(["x", "y", "z"]),
            "b": Integer(0, 3).when(Is("a", "x")),
            "c": Integer(0, 3).when(Is("a", "y")),
        }
    )
    optimizer = Growing(space, seed=0)
    asked = [optimizer.ask() for _ in range(9)]
    assert len({str(trial.x) for trial in asked}) == 9  # 4 with b, 4 with c, and one with neither


def test_forbidden_configurations_are_never_asked():
    space = Space({"low": Float(0.0, 1.0), "high": Float(0.0, 1.0), "w": Box(20)}, forbidden=[Less("high", "low")])
    result = rembo.minimize(lambda x: x["high"] - 2.0 * x["low"] + x["w"][3] ** 2, space, 40, seed=0)
    assert all(trial.x["low"] <= trial.x["high"] for trial in result.trials)
    assert result.fun < -0.99  # both are 1


@pytest.mark.parametrize("x", [{"model": "neighbours", "k": 7}, {"model": "svm", "C": 1.0, "gamma": 0.5}])
def test_point_of_the_users_own_needs_no_inactive_parameters(x):
    optimizer = Growing(MODELS, seed=0)
    assert optimizer.tell(x, 1.0).x == x
    assert rembo.minimize(error, MODELS, 1, x0=x, seed=0).x.keys() == x.keys()
