"""SMAC3 as an optimizer: what SMAC3 itself would ask, told in any order, in silence and without files."""

import logging
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from searches import MIXED, bowl, ones, positions, search, tell_all

from rembo import Bool, Box, RandomSearch, Space
from rembo.baselines import SMAC

smac = pytest.importorskip("smac", reason="SMAC needs smac")
# Threads of SMAC3's forest reset the filters of warnings for each other: scikit-learn then finds none, now and then.
pytestmark = pytest.mark.filterwarnings("ignore:.sklearn.utils.parallel.delayed:UserWarning")

THREE_BITS = Space({"a": Bool(), "b": Bool(), "c": Bool()})


def smacs_own(directory, n_trials, seed):
    """What SMAC3 asks by itself for a bowl in two coordinates, (n, 2)."""
    from ConfigSpace import ConfigurationSpace

    seen = []
    scenario = smac.Scenario(
        ConfigurationSpace({"x0": (-1.0, 1.0), "x1": (-1.0, 1.0)}),  # it asks other points under other names
        deterministic=True,
        n_trials=n_trials,
        seed=seed,
        output_directory=directory,
    )

    def f(config, seed):
        seen.append([config["x0"], config["x1"]])
        return bowl(seen[-1])

    smac.HyperparameterOptimizationFacade(scenario, f, logging_level=logging.CRITICAL).optimize()
    return np.array(seen)


@pytest.fixture
def untouched_log():
    """The root log as it is, whatever a library does to it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.mark.parametrize("seed", range(2))
def test_forest_asks_better_points_than_random_search(seed):
    forest, random = SMAC(Box(3), n_trials=40, seed=seed), RandomSearch(Box(3), seed=seed)
    later, drawn = (np.mean([trial.value for trial in search(each, bowl, 26)[10:]]) for each in (forest, random))
    assert later < 0.5 * drawn  # measured: 0.23 to 0.28 of the mean of random points


@pytest.mark.usefixtures("untouched_log")
def test_search_asks_what_smac_asks_by_itself(tmp_path):
    ours = positions(search(SMAC(Box(2), n_trials=12, seed=5), bowl, 12))
    assert_array_equal(ours, smacs_own(tmp_path, n_trials=12, seed=5))


def test_initial_design_is_a_quarter_of_the_planned_trials():
    low, high = SMAC(Box(5), n_trials=40, seed=1), SMAC(Box(5), n_trials=40, seed=1)
    designs = [positions(search(low, bowl, 10)), positions(search(high, lambda x: -bowl(x), 10))]
    assert_array_equal(*designs)
    assert np.any(low.ask().y != high.ask().y)


def test_batch_may_be_told_in_any_order():
    forth, back = SMAC(Box(2), n_trials=16, seed=3), SMAC(Box(2), n_trials=16, seed=3)
    tell_all(forth, forth.ask(4))
    tell_all(back, reversed(back.ask(4)))
    assert_array_equal(forth.ask().y, back.ask().y)


def test_failure_is_learned_as_the_worst_value_so_far():
    failing, told = SMAC(Box(2), n_trials=16, seed=3), SMAC(Box(2), n_trials=16, seed=3)
    *first, last = failing.ask(4)
    worst = max(trial.value for trial in tell_all(failing, first))
    tell_all(told, told.ask(4)[:3])
    failing.fail(last, "diverged"), told.tell(told.trials[3], worst)
    assert_array_equal(failing.ask().y, told.ask().y)


def test_failure_before_any_value_waits_for_one():
    failing, told = SMAC(Box(2), n_trials=8, seed=3), SMAC(Box(2), n_trials=8, seed=3)
    first, second = failing.ask(2)
    failing.fail(first, "diverged")
    failing.tell(second, 1.5)
    tell_both = [told.tell(trial, 1.5) for trial in told.ask(2)]
    assert len(tell_both) == 2
    assert_array_equal(failing.ask().y, told.ask().y)


def test_search_goes_on_while_everything_fails():
    optimizer = SMAC(Box(2), n_trials=8, seed=3)
    failed = [optimizer.fail(optimizer.ask(), "no luck") for _ in range(12)]
    assert len(np.unique(positions(failed), axis=0)) == 12


def test_own_point_may_be_told_before_the_first_ask():
    optimizer = SMAC(MIXED, seed=0)
    optimizer.tell(SMAC(MIXED, seed=1).ask().x, 1.0)
    assert optimizer.ask().number == 1


def test_own_points_are_learned_from():
    optimizer = SMAC(Box(2), n_trials=4, seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    grid = np.linspace(-1.0, 1.0, 9)
    told = [optimizer.tell([a, b], bowl([a, b])) for a in grid for b in grid]
    asked = positions(optimizer.ask(6))
    assert len(told) == 81
    assert np.median(np.abs(asked - 0.4)) < 0.3  # of uniform points 0.58 on average


def test_every_kind_of_parameter_comes_back():
    trials = search(SMAC(MIXED, n_trials=40, seed=0), lambda x: x["rate"] + x["layers"] + x["warm"], 12)
    encoded = np.array([MIXED.encode(trial.x) for trial in trials])
    assert_allclose(encoded, positions(trials), rtol=0.0, atol=1e-12)  # a logarithm there and back
    assert {trial.x["solver"] for trial in trials} == {"adam", ("sgd", 0.9), None}


def test_batch_larger_than_the_space_is_asked_without_waiting():
    asked = [tuple(trial.x.values()) for trial in SMAC(THREE_BITS, seed=0).ask(20)]
    assert len(set(asked[:8])) == 8


def test_search_goes_on_when_nothing_new_is_found():
    assert len(search(SMAC(THREE_BITS, n_trials=8, seed=0), ones, 20)) == 20


def test_search_is_silent_and_leaves_the_log_as_it_was(caplog, capfd):
    level = logging.getLogger("smac").level
    search(SMAC(THREE_BITS, n_trials=8, seed=0), ones, 10)  # SMAC3 warns when it finds nothing new
    assert (caplog.records, capfd.readouterr()) == ([], ("", ""))
    assert logging.getLogger("smac").level == level


def test_search_leaves_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    search(SMAC(Box(2), n_trials=8, seed=0), bowl, 4)
    assert list(tmp_path.rglob("*")) == []


def test_missing_package_is_a_sentence_that_names_the_cure():
    program = "import sys; sys.modules['smac'] = None; from rembo import Box, baselines; baselines.SMAC(Box(2))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip().endswith("ModuleNotFoundError: SMAC needs SMAC3: pip install 'smac>=2.4'")


def test_number_of_planned_trials_below_one_is_an_error():
    with pytest.raises(ValueError, match="n_trials 0 must be at least 1"):
        SMAC(Box(2), n_trials=0)


def test_too_many_dimensions_are_an_error_that_names_the_cure():
    with pytest.raises(ValueError, match="SMAC in 1000000000 dimensions is more than 21201: use Rembo"):
        SMAC(Box(10**9))
