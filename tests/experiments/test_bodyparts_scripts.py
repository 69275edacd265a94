"""The scripts on body parts, each on a tiny problem with two evaluations."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")
pytest.importorskip("numba", reason="the forest needs numba")

import bodyparts
import bodyparts_test
from bodyparts_test import UNTUNED, Judgement
from harness.contest import contest
from harness.record import append
from harness.search import Line
from rembo.problems.bodyparts import BodyParts, Size, Stream, Work

TINY = partial(BodyParts, size=Size(pictures=3, pixels_per_label=10, judged_pixels=200), budget=Work(20_000))
ONE_SEED = ["--seeds", "1", "--workers", "1"]


@pytest.fixture
def tiny(shortened):
    """The experiment with tiny forests, and a folder of its own."""
    short = shortened(bodyparts.EXPERIMENT)
    return replace(short, tasks={name: replace(task, instance=TINY) for name, task in short.tasks.items()})


def found(method, seed, **parameters):
    """A search that found the default with other parameters."""
    best = TINY(seed).space.default | parameters
    return Line("bodyparts", method, seed, 2, [(1, 0.5)], 0.1, {"rembo": "0.1.0"}, best=best)


def test_figure_of_body_parts_is_drawn(tiny, tmp_path):
    chosen = ["--methods", "random", "bo", "rembo", "default", "rembo-4", "bo-4", "default-4"]
    assert contest(tiny, "", bodyparts.present, [*chosen, *ONE_SEED]) == 0
    assert (tmp_path / "bodyparts.svg").exists()


def test_best_configuration_of_each_search_is_kept(tiny):
    contest(tiny, "", bodyparts.present, ["--methods", "random", *ONE_SEED])
    (line,) = tiny.lines
    assert TINY(0)(line.best) == pytest.approx(line.gap, abs=1e-6)  # gaps are kept to six digits


@pytest.mark.parametrize("method", ["smac", "smac-4"])
def test_smac_tunes_body_parts(tiny, method):
    pytest.importorskip("smac", reason="SMAC needs SMAC3")
    assert contest(tiny, "", bodyparts.present, ["--methods", method, *ONE_SEED]) == 0


def test_methods_alone_and_four_of_each_are_compared():
    alone = {name for name in bodyparts.METHODS if f"{name}-4" in bodyparts.METHODS}
    assert set(bodyparts.METHODS) == alone | {f"{name}-4" for name in alone} | {"random"}


def test_test_pictures_judge_what_was_found_and_the_default(tiny, tmp_path, capsys):
    append(tiny.path, found("bo", 0, candidates=3))
    append(tiny.path, found("bo", 1, candidates=4))
    bodyparts_test.present(tiny)
    page = (tmp_path / "bodyparts_test.md").read_text()
    assert f"| {UNTUNED} | 2 |" in page
    assert "| BO, single run | 2 |" in page


def test_forest_is_judged_on_validation_and_on_test_pictures():
    problem = TINY(0)
    forest = problem.forest(problem.space.default)
    expected = [forest.accuracy(problem.judged(stream)) for stream in (Stream.VALIDATION, Stream.TEST)]
    assert bodyparts_test.judge(problem, problem.space.default) == Judgement(*expected)


def test_row_of_the_test_tells_means_and_the_largest_difference():
    row = bodyparts_test.row("BO", [Judgement(0.5, 0.49), Judgement(0.6, 0.63)])
    assert row == ["BO", "2", "0.5500", "0.5600", "+0.0100", "+0.0300"]
