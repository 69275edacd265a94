"""Optuna's samplers as optimizers: what Optuna itself would ask, told in any order, in silence."""

import logging
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from searches import MIXED, best, bowl, ones, positions, search, tell_all

from rembo import Bool, Box, RandomSearch, Space
from rembo.baselines import TPE, OptunaGP, OptunaSearch

optuna = pytest.importorskip("optuna", reason="TPE needs optuna")
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

BITS = Space({f"x{i}": Bool() for i in range(20)})
FEWER = Space(  # Optuna's Gaussian process lists all values of a whole number
    {name: parameter for name, parameter in MIXED.parameters.items() if name != "steps"}
)


@pytest.fixture(params=[TPE, OptunaGP])
def method(request):
    return with_its_packages(request.param)


def with_its_packages(method):
    if method is OptunaGP:
        pytest.importorskip("torch", reason="OptunaGP needs torch")
    return method


def optunas_own(sampler, n_trials):
    """What Optuna asks by itself for a bowl in three coordinates, (n, 3)."""
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: bowl([trial.suggest_float(name, -1.0, 1.0) for name in "abc"]), n_trials)
    return np.array([[trial.params[name] for name in "abc"] for trial in study.trials])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("space", "f"), [(Box(5), bowl), (BITS, ones)], ids=["bowl", "bits"])
def test_parzen_estimator_beats_random_search(space, f, seed):
    parzen, random = (best(method, space, f, 120, seed) for method in (TPE, RandomSearch))
    assert parzen < 0.7 * random


def test_gaussian_process_beats_random_search():
    process, random = (best(each, Box(2), bowl, 15, seed=0) for each in (with_its_packages(OptunaGP), RandomSearch))
    assert process < 0.1 * random


def test_parzen_estimator_asks_what_optuna_asks_by_itself():
    ours = positions(search(TPE(Box(3), seed=5), bowl, 25))
    # Optuna draws every coordinate by itself until ten are complete, and the rest together
    assert_array_equal(ours, optunas_own(optuna.samplers.TPESampler(seed=5), 25))


def test_any_sampler_of_optuna_can_search():
    ours = positions(search(OptunaSearch(Box(3), optuna.samplers.RandomSampler, seed=5), bowl, 4))
    assert_array_equal(ours, optunas_own(optuna.samplers.RandomSampler(seed=5), 4))


def test_sampler_may_have_settings_of_its_own():
    settings = {"n_startup_trials": 3, "n_ei_candidates": 50}
    ours = OptunaSearch(Box(3), partial(optuna.samplers.TPESampler, **settings), seed=5)
    assert_array_equal(positions(search(ours, bowl, 9)), optunas_own(optuna.samplers.TPESampler(seed=5, **settings), 9))


def test_same_seed_asks_the_same_points(method):
    first, again = (positions(search(method(Box(2), seed=2**63 + 1), bowl, 12)) for _ in range(2))
    assert_array_equal(first, again)


def test_batch_may_be_told_in_any_order(method):
    forth, back = method(Box(3), seed=3), method(Box(3), seed=3)
    tell_all(forth, forth.ask(12))
    tell_all(back, reversed(back.ask(12)))
    assert_array_equal(forth.ask().y, back.ask().y)


def test_failed_trial_is_no_observation():
    failing, waiting = TPE(Box(3), seed=3), TPE(Box(3), seed=3)
    first, *others = failing.ask(12)
    failing.fail(first, "diverged")
    tell_all(failing, others)
    tell_all(waiting, waiting.ask(12)[1:])
    assert_array_equal(failing.ask().y, waiting.ask().y)


def test_own_points_are_learned_from(method):
    optimizer = method(Box(2), seed=0)
    grid = np.linspace(-1.0, 1.0, 5)
    told = [optimizer.tell([a, b], bowl([a, b])) for a in grid for b in grid]
    asked = positions(optimizer.ask(4))
    assert len(told) == 25
    assert np.abs(asked - 0.4).mean() < 0.45  # of uniform points 0.58


def test_own_point_may_fail(method):
    optimizer = method(FEWER, seed=0)
    optimizer.fail(optimizer.adopt(optimizer.ask().x), "diverged")
    assert optimizer.ask().number == 2


def test_every_kind_of_parameter_comes_back(method):
    trials = search(method(FEWER, seed=0), lambda x: x["rate"] + x["layers"] + x["warm"], 12)
    encoded = np.array([FEWER.encode(trial.x) for trial in trials])
    np.testing.assert_allclose(encoded, positions(trials), rtol=0.0, atol=1e-12)  # a logarithm there and back


def test_every_choice_is_asked():
    asked = {trial.x["solver"] for trial in search(TPE(FEWER, seed=0), lambda x: x["rate"], 30)}
    assert asked == {"adam", ("sgd", 0.9), None}


def test_search_is_silent_and_leaves_the_log_as_it_was(caplog, capfd):
    level = logging.getLogger("optuna").level
    search(TPE(Box(2), seed=0), bowl, 3)
    assert (caplog.records, capfd.readouterr()) == ([], ("", ""))
    assert logging.getLogger("optuna").level == level


def test_search_writes_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    search(TPE(Box(2), seed=0), bowl, 12)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize(
    ("package", "name", "sentence"),
    [
        ("optuna", "TPE", "TPE and OptunaGP need Optuna: pip install 'optuna>=3.6' 'greenlet>=3'"),
        ("optuna", "OptunaGP", "TPE and OptunaGP need Optuna: pip install 'optuna>=3.6' 'greenlet>=3'"),
        ("torch", "OptunaGP", "OptunaGP needs PyTorch: pip install 'torch>=2.13'"),
    ],
)
def test_missing_package_is_a_sentence_that_names_the_cure(package, name, sentence):
    with_its_packages(OptunaGP)
    program = f"import sys; sys.modules[{package!r}] = None; from rembo import Box, baselines; baselines.{name}(Box(2))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip().endswith(f"ModuleNotFoundError: {sentence}")


def test_too_many_dimensions_are_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match="TPE in 1000000000 dimensions is more than 10000: use Rembo"):
        TPE(Box(10**9))
