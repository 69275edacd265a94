"""The scripts, each run with two evaluations; and what their tables say."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

import discrete_branin
import lpsolve
import overview
import peers
import standard
import table1
from harness.contest import contest
from harness.methods.panels import SINGLE
from harness.record import append
from harness.search import Line
from harness.statistics import Summary
from rembo.problems.lpsolve import COMPILER, LP_SOLVE

ONE_SEED = ["--seeds", "1", "--workers", "1"]


def line(method, seed=0, gap=0.5, problem="branin-25"):
    return Line(problem, method, seed, 100, [(1, 3.0), (40, gap)], 0.1, {"rembo": "0.1.0"})


def record(experiment, *lines):
    """The experiment after these searches."""
    list(map(partial(append, experiment.path), lines))
    return experiment


def test_figure_of_the_billion_dimensions_is_drawn(shortened, tmp_path):
    assert contest(shortened(standard.EXPERIMENT), "", standard.present, ONE_SEED) == 0
    assert {path.name for path in tmp_path.iterdir()} == {f"standard.{end}" for end in ("jsonl", "md", "png", "svg")}


def test_only_methods_that_can_search_a_billion_dimensions_do(shortened):
    experiment = shortened(standard.EXPERIMENT)
    contest(experiment, "", standard.present, ["--problems", "branin-1e9", *ONE_SEED])
    assert {line.method for line in experiment.lines} == {
        "random",
        "rembo",
        "rembo-projected",
        "rembo-released",
        "default",
    }


def test_figure_of_discrete_branin_is_drawn(shortened, tmp_path):
    assert contest(shortened(discrete_branin.EXPERIMENT), "", discrete_branin.present, ONE_SEED) == 0
    assert (tmp_path / "discrete_branin.svg").exists()


@pytest.mark.parametrize("task", discrete_branin.TASKS.values(), ids=discrete_branin.TASKS)
def test_discrete_branin_has_225_points_that_differ(task):
    problem = task.instance(0)
    assert problem.levels ** len(problem.problem.coordinates) == 225


def test_table_1_is_written_with_what_is_finished(shortened, tmp_path):
    cells = ["--methods", "k4-d2-unprojected-y", "k1-d4-projected-image"]
    assert contest(shortened(table1.EXPERIMENT), "", table1.present, [*cells, "--seeds", "2", "--workers", "1"]) == 0
    page = (tmp_path / "table1.md").read_text()
    assert (page.count("(2)"), page.count("not run yet")) == (2, len(table1.METHODS) - 2)


def test_table_1_says_how_a_cell_compares_with_the_paper():
    printed = table1.Printed(1.0, 0.5)
    found = [(0.5, 1.0, 1.6), (0.0, 0.1, 0.2), (7.0, 7.5, 8.0)]
    assert [table1.cell(Summary(gaps), printed)[-2:] for gaps in found] == [" =", " <", " >"]


def test_table_1_does_not_judge_by_a_single_seed():
    assert table1.sign(Summary((1.0,)), table1.Printed(1.0, 0.5)) == ""


def test_equal_gaps_in_25_and_in_a_billion_dimensions_are_called_equal(shortened):
    lines = [line("rembo", seed, 0.1 * seed, problem) for seed in range(9) for problem in ("branin-25", "branin-1e9")]
    assert standard.equality(record(shortened(standard.EXPERIMENT), *lines), "rembo") == 1.0


def test_nothing_is_said_of_dimensions_that_were_not_run(shortened):
    assert "not run yet" in standard.told(record(shortened(standard.EXPERIMENT), line("rembo")), "rembo")


@pytest.mark.skipif(not LP_SOLVE.available, reason=LP_SOLVE.absence)
@pytest.mark.skipif(not COMPILER.available, reason=COMPILER.absence)
def test_lp_solve_is_configured_by_single_runs_and_in_turns(shortened, tmp_path):
    chosen = ["--methods", "random", "param-ils-4", "--problems", "looked-at"]
    assert contest(shortened(lpsolve.EXPERIMENT), "", lpsolve.present, [*chosen, *ONE_SEED]) == 0
    page = (tmp_path / "lpsolve.md").read_text()
    assert "| random search, single run | 1 |" in page
    assert "| ParamILS, k = 4 | 1 |" in page
    assert "looked at: as it comes, lp_solve leaves a gap of 1; with the best configuration of 2 searches 1, " in page
    assert "which 2 of them reach." in page
    assert "held out: as it comes, lp_solve leaves a gap of 1." in page


def test_default_is_told_from_the_best_of_the_others_by_its_standard_error(shortened):
    found = {"default": (0.25, 0.75), "smac": (0.25, 0.25), "bo": (0.5, 0.75), "default-4": (0.5, 0.5)}
    lines = [line(method, seed, gap, "held-out") for method, pair in found.items() for seed, gap in enumerate(pair)]
    experiment = record(shortened(lpsolve.EXPERIMENT), *lines)
    assert lpsolve.standings(experiment).rows == [["held-out, single run", "SMAC", "0.25", "0.5", "0.25", "0.25"]]


def test_single_seed_has_no_standard_error(shortened):
    lines = [line(method, gap=gap, problem="held-out") for method, gap in (("default", 0.25), ("smac", 0.5))]
    experiment = record(shortened(lpsolve.EXPERIMENT), *lines)
    assert lpsolve.standings(experiment).rows == [["held-out, single run", "SMAC", "0.5", "0.25", "-0.25", ""]]


def test_all_that_share_the_best_mean_are_named(shortened):
    found = {"default": 0.5, "bo": 0.25, "param-ils": 0.75, "smac": 0.25}
    experiment = record(
        shortened(lpsolve.EXPERIMENT), *(line(method, gap=gap, problem="held-out") for method, gap in found.items())
    )
    assert lpsolve.standings(experiment).rows == [["held-out, single run", "BO, SMAC", "0.25", "0.5", "0.25", ""]]


def test_report_without_a_finished_search_says_so(shortened, capsys):
    discrete_branin.present(shortened(discrete_branin.EXPERIMENT))
    assert capsys.readouterr().out == "discrete_branin: nothing is finished yet\n"


def test_peers_are_run_and_shown(shortened, tmp_path):
    chosen = ["--methods", "default", "random", "--problems", "branin-25", "sparse-bits"]
    assert contest(shortened(peers.EXPERIMENT), "", peers.present, [*chosen, *ONE_SEED]) == 0
    assert "| SparseBits, 50 bits, 10 active | 2 |" in (tmp_path / "peers.md").read_text()


def test_lowest_mean_among_peers_is_bold(shortened):
    experiment = record(shortened(peers.EXPERIMENT), line("random", gap=0.5), line("cma", gap=0.25))
    assert peers.side_by_side(experiment).rows == [["Branin in D = 25", "2", "0.5 (1)", "**0.25** (1)"]]


def test_every_kept_search_of_the_peers_is_readable():
    assert {found.method for found in peers.EXPERIMENT.lines} <= set(peers.METHODS)


def test_overview_names_the_methods_from_the_lowest_mean_gap_on(shortened):
    found = {"random": 0.5, "hd-bo": 0.25, "bo": 0.5}
    experiment = record(shortened(standard.EXPERIMENT), *(line(method, gap=gap) for method, gap in found.items()))
    assert overview.order(experiment, "branin-25") == "HD BO 0.25 < random search, BO 0.5"


def test_overview_compares_single_runs_with_single_runs(shortened):
    lines = [line(method, gap=gap, problem="held-out") for method, gap in (("bo", 0.5), ("rembo", 0.2), ("bo-4", 0.1))]
    experiment = record(shortened(lpsolve.EXPERIMENT), *lines)
    assert overview.order(experiment, "held-out", SINGLE) == "REMBO 0.2 < BO 0.5"


def test_overview_says_what_was_not_run_yet(shortened):
    claim = replace(overview.CLAIMS[0], experiment=shortened(table1.EXPERIMENT))
    assert claim.row[2:4] == ["not run yet", ""]


def test_overview_counts_the_seeds_of_its_cell(shortened):
    lines = [line("k4-d2-released", 0, 0.1), line("k4-d2-released", 1, 0.3), line("k1-d2-projected-y")]
    claim = replace(overview.CLAIMS[0], experiment=record(shortened(table1.EXPERIMENT), *lines))
    assert claim.row[2:4] == ["0.2 ± 0.14", "2"]


def test_methods_with_fewer_seeds_are_told_from_the_others():
    assert overview.seeds([line("random", 0), line("random", 1), line("bo", 0)]) == "1 to 2"


def test_overview_replaces_its_own_part_of_the_page():
    page = f"before {overview.BEGIN} old {overview.END} after"
    assert overview.written(page, "new") == f"before {overview.BEGIN}\n\nnew\n\n{overview.END} after"


def test_page_without_a_place_for_the_overview_is_refused():
    with pytest.raises(ValueError, match="has no part between"):
        overview.written("a page", "new")


def test_overview_in_the_readme_is_what_the_results_say():
    page = overview.README.read_text()
    assert overview.written(page, overview.overview()) == page
