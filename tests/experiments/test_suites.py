"""Benchmarks that others wrote, as problems; and the contest on them."""

import itertools
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

import suites
from harness.contest import contest, unfinished
from harness.methods.cube import on_cube
from harness.search import Key
from harness.suites.coco import Bbob, MixedInteger
from harness.suites.lasso import Lasso
from harness.suites.pbo import PseudoBoolean
from rembo.problems import Subspace

FUNCTIONS = range(1, 25)


@pytest.fixture
def coco():
    pytest.importorskip("cocoex", reason="COCO's functions need coco-experiment")


@pytest.fixture
def ioh():
    pytest.importorskip("ioh", reason="PBO's problems need ioh")


def bits_of(problem, values):
    return dict(zip(problem.space.parameters, values, strict=True))


def lowest_at_random(problem, n=50):
    """The lowest of n values at points that are drawn uniformly."""
    space, rng = problem.space, np.random.default_rng(0)
    return min(on_cube(problem, space, u) for u in rng.uniform(-1.0, 1.0, (n, space.size)))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", [Bbob, MixedInteger])
def test_optimum_is_the_value_at_the_optimizer_and_nothing_is_below_it(kind, function, coco):
    problem = kind(function, 10, 11)
    assert problem(problem.optimizer) == pytest.approx(problem.optimum, abs=1e-9)
    assert lowest_at_random(problem) >= problem.optimum


@pytest.mark.parametrize("function", FUNCTIONS)
def test_function_is_not_below_its_optimum_outside_the_cube(function, coco):
    problem = Bbob(function, 5, 12)
    far = np.random.default_rng(1).uniform(-25.0, 25.0, (50, 5))  # as far as Subspace in D = 1000 can get
    assert min(map(problem, far)) >= problem.optimum


def test_function_is_the_one_that_coco_has(coco):
    import cocoex

    suite = cocoex.Suite("bbob", "instances: 13", "dimensions: 5 function_indices: 8")
    assert suite[0].id == "bbob_f008_i13_d05"
    assert Bbob(8, 5, 13)([0.2, -0.4, 0.0, 1.0, -1.0]) == suite[0]([1.0, -2.0, 0.0, 5.0, -5.0])


@pytest.mark.parametrize("kind", [Bbob, MixedInteger])
def test_instances_differ(kind, coco):
    assert len({kind(3, 10, instance).optimum for instance in range(11, 16)}) == 5


@pytest.mark.parametrize("problem", [Bbob(8, 5, 11), MixedInteger(3, 10, 11), PseudoBoolean("LABS", 64, 12)])
def test_problem_travels_to_other_processes(problem, coco, ioh):
    before = lowest_at_random(problem, 3)
    copy = pickle.loads(pickle.dumps(problem))
    assert (copy, lowest_at_random(copy, 3)) == (problem, before)


def test_integers_stand_before_real_numbers(coco):
    parameters = list(MixedInteger(3, 10, 11).space.parameters.values())
    assert [each.levels for each in parameters] == [2, 2, 4, 4, 8, 8, 16, 16, 0, 0]
    assert (parameters[7].low, parameters[7].high, parameters[8].low, parameters[8].high) == (0, 15, -5.0, 5.0)


def test_optimum_is_read_without_a_trace_in_the_current_folder(coco, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert np.isfinite(Bbob(2, 3, 29).optimum)
    assert (Path.cwd(), list(tmp_path.iterdir())) == (tmp_path, [])


def test_function_along_random_directions_reaches_its_optimum(coco):
    problem = Subspace(Bbob(1, 5, 11), 1000, 0)
    x = problem.directions.T @ np.array(problem.problem.optimizer)
    assert np.all(np.abs(x) <= 1.0)
    assert problem(x) == pytest.approx(problem.optimum, abs=1e-8)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Bbob(25, 5, 11), "function 25 must lie between 1 and 24"),
        (lambda: Bbob(1, 7, 11), "dim 7 is not one that COCO has: choose from 2, 3, 5, 10, 20, 40"),
        (lambda: MixedInteger(1, 2, 11), "dim 2 is not one that COCO has: choose from 5, 10, 20, 40, 80, 160"),
        (lambda: Bbob(1, 5, 0), "instance 0 must be at least 1"),
        (lambda: PseudoBoolean("OneMax", 64, 101), "instance 101 must lie between 1 and 100"),
        (lambda: Lasso("synt_easy"), "'synt_easy' is not a function of LassoBench: choose from synt_simple"),
    ],
)
def test_problem_that_does_not_exist_is_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


@pytest.mark.parametrize(
    ("package", "evaluate", "cure"),
    [
        ("cocoex", lambda: Bbob(1, 2, 99).optimum, "pip install 'coco-experiment>=2.8'"),
        ("ioh", lambda: PseudoBoolean("OneMax", 7, 3).optimum, "pip install 'ioh>=0.3.22'"),
        ("LassoBench", lambda: Lasso("synt_hard")(np.zeros(1000)), "pip install --pre lasso-bench-fork-leoiv"),
    ],
)
def test_missing_package_is_named_with_the_command_that_brings_it(package, evaluate, cure, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=cure):
        evaluate()


def test_unknown_problem_of_pbo_is_refused_with_the_known_ones(ioh):
    with pytest.raises(ValueError, match="'TwoMax' is not a problem of PBO: choose from OneMax, LeadingOnes"):
        PseudoBoolean("TwoMax", 8, 1)(dict.fromkeys((f"x{i}" for i in range(8)), True))


def test_problem_without_a_known_optimum_says_so(ioh):
    with pytest.raises(ValueError, match="the optimum of NKLandscapes with 64 bits is not known"):
        _ = PseudoBoolean("NKLandscapes", 64, 1).optimum


@pytest.mark.parametrize(
    "name", [name for name in suites.PBO.values() if name not in ("LABS", "NQueens", "IsingTorus")]
)
def test_optimum_of_ten_bits_is_the_lowest_of_all_values(name, ioh):
    problem = PseudoBoolean(name, 10, 12)
    values = [problem(bits_of(problem, bits)) for bits in itertools.product((False, True), repeat=10)]
    assert problem.optimum == pytest.approx(min(values), abs=1e-9)


@pytest.mark.parametrize("name", suites.PBO.values())
def test_no_random_bits_are_below_the_optimum(name, ioh):
    problem = PseudoBoolean(name, 64, 13)
    assert lowest_at_random(problem, 20) > problem.optimum


def test_every_seed_is_an_instance_of_its_own(coco):
    assert [suites.TASKS["bbob-20-f08"].instance(seed).instance for seed in range(suites.SEEDS)] == [11, 12, 13, 14, 15]


def test_family_is_the_first_part_of_a_key():
    assert [key for key, task in suites.TASKS.items() if not key.startswith(f"{task.family}-")] == []
    assert (len(suites.TASKS), suites.EXPERIMENT.families[:2]) == (130, ["bbob-5", "bbob-20"])


def test_lasso_is_searched_on_its_own_number_of_coefficients():
    assert [Lasso(name).space.size for name in suites.LASSO.values()] == [60, 100, 300]


@pytest.fixture
def ten(shortened):
    return shortened(suites.EXPERIMENT, 10)


CHOSEN = [
    "--methods",
    "random",
    "mutation",
    "--problems",
    "bbob-5-f01",
    "mixint-10-f03",
    "pbo-64-labs",
    "--workers",
    "1",
]


def test_suites_are_run_and_shown(ten, tmp_path, coco, ioh, capsys):
    assert contest(ten, "", suites.present, [*CHOSEN, "--seeds", "1"]) == 0
    page = (tmp_path / "suites.md").read_text()
    assert page.count("| (1+1) sparse mutation | ") == 3
    assert "## bbob-5: 2 methods, 1 pairs of problem and seed" in page
    assert (tmp_path / "suites.svg").exists()


def test_contest_goes_on_where_it_was(ten, coco, ioh):
    few = [*CHOSEN, "--families", "bbob-5", "--methods", "random"]
    contest(ten, "", suites.present, [*few, "--seeds", "1"])
    kept = ten.path.read_bytes()
    assert unfinished(ten, [Key("bbob-5-f01", "random", seed) for seed in (0, 1)]) == [Key("bbob-5-f01", "random", 1)]
    contest(ten, "", suites.present, [*few, "--seeds", "2"])
    assert ten.path.read_bytes().startswith(kept)
    assert [line.seed for line in ten.lines] == [0, 1]


def test_nothing_finished_is_said_so(ten, capsys):
    suites.present(ten)
    assert capsys.readouterr().out == "suites: nothing is finished yet that methods have in common\n"
