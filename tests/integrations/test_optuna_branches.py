"""Conditional parameters of Optuna's: found out from trials, searched together, and not warned of."""

import math
import warnings

import pytest

optuna = pytest.importorskip("optuna", reason="the Optuna sampler needs optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import create_trial  # noqa: E402

from rembo.integrations.optuna import RemboSampler  # noqa: E402
from rembo.integrations.optuna.branches import discovered  # noqa: E402
from rembo.integrations.optuna.translation import Branch, Translation  # noqa: E402

LINE = FloatDistribution(0.0, 1.0)
KINDS = {"model": CategoricalDistribution(["svm", "forest", None]), "layers": IntDistribution(1, 4)}


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(optuna.logging.INFO)


def past(*points, **others):
    """Finished trials at these points; what has no distribution of its own is a line."""
    known = KINDS | others
    return [
        create_trial(params=point, distributions={name: known.get(name, LINE) for name in point}, value=1.0)
        for point in points
    ]


def branches(*points):
    return dict(discovered(past(*points)).branches)


def test_parameter_that_goes_with_a_choice_has_its_branch():
    found = branches({"model": "svm", "C": 0.5}, {"model": "forest", "depth": 0.5}, {"model": None})
    assert found == {"C": Branch("model", ("svm",)), "depth": Branch("model", ("forest",))}


def test_several_choices_may_have_a_parameter():
    found = branches({"model": "svm", "C": 0.5}, {"model": None, "C": 0.5}, {"model": "forest"})
    assert found == {"C": Branch("model", ("svm", None))}


def test_choice_may_be_unhashable():
    with pytest.warns(UserWarning, match="Choices for a categorical distribution"):
        kinds = {"model": CategoricalDistribution([[1, 2], [3]])}
    found = discovered(past({"model": [1, 2], "C": 0.5}, {"model": [3]}, **kinds)).branches
    assert found == {"C": Branch("model", ([1, 2],))}


def test_branch_of_a_number_is_a_bound():
    found = branches({"layers": 3, "w": 0.5}, {"layers": 4, "w": 0.5}, {"layers": 1, "v": 0.5}, {"layers": 2})
    assert found == {"w": Branch("layers", at_least=3), "v": Branch("layers", at_most=1)}


def test_branches_are_found_inside_of_branches():
    points = [{"model": "svm", "kernel": kernel} for kernel in ("rbf", "linear")]
    points[0]["gamma"] = 0.5
    trials = past(*points, {"model": "forest"}, kernel=CategoricalDistribution(["rbf", "linear"]))
    assert dict(discovered(trials).branches) == {
        "kernel": Branch("model", ("svm",)),
        "gamma": Branch("kernel", ("rbf",)),
    }


@pytest.mark.parametrize(
    "points",
    [
        ({"model": "svm", "C": 0.5}, {"model": "svm"}, {"model": "forest"}),  # it has it, and has it not
        ({"x": 0.7, "C": 0.5}, {"x": 0.2}),  # a real number decides about nothing
        ({"C": 0.5}, {"D": 0.5}),
    ],
)
def test_parameter_whose_branch_cannot_be_told_is_left_out(points):
    assert "C" not in discovered(past(*points)).distributions


def test_parameter_whose_range_changes_is_left_out():
    trials = [
        *past({"model": "svm", "C": 0.5}, {"model": None}),
        *past({"model": "svm", "C": 0.5}, C=FloatDistribution(0, 2)),
    ]
    assert list(discovered(trials).distributions) == ["model"]


def test_space_has_the_branches_as_conditions():
    found = discovered(past({"model": None, "C": 0.5, "layers": 3}, {"model": "svm", "layers": 1, "one": 0.5}))
    translation = Translation(found.distributions, found.branches)
    assert translation.x({"model": None, "C": 0.5, "layers": 3, "one": 0.5}) == {"model": 2, "C": 0.5, "layers": 2}
    assert translation.params({"model": 0, "layers": 0, "one": 0.5}) == {"model": "svm", "layers": 1, "one": 0.5}


def test_trial_covers_the_parameters_of_its_own_branch():
    found = discovered(past({"model": "svm", "C": 0.5}, {"model": "forest", "depth": 0.5}))
    translation = Translation(found.distributions, found.branches)
    assert all(translation.covers(trial) for trial in past({"model": "svm", "C": 0.1}, {"model": None}))
    assert not translation.covers(past({"model": "svm"})[0])
    assert not translation.covers(past({"model": "svm", "C": 0.1}, C=FloatDistribution(0.0, 0.5))[0])


def chosen(trial):
    """The best is a support vector machine; each model has parameters of its own."""
    model = trial.suggest_categorical("model", ["svm", "forest", "neighbours"])
    if model == "svm":
        C = trial.suggest_float("C", 1e-3, 1e3, log=True)
        gamma = trial.suggest_float("gamma", 1e-4, 10.0, log=True)
        return 0.02 + 0.02 * (math.log10(C) - 1.3) ** 2 + 0.05 * (math.log10(gamma) + 2.2) ** 2
    if model == "forest":
        return 0.04 + 5e-4 * (trial.suggest_int("depth", 1, 30) - 17) ** 2
    return 0.05 + 1e-3 * abs(trial.suggest_int("k", 1, 50) - 5)


@pytest.mark.parametrize("seed", [0, 1])
def test_conditional_search_finds_the_best_branch_and_its_optimum(seed):
    study = optuna.create_study(sampler=RemboSampler(seed=seed))
    study.optimize(chosen, 45)
    assert study.best_params["model"] == "svm"
    assert study.best_value < 0.0205


def test_conditional_search_goes_on_in_another_process_as_it_would_have():
    whole, parts = (optuna.create_study(sampler=RemboSampler(seed=0)) for _ in range(2))
    whole.optimize(chosen, 20)
    for _ in range(4):
        parts.sampler = RemboSampler(seed=0)
        parts.optimize(chosen, 5)
    assert [trial.params for trial in parts.trials] == [trial.params for trial in whole.trials]


def test_conditional_parameters_are_no_reason_for_a_warning(caplog):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    optuna.logging.enable_propagation()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optuna.create_study(sampler=RemboSampler(seed=0)).optimize(chosen, 20)
    optuna.logging.disable_propagation()
    assert caplog.records == []
