"""Functions of conditional parameters, and the contest on them."""

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")
pytest.importorskip("optuna", reason="one of the methods is Optuna's")

import conditional
from harness.contest import contest
from harness.methods.define_by_run import DefineByRun, ours, tpe
from harness.methods.smac_conditional import ConditionalSMAC
from harness.suites.conditional import Nested, Pipeline, Solvers
from harness.suites.digits import Digits
from rembo import IdentityEmbedding, Point


def best_of_solvers(problem):
    best, _, costs = problem.drawn
    solver = int(np.argmin(costs))
    return {"solver": f"s{solver}"} | {f"s{solver}_{j}": best[solver, j] for j in range(problem.numbers)}


def best_of_nested(problem):
    best = np.random.default_rng((problem.seed, 2)).uniform(-0.8, 0.8, 5)
    widths = {f"width{i}": best[i] for i in range(4)}
    return {"method": "restarted", "layers": 4, **widths, "restart": True, "rate": 0.01, "momentum": best[4]}


def best_of_pipeline(problem):
    best, gains = problem.drawn
    used = {f"stage{i}": bool(gains[i] > 0.0) for i in range(problem.stages)}
    own = {f"p{i}{j}": best[i, j] for i in range(problem.stages) for j in range(2) if gains[i] > 0.0}
    return used | own


KINDS = [(Solvers, best_of_solvers), (Nested, best_of_nested), (Pipeline, best_of_pipeline)]


@pytest.mark.parametrize(("make", "best"), KINDS)
def test_optimum_is_the_value_of_a_legal_configuration(make, best):
    problem = make(seed=3)
    x = best(problem)
    problem.space.encode(x)
    assert problem(x) == pytest.approx(problem.optimum, abs=1e-12)


@pytest.mark.parametrize("make", [make for make, _ in KINDS])
def test_nothing_lies_below_the_optimum(make):
    problem = make(seed=3)
    U = np.random.default_rng(0).uniform(-1.0, 1.0, (200, problem.space.size))
    values = [problem(problem.space.decode(Point(IdentityEmbedding(problem.space.size), u))) for u in U]
    assert min(values) > problem.optimum


@pytest.mark.parametrize("sampler", [tpe, ours])
def test_sampler_suggests_what_exists(sampler):
    space, seen = Nested(seed=0).space, []
    DefineByRun(sampler).minimize(lambda x: seen.append(x) or 0.0, space, 20, seed=0)
    assert [space.active(x) for x in seen] == seen
    assert len({tuple(x) for x in seen}) > 3


def test_table_compares_all_methods(shortened, tmp_path):
    experiment = shortened(conditional.EXPERIMENT)
    assert contest(experiment, "", conditional.present, ["--seeds", "1", "--workers", "1"]) == 0
    assert len(experiment.lines) == len(conditional.TASKS) * len(conditional.METHODS)
    assert "Optuna TPE" in (tmp_path / "conditional.md").read_text()


def test_smac_gets_legal_configurations():
    pytest.importorskip("smac", reason="one of the methods is SMAC")
    space, seen = Nested(seed=0).space, []
    ConditionalSMAC().minimize(lambda x: seen.append(x) or 0.0, space, 6, seed=0)
    assert [space.active(x) for x in seen] == seen
    assert len(seen) == 6


def test_each_classifier_is_trained_with_its_own_parameters():
    pytest.importorskip("sklearn", reason="the classifiers are scikit-learn's")
    problem = Digits(999)
    rng, errors = np.random.default_rng(0), {}
    for _ in range(12):
        x = problem.space.decode(
            Point(IdentityEmbedding(problem.space.size), rng.uniform(-1.0, 1.0, problem.space.size))
        )
        errors.setdefault(x["model"], problem(x))
    assert len(errors) >= 4
    assert min(errors.values()) < 0.2
