"""The ablation of the default: what is taken away is taken away, and comes back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("cocoex", reason="the functions of COCO need coco-experiment")

import ablate
from harness.contest import Experiment
from harness.search import Line
from rembo.optimizer import Growing, Origin
from rembo.problems import BinaryQuadratic, Branin, Padded, Problem


def origins(name: str, n_trials: int = 24) -> list[Origin]:
    """Why the first trials of a variant were asked."""
    found = []
    problem = Padded(Branin(), 100, 0)

    class Kept(Growing):
        def _suggest(self, turn, pending):
            found.append(super()._suggest(turn, pending))
            return found[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rembo.Growing", Kept)
        ablate.METHODS[name].load().minimize(problem, problem.space, n_trials, 0)
    return [suggestion.origin for suggestion in found]


def values(variant, problem: Problem, n_trials: int = 30) -> list[float]:
    """What a variant was told."""
    told = []
    variant.minimize(lambda x: told.append(problem(x)) or told[-1], problem.space, n_trials, 0)
    return told


def test_variant_without_polishing_never_polishes():
    assert Origin.POLISH in origins("default")
    assert Origin.POLISH not in origins("polishing")


def test_variant_without_growth_never_splits_a_bin():
    assert Origin.GROW in origins("default", 40)
    assert Origin.GROW not in origins("growth", 40)


def test_variant_without_exploration_explores_less():
    assert origins("exploration", 60).count(Origin.EXPLORE) < origins("default", 60).count(Origin.EXPLORE)


NUMBERS, BITS = Padded(Branin(), 5), BinaryQuadratic(12)
IDLE = [(name, NUMBERS) for name in ("growth", "resolution", "spans", "density", "exploration", "restarts")]
IDLE += [(name, NUMBERS) for name in ("inheritance", "guests", "margin")]
IDLE += [(name, BITS) for name in ("alone", "directions", "polishing", "polishing-all", "coin", "mutation", "reach")]


@pytest.mark.parametrize(("name", "problem"), IDLE, ids=lambda each: each if isinstance(each, str) else "")
def test_variant_is_the_default_where_it_is_not_run(name, problem):
    variant = ablate.METHODS[name].load()
    assert not variant.serves(problem.space)
    assert values(variant, problem) == values(ablate.METHODS["default"].load(), problem)


@pytest.mark.parametrize("name", ablate.METHODS)
def test_variant_is_run_where_bins_are_shared_or_categoricals_few(name):
    variant = ablate.METHODS[name].load()
    assert any(variant.serves(problem.space) for problem in (Padded(Branin(), 100), NUMBERS, BITS))


@pytest.mark.parametrize("name", ["polishing", "tail", "reach"])
def test_default_is_whole_again_after_a_variant(name):
    before = origins("default", 12)
    origins(name, 12)
    assert origins("default", 12) == before


def line(method: str, seed: int, gap: float) -> Line:
    return Line("bbob-5-f02", method, seed, 200, [(1, gap)], 1.0, {})


def test_decades_compare_equal_problems_and_seeds():
    lines = [line("default", 0, 1e-3), line("default", 1, 1.0), line("tail", 0, 1e-1), line("tail", 2, 5.0)]
    assert_allclose(ablate.decades(lines, "tail"), [2.0], atol=1e-12)


def test_gaps_of_solved_problems_are_equal():
    assert np.array_equal(ablate.decades([line("default", 0, 0.0), line("tail", 0, 1e-9)], "tail"), [0.0])


def test_table_puts_what_costs_most_first(tmp_path, monkeypatch):
    lines = [line("default", s, 1.0) for s in range(3)]
    lines += [line("tail", s, 10.0 + s) for s in range(3)] + [line("margin", s, 1.0) for s in range(3)]
    monkeypatch.setattr(Experiment, "lines", property(lambda self: lines))
    rows = ablate.compared(ablate.EXPERIMENT, "bbob-5").rows
    assert [row[0] for row in rows] == ["without the drawn-in tail", "without the margin among categoricals"]
