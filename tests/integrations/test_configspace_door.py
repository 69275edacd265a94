"""ConfigSpace's spaces as ours and back; configurations with conditions and forbidden clauses."""

import pickle
import re

import pytest
from ConfigSpace import (
    BetaFloatHyperparameter,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    GreaterThanCondition,
    NormalIntegerHyperparameter,
)
from ConfigSpace import Categorical as Choice
from ConfigSpace import Float as Real
from ConfigSpace import Integer as Whole

from rembo import Bool, Box, Categorical, EvaluationError, Float, Greater, Integer, Is, Less, Ordinal, Space, minimize
from rembo.integrations.configspace import Configured, from_configspace, to_configspace

OURS = Space(  # by name, as ConfigSpace orders them
    {
        "depth": Integer(1, 9),
        "level": Categorical(["low", "high", None]),
        "rate": Float(0.1, 1.0, log=True),
        "width": Integer(1, 1000, log=True),
    },
    {"depth": 3, "level": "high", "rate": 0.2, "width": 30},
)


@pytest.fixture
def solver():
    """kernel -> degree -> smooth are conditions; so much of the budget is forbidden with the kernel rbf."""
    space = ConfigurationSpace(seed=0)
    kernel, degree = Choice("kernel", ["rbf", "poly"], default="poly"), Whole("degree", (1, 5), default=3)
    smooth, budget = Real("smooth", (0.0, 1.0), default=0.25), Choice("budget", [10, 100, 1000], default=10)
    space.add(kernel, degree, smooth, budget, Constant("version", 3), Choice("mode", ["only"]))
    space.add(EqualsCondition(degree, kernel, "poly"), GreaterThanCondition(smooth, degree, 2))
    space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(kernel, "rbf"), ForbiddenEqualsClause(budget, 1000)))
    return space


@pytest.fixture
def configured(solver):
    return Configured(dict, solver)


def x_of(**others):
    return {"budget": 10, "kernel": "poly", "degree": 3, "smooth": 0.5, **others}


# Spaces


def test_space_comes_back_from_configspace_as_it_was():
    assert from_configspace(to_configspace(OURS)) == OURS


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_space_comes_back_from_a_file_of_configspace(tmp_path, kind):
    space = Space({name: OURS.parameters[name] for name in ("depth", "rate")}, {"depth": 3, "rate": 0.2})
    getattr(to_configspace(space), f"to_{kind}")(tmp_path / "space")
    assert from_configspace(getattr(ConfigurationSpace, f"from_{kind}")(tmp_path / "space")) == space


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_conditions_and_forbidden_clauses_of_a_file_are_heeded(solver, tmp_path, kind):
    getattr(solver, f"to_{kind}")(tmp_path / "space")
    read = Configured(dict, getattr(ConfigurationSpace, f"from_{kind}")(tmp_path / "space"))
    assert "degree" not in read(x_of(kernel="rbf"))
    with pytest.raises(EvaluationError, match="forbidden"):
        read(x_of(kernel="rbf", budget=1000))


def test_space_of_configspace_is_ours_with_its_rules(solver):
    assert from_configspace(solver) == Space(
        {
            "budget": Categorical([10, 100, 1000]),
            "kernel": Categorical(["rbf", "poly"]),
            "degree": Integer(1, 5).when(Is("kernel", "poly")),
            "smooth": Float(0.0, 1.0).when(Greater("degree", 2.0)),
        },
        {"budget": 10, "kernel": "poly", "degree": 3, "smooth": 0.25},
        [Is("kernel", "rbf") & Is("budget", 1000)],
    )


RULED = Space(
    {
        "a": Float(0.0, 1.0).when(Is("solver", "sgd")),
        "b": Float(0.0, 1.0).when(~Is("solver", "sgd")),
        "c": Integer(0, 9).when(~Less("layers", 3) & Is("warm", "yes")),
        "b2": Integer(0, 9).when(~Less("layers", 1) & Less("n", 9)),  # always
        "d": Integer(0, 9).when(Greater("a", 0.5) | ~(Is("solver", "adam") | Less("layers", 2))),
        "layers": Integer(1, 8),
        "n": Integer(1, 8),
        "solver": Categorical(["adam", "sgd", "lbfgs"]),
        "warm": Categorical(["no", "yes"]),
    },
    {"n": 8},
    [Is("solver", "adam") & Is("layers", 7, 8), Less("n", "layers")],
)


def test_rules_come_back_from_configspace():
    made = to_configspace(RULED)
    assert to_configspace(from_configspace(made)) == made


def test_rules_mean_the_same_in_configspace():
    drawn = [dict(each) for each in to_configspace(RULED, seed=1).sample_configuration(100)]
    for x in drawn:
        RULED.encode(x)
    assert [set(RULED.active(RULED.completed(x))) for x in drawn] == [set(x) for x in drawn]


@pytest.mark.parametrize(
    "space",
    [
        Space({"a": Float(0.0, 1.0), "b": Bool().when(~Less("a", 0.5))}),
        Space({"a": Float(0.0, 1.0), "b": Float(0.0, 1.0).when(Less("b2", "a")), "b2": Float(0.0, 1.0)}),
        Space({"a": Float(0.0, 1.0)}, forbidden=[Less("a", 0.5)]),
        Space({"a": Float(0.0, 1.0), "b": Bool().when(Greater("a", 1.0))}),  # never
        Space({"a": Ordinal([1, 2, 3]), "b": Bool().when(Greater("a", 1))}),
    ],
)
def test_rule_that_configspace_cannot_say_is_refused(space):
    with pytest.raises(TypeError, match="cannot be said in ConfigSpace"):
        to_configspace(space)


@pytest.mark.parametrize(
    ("hyperparameter", "parameter"),
    [
        (NormalIntegerHyperparameter("x", 5, 2, lower=1, upper=9), Integer(1, 9)),
        (BetaFloatHyperparameter("x", 2, 2, lower=0.0, upper=4.0), Float(0.0, 4.0)),
    ],
    ids=["normal", "beta"],
)
def test_prior_of_a_hyperparameter_is_left_out(hyperparameter, parameter):
    assert from_configspace(ConfigurationSpace({"x": hyperparameter})).parameters["x"] == parameter


def test_ordinal_comes_back_as_it_was():
    space = Space(
        {"level": Ordinal(["low", "middle", "high"]), "size": Ordinal([1, 5, 2])}, {"level": "low", "size": 5}
    )
    assert from_configspace(to_configspace(space)) == space


def test_bool_becomes_a_choice():
    made = to_configspace(Space({"warm": Bool()}, {"warm": True}))
    assert from_configspace(made) == Space({"warm": Categorical([False, True])}, {"warm": True})


def test_space_without_a_default_gets_that_of_configspace():
    made = to_configspace(Space({"rate": Float(0.0, 1.0), "kind": Categorical(["a", "b"])}), name="mine", seed=1)
    assert dict(made.get_default_configuration()) == {"rate": 0.5, "kind": "a"}
    assert made.name == "mine"


@pytest.mark.parametrize(
    ("convert", "given", "message"),
    [
        (
            to_configspace,
            Space({"w": Box(3)}),
            "parameter 'w' is Box(size=3, low=-1.0, high=1.0), and ConfigSpace has no",
        ),
        (to_configspace, Float(0.0, 1.0), "only a Space has names for ConfigSpace, not Float"),
        (from_configspace, "space.json", "a ConfigurationSpace is needed, not 'space.json': read a file with"),
    ],
)
def test_what_has_no_counterpart_is_told_with_a_cure(convert, given, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        convert(given)


# Configurations


def test_active_hyperparameters_and_constants_are_what_f_gets(configured):
    assert configured(x_of()) == {**x_of(), "version": 3, "mode": "only"}


def test_child_of_a_condition_that_does_not_hold_is_dropped(configured):
    assert configured(x_of(degree=2)) == {"budget": 10, "kernel": "poly", "degree": 2, "version": 3, "mode": "only"}


def test_grandchild_of_a_condition_that_does_not_hold_is_dropped(configured):
    assert configured(x_of(kernel="rbf")) == {"budget": 10, "kernel": "rbf", "version": 3, "mode": "only"}


def test_forbidden_configuration_is_refused_with_its_clause(configured):
    with pytest.raises(EvaluationError, match=r"a forbidden configuration: .*budget == 1000 && .*kernel == 'rbf'"):
        configured(x_of(kernel="rbf", budget=1000))


def test_clause_on_an_inactive_hyperparameter_forbids_nothing(solver):
    both = ForbiddenEqualsClause(solver["degree"], 1), ForbiddenEqualsClause(solver["budget"], 10)
    solver.add(ForbiddenAndConjunction(*both))
    assert Configured(dict, solver)(x_of(kernel="rbf", degree=1))["budget"] == 10


def test_inactive_hyperparameters_take_their_default_where_a_configuration_comes_in(configured):
    configuration = configured.configuration(x_of(kernel="rbf", smooth=0.9, degree=5))
    assert configured.values(configuration) == {"budget": 10, "kernel": "rbf", "degree": 3, "smooth": 0.25}


def test_every_configuration_comes_back_from_its_values(configured, solver):
    drawn = solver.sample_configuration(50)
    assert [configured.configuration(configured.values(each)) for each in drawn] == drawn


@pytest.mark.parametrize("seed", [0, 1])
def test_search_asks_for_valid_configurations_alone(solver, seed):
    configured = Configured(lambda config: config["budget"] / -1000 + 0.1 * (config["kernel"] == "poly"), solver)
    result = minimize(configured, configured.space, 20, seed=seed)
    assert [trial.failure for trial in result.trials] == [None] * 20
    assert dict(configured.configuration(result.x)).items() >= {"budget": 1000, "kernel": "poly"}.items()


def test_function_of_configurations_can_be_sent_to_another_process(configured):
    assert pickle.loads(pickle.dumps(configured))(x_of()) == configured(x_of())
