"""RemboSearcher in the real Ray Tune: what it translates, learns and saves; searches on a cluster of this machine."""

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from doors import SPACE, asked_by_minimize, cost

from rembo import Box, Categorical, Float, Growing, Integer, RandomSearch, Rembo

ray = pytest.importorskip("ray", reason="make ray installs it")
from ray import tune  # noqa: E402
from ray.tune.search import ConcurrencyLimiter  # noqa: E402

from rembo.integrations.ray import RemboSearcher  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are many

EXAMPLE = Path(__file__).parents[2] / "examples" / "ray_tune" / "search.py"
CONFIG = {
    "a": tune.uniform(0.0, 1.0),
    "b": tune.uniform(0.0, 10.0),
    "c": tune.randint(1, 10),
    "d": tune.choice(["p", "q", "r"]),
}


def train(config):
    tune.report({"loss": cost(config), "gain": -cost(config)})


def searcher(config=CONFIG, metric="loss", mode="min", **settings):
    """A searcher that a Tuner has told what to search."""
    made = RemboSearcher(**{"seed": 0, **settings})
    assert made.set_search_properties(metric, mode, config)
    return made


def run(made, ids, value=cost):
    """What is suggested for trials that run one after the other."""
    suggested = []
    for trial_id in ids:
        suggested.append(made.suggest(trial_id))
        made.on_trial_complete(trial_id, {made.metric: value(suggested[-1])})
    return suggested


# What is searched


@pytest.mark.parametrize(
    ("domain", "parameter"),
    [
        (tune.uniform(0.5, 2.0), Float(0.5, 2.0)),
        (tune.loguniform(1e-4, 1.0), Float(1e-4, 1.0, log=True)),
        (tune.randint(1, 9), Integer(1, 8)),
        (tune.lograndint(1, 1001), Integer(1, 1000, log=True)),
        (tune.choice(["a", 2, None]), Categorical(["a", 2, None])),
    ],
    ids=["uniform", "loguniform", "randint", "lograndint", "choice"],
)
def test_domain_becomes_a_parameter(domain, parameter):
    assert searcher({"x": domain, "y": tune.uniform(0, 1)}).optimizer.space.parameters["x"] == parameter


@pytest.mark.parametrize(("domain", "value"), [(tune.choice(["only"]), "only"), (tune.randint(3, 4), 3)])
def test_domain_of_one_value_is_a_constant(domain, value):
    assert searcher({"x": domain, "y": tune.uniform(0, 1)}).suggest("1")["x"] == value


def test_nested_configuration_is_suggested_as_it_was_given():
    made = searcher({"model": {"width": tune.randint(1, 9), "depth": 3}, "rate": tune.uniform(0.0, 1.0)})
    assert set(made.optimizer.space.parameters) == {"model/width", "rate"}
    assert set(made.suggest("1")["model"]) == {"width"}  # Tune adds what is not searched


@pytest.mark.parametrize("space", [SPACE, CONFIG], ids=["rembo", "tune"])
def test_space_of_the_searchers_own_is_used(space):
    made = RemboSearcher(space, seed=0, metric="loss", mode="min")
    assert not made.set_search_properties("loss", "min", {})
    assert run(made, "abc") == asked_by_minimize(3, seed=0)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"x": tune.grid_search([1, 2])}, "x is a grid, of which all values are tried: use tune.choice instead"),
        (
            {"x": tune.quniform(0, 1, 0.1)},
            "x is Float by Quantized: uniform, loguniform, randint, lograndint and choice",
        ),
        ({"x": tune.randn(0, 1)}, "x is Float by _Normal"),
        ({"x": tune.sample_from(lambda spec: 1)}, "x is Function by"),
        ({"x": [tune.uniform(0, 1)]}, "('x', 0) stands in a list"),
        ({"x": 3}, "a Space needs at least one parameter"),
    ],
    ids=["grid", "quantized", "normal", "function", "list", "nothing"],
)
def test_configuration_that_cannot_be_searched_is_refused(config, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        searcher(config)


def test_space_that_is_none_is_refused():
    with pytest.raises(TypeError, match=re.escape("space must be a rembo.Space, or a dict such as {'rate'")):
        RemboSearcher(Box(3))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (RemboSearcher(metric="loss", mode="min"), "it is not known what to search: give a space"),
        (RemboSearcher(SPACE), "mode must be 'min' or 'max', not None: give metric and mode to TuneConfig"),
    ],
    ids=["space", "mode"],
)
def test_what_was_not_told_is_asked_for(made, message):
    with pytest.raises(RuntimeError, match=re.escape(message)):
        made.suggest("1")


# What is learned


def test_searcher_asks_what_minimize_asks():
    assert run(searcher(), range(14)) == asked_by_minimize(14, seed=0)


def test_metric_that_is_maximised_is_told_with_another_sign():
    made = searcher(metric="gain", mode="max")
    assert run(made, range(9), lambda config: -cost(config)) == asked_by_minimize(9, seed=0)


def test_searcher_uses_the_optimizer_it_is_given():
    assert isinstance(searcher(optimizer=partial(Rembo, embedding_dim=2)).optimizer, Rembo)


@pytest.mark.parametrize(
    ("outcome", "failure"),
    [
        ({"error": True}, "the trial ended with an error"),
        ({"result": {"loss": float("nan")}}, "loss is nan"),
        ({"result": {"gain": 1.0}}, "loss is None"),
    ],
    ids=["error", "nan", "missing"],
)
def test_trial_without_a_finite_metric_is_a_failure(outcome, failure):
    made = searcher()
    made.suggest("1")
    made.on_trial_complete("1", **outcome)
    assert made.optimizer.trials[0].failure == failure


def test_trial_that_was_not_suggested_here_is_left_alone():
    made = searcher()
    made.on_trial_complete("elsewhere", {"loss": 1.0})
    assert made.optimizer.trials == ()


@pytest.mark.parametrize(("fate", "value"), [({}, 0.5), ({"error": True}, None), ({"pruned": True}, None)])
def test_evaluated_point_is_learned_from(fate, value):
    made = searcher(optimizer=RandomSearch)
    made.add_evaluated_point({"a": 0.25, "b": 1.0, "c": 2, "d": "r", "fixed": 9}, 0.5, **fate)
    assert made.optimizer.trials[0].x == {"a": 0.25, "b": 1.0, "c": 2, "d": "r"}
    assert made.optimizer.trials[0].value == value


# What is saved


def test_restored_searcher_goes_on_as_if_nothing_had_happened(tmp_path):
    made, copy = searcher(), RemboSearcher()
    run(made, range(6))
    made.suggest("running")
    made.save(tmp_path / "state")
    copy.restore(tmp_path / "state")
    both = [(each.on_trial_complete("running", {"loss": 0.7}), run(each, range(10, 13)))[1] for each in (made, copy)]
    assert both[0] == both[1]


def test_saved_state_is_json(tmp_path):
    made = searcher()
    run(made, range(3))
    made.save(tmp_path / "state")
    assert len(json.loads((tmp_path / "state").read_text())["journal"]["events"]) == 6


# On a cluster


@pytest.fixture(scope="module")
def cluster():
    paths = {"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}}  # so that workers can import this file
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=paths)
    yield
    ray.shutdown()


def tuner(search_alg, folder, n_trials, callbacks=(), trainable=train):
    return tune.Tuner(
        trainable,
        param_space=CONFIG,
        tune_config=tune.TuneConfig(
            search_alg=search_alg, metric="loss", mode="min", num_samples=n_trials, reuse_actors=True
        ),
        run_config=tune.RunConfig(name="study", storage_path=str(folder), verbose=0, callbacks=list(callbacks)),
    )


def configurations(results):
    """What was run, in the order in which it was suggested."""
    return [result.config for result in results]


class InterruptAfter(tune.Callback):
    """Ctrl-C when so many trials are complete."""

    def __init__(self, count):
        self.count = count

    def on_trial_complete(self, iteration, trials, trial, **info):
        self.count -= 1
        if self.count == 0:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("cluster")
def test_tuner_runs_what_minimize_asks(tmp_path):
    results = tuner(ConcurrencyLimiter(RemboSearcher(seed=0), 1), tmp_path, n_trials=8).fit()
    assert configurations(results) == asked_by_minimize(8, seed=0)


@pytest.mark.usefixtures("cluster")
def test_tuner_runs_trials_at_the_same_time(tmp_path):
    made = RemboSearcher(seed=0)
    results = tuner(made, tmp_path, n_trials=6).fit()
    assert results.get_best_result().metrics["loss"] == made.optimizer.best_trial.value
    assert isinstance(made.optimizer, Growing)


@pytest.mark.usefixtures("cluster")
def test_trial_that_raises_is_a_failure(tmp_path):
    made = RemboSearcher(seed=0)

    def never(config):
        raise ArithmeticError

    tuner(made, tmp_path, n_trials=2, trainable=never).fit()
    assert {trial.failure for trial in made.optimizer.trials} == {"the trial ended with an error"}


@pytest.mark.usefixtures("cluster")
def test_interrupted_tuner_that_is_restored_runs_what_it_would_have_run(tmp_path):
    limited = ConcurrencyLimiter(RemboSearcher(seed=0), 1)
    first = tuner(limited, tmp_path, n_trials=8, callbacks=[InterruptAfter(4)]).fit()
    results = tune.Tuner.restore(str(tmp_path / "study"), trainable=train, resume_unfinished=True).fit()
    assert len(first) < 8
    assert sorted(map(str, configurations(results))) == sorted(map(str, asked_by_minimize(8, seed=0)))


def test_example_of_ray_tune_runs_and_prints_what_it_found():
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False)
    assert "best loss" in done.stdout, done.stderr
