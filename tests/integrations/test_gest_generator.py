"""A generator of the gest-api standard: suggest, ingest, and what VOCS may say."""

import re

import numpy as np
import pytest
from gest_api import Generator
from gest_api.vocs import VOCS, ContextualVariable, ContinuousVariable, DiscreteVariable

from rembo import Categorical, Float, Integer, RandomSearch, Space, TrialState
from rembo.integrations.gest import RemboGenerator

VARIABLES = {"x": [0.0, 1.0], "kind": {"a", "b"}}


def generator(variables=None, objective="MINIMIZE", optimizer=RandomSearch, seed=0, **vocs):
    made = VOCS(variables=variables or VARIABLES, objectives={"f": objective}, **vocs)
    return RemboGenerator(made, optimizer=optimizer, seed=seed)


def evaluated(points, **outputs):
    return [{**point, "f": point["x"], **outputs} for point in points]


def run(made, f, batches):
    for _ in range(batches):
        made.ingest([{**point, "f": f(point)} for point in made.suggest(2)])


def test_generator_is_one_of_the_standard_that_returns_ids():
    assert issubclass(RemboGenerator, Generator)
    assert RemboGenerator.returns_id


def test_point_has_all_variables_constants_and_an_id():
    (point,) = generator(constants={"alpha": 0.5}).suggest(1)
    assert set(point) == {"x", "kind", "alpha", "_id"}
    assert point["alpha"] == 0.5


@pytest.mark.parametrize(("num_points", "count"), [(None, 1), (1, 1), (5, 5)])
def test_so_many_points_are_suggested_as_are_wanted(num_points, count):
    assert len(generator().suggest(num_points)) == count


def test_results_are_told_in_any_order():
    made = generator()
    made.ingest(evaluated(reversed(made.suggest(3))))
    assert [trial.value for trial in made.optimizer.trials] == [trial.x["x"] for trial in made.optimizer.trials]


def test_objective_that_is_maximised_is_told_with_another_sign():
    made = generator(objective="MAXIMIZE")
    made.ingest(evaluated(made.suggest(4)))
    assert made.optimizer.best_trial.x["x"] == max(trial.x["x"] for trial in made.optimizer.trials)


def test_generator_learns_from_results():
    made = generator({"x": [0.0, 1.0], "y": [0.0, 1.0]}, optimizer=None)
    run(made, lambda point: abs(point["x"] - 0.3), batches=10)
    assert made.optimizer.best_trial.value < 0.01


def test_evaluation_from_elsewhere_is_learned_from():
    made = generator()
    made.ingest([{"x": 0.25, "kind": "b", "f": 7.0}])
    assert (made.optimizer.best_trial.x, made.optimizer.best_trial.value) == ({"x": 0.25, "kind": "b"}, 7.0)


def test_evaluation_that_the_optimizer_cannot_represent_is_left_out_with_a_warning():
    made = generator({f"x{number}": [0.0, 1.0] for number in range(200)}, optimizer=None)
    with pytest.warns(RuntimeWarning, match="an evaluation from elsewhere is left out"):
        made.ingest([{f"x{number}": number / 200 for number in range(200)} | {"f": 1.0}])
    assert made.optimizer.trials == ()


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"x": 2.0, "kind": "a", "f": 1.0}, "2.0 does not lie in Float(low=0.0, high=1.0"),
        ({"x": 0.5, "f": 1.0}, "a result has no 'kind': it needs all variables and outputs of vocs"),
        ({"x": 0.5, "kind": "a"}, "a result has no 'f'"),
    ],
    ids=["outside", "variable", "objective"],
)
def test_result_that_is_none_is_refused(result, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        generator().ingest([result])


def test_finalize_leaves_the_generator_as_it_is():
    made = generator()
    made.finalize()
    assert made.suggest(1)[0]["_id"] == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, None])
def test_result_without_a_finite_objective_is_a_failure(value):
    made = generator()
    made.ingest([{**point, "f": value} for point in made.suggest(1)])
    assert made.optimizer.trials[0].failure == f"f is {value}, which is not a finite number"


@pytest.mark.parametrize(("c", "state"), [(0.4, TrialState.COMPLETE), (0.6, TrialState.FAIL)])
def test_result_that_violates_a_constraint_is_a_failure(c, state):
    made = generator(constraints={"c": ["LESS_THAN", 0.5]})
    made.ingest(evaluated(made.suggest(1), c=c))
    assert made.optimizer.trials[0].state is state


def test_violated_constraint_is_the_reason_of_the_failure():
    made = generator(constraints={"c": ["LESS_THAN", 0.5]})
    made.ingest(evaluated(made.suggest(1), c=0.6))
    assert made.optimizer.trials[0].failure.startswith("c is 0.6, which violates")


@pytest.mark.parametrize(
    ("variable", "parameter"),
    [
        ([0.0, 2.0], Float(0.0, 2.0)),
        (ContinuousVariable(domain=[1, 8], dtype=int), Integer(1, 8)),
        (ContinuousVariable(domain=[1, 8], dtype="float32"), Float(1.0, 8.0)),
        ({"c", "a", "b"}, Categorical(["a", "b", "c"])),
        ({10, 9, "auto", 8.5}, Categorical([8.5, 9, 10, "auto"])),
    ],
    ids=["range", "int", "float", "names", "mixed"],
)
def test_variable_becomes_a_parameter(variable, parameter):
    made = generator({"x": variable, "y": [0.0, 1.0]})
    assert made.optimizer.space.parameters["x"] == parameter


def test_variable_with_a_single_value_is_a_constant():
    assert generator({"x": [0.0, 1.0], "mode": {"only"}}).suggest(1)[0]["mode"] == "only"


def test_default_values_of_all_variables_are_where_the_search_starts():
    x, n = ContinuousVariable(domain=[0, 1], default_value=0.3), DiscreteVariable(values={1, 2}, default_value=2)
    made = generator({"x": x, "n": n}, optimizer=None)
    assert made.optimizer.space == Space({"x": Float(0.0, 1.0), "n": Categorical([1, 2])}, {"x": 0.3, "n": 2})
    assert made.suggest(1)[0]["x"] == pytest.approx(0.3)


@pytest.mark.parametrize("number", [5, -1])
def test_result_with_an_unknown_id_is_refused(number):
    made = generator()
    made.suggest(1)
    with pytest.raises(ValueError, match=f"_id {number} was not suggested here"):
        made.ingest([{"_id": number, "x": 0.5, "kind": "a", "f": 1.0}])


@pytest.mark.parametrize(
    ("vocs", "message"),
    [
        ({"objectives": {}}, "there must be 1 objective, not 0: []"),
        ({"objectives": {"f": "MINIMIZE", "g": "MINIMIZE"}}, "there must be 1 objective, not 2: ['f', 'g']"),
        ({"objectives": {"f": "EXPLORE"}}, "objective 'f' must be MINIMIZE or MAXIMIZE, not ExploreObjective"),
        ({"variables": {"x": ContextualVariable()}}, "variable 'x' is contextual, which is observed and not chosen"),
        (
            {"variables": {"x": ContinuousVariable(domain=[0, 1], dtype=(float, 3))}},
            "an array: write a variable for each",
        ),
        ({"variables": {}}, "a Space needs at least one parameter"),
    ],
)
def test_vocs_that_cannot_be_searched_is_refused_with_a_value_error(vocs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        RemboGenerator(VOCS(**{"variables": VARIABLES, "objectives": {"f": "MINIMIZE"}, **vocs}))
