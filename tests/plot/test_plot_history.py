"""The optimization history, as numbers and as a figure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import rembo
from rembo.plot import plot_optimization_history
from rembo.plot.data.history import bands, course, courses_by_run, steps
from rembo.plot.data.search import Search, searches
from rembo.plot.data.thinning import evenly


@given(st.integers(1, 10_000), st.integers(2, 50))
def test_evenly_spread_numbers_are_few_and_hold_both_ends(count, most):
    chosen = evenly(count, most)
    assert (chosen[0], chosen[-1]) == (0, count - 1)
    assert len(chosen) == min(count, most)


def test_best_so_far_is_the_lowest_value_so_far(embedded_search):
    one = course(embedded_search)
    assert_array_equal(one.best, [one.values[: n + 1].min() for n in range(len(one.values))])


def test_best_so_far_of_a_maximised_search_never_falls():
    best = course(Search.of(rembo.maximize(lambda x: x[0], rembo.Box(9), 12, seed=0))).best
    assert (np.diff(best) >= 0.0).all()
    assert best[-1] > best[0]


def test_value_of_a_failed_trial_is_missing_and_the_best_goes_on(odd_study):
    one = course(Search.of(odd_study))
    failed = [trial.value is None for trial in Search.of(odd_study).told]
    assert_array_equal(np.isnan(one.values), failed)
    assert np.isfinite(one.best[-1])


def test_runs_share_out_the_evaluations(embedded_search):
    by_run = courses_by_run(embedded_search)
    together = np.sort(np.concatenate([run.evaluations for run in by_run]))
    assert [run.name for run in by_run] == ["run 0", "run 1"]
    assert_array_equal(together, np.arange(1, 25))


def test_staircase_has_a_step_for_each_change_and_the_end():
    assert_array_equal(steps(np.array([np.nan, 3.0, 3.0, 1.0, 1.0, 1.0])), [1, 3, 5])


def test_staircase_without_a_value_has_no_step():
    assert len(steps(np.array([np.nan, np.nan]))) == 0


def test_band_is_as_long_as_its_shortest_search(random_results):
    (band,) = bands(searches(random_results))
    assert (band.seeds, band.evaluations[-1]) == (3, 20)


def test_band_holds_the_quartiles_of_the_best_values(random_results):
    (band,) = bands(searches(random_results))
    final = [course(search).best[19] for search in searches(random_results)]
    assert_array_equal([band.low[-1], band.median[-1], band.high[-1]], np.quantile(final, (0.25, 0.5, 0.75)))


def test_band_begins_where_every_search_has_a_value():
    study = rembo.Study(rembo.Box(9), optimizer=rembo.RandomSearch(rembo.Box(9), seed=0))
    study.fail(study.ask(), "out of memory")
    study.tell(study.ask(), 1.0)
    (band,) = bands(searches([study]))
    assert_array_equal(band.evaluations, [2])


def test_band_of_nothing_but_failures_is_empty():
    study = rembo.Study(rembo.Box(9), optimizer=rembo.RandomSearch(rembo.Box(9), seed=0))
    study.fail(study.ask(), "out of memory")
    (band,) = bands(searches([study]))
    assert len(band.median) == 0


def test_figure_of_one_study_shows_every_run_and_the_best(rembo_result):
    names = [trace.name for trace in plot_optimization_history(rembo_result).data]
    assert names == ["run 0", "best of run 0", "run 1", "best of run 1", "best so far"]


def test_figure_marks_the_trials_without_a_value(odd_study):
    (failures,) = plot_optimization_history(odd_study).select_traces({"name": "no value"})
    assert_array_equal(failures.customdata, [trial.number for trial in odd_study.trials if trial.value is None])


def test_figure_of_several_studies_has_a_band_for_those_of_one_name(rembo_result, random_results):
    drawn = plot_optimization_history({"ours": rembo_result, "random": random_results}).data
    assert [trace.fill for trace in drawn] == [None, "toself", None]
    assert "ours (one search)" in drawn[0].name
    assert "median of 3" in drawn[2].name


def test_figure_of_many_trials_shows_no_more_marks_than_one_can_see():
    space = rembo.Box(9)
    result = rembo.minimize(lambda x: x[0], space, 2_100, optimizer=rembo.RandomSearch(space, seed=0))
    figure = plot_optimization_history(result)
    assert max(len(trace.x) for trace in figure.data) == 2_000
    assert figure.data[-1].y[-1] == result.fun


def test_log_axis_leaves_the_marks_of_failures_at_the_foot(odd_study):
    layout = plot_optimization_history(odd_study, log=True).layout
    assert (layout.yaxis.type, layout.yaxis2.type) == ("log", None)


def test_log_axis_is_refused_where_a_value_is_not_above_zero():
    result = rembo.minimize(lambda x: -2.0, rembo.Box(9), 9, seed=0)
    with pytest.raises(ValueError, match=r"a log axis needs values above 0, and the lowest is -2: leave log out"):
        plot_optimization_history(result, log=True)


@pytest.mark.parametrize("several", [False, True])
def test_target_is_a_line_across_the_whole_history(rembo_result, random_results, several):
    figure = plot_optimization_history(random_results if several else rembo_result, target=0.25)
    (line,) = figure.select_traces({"name": "target 0.25"})
    assert (list(line.y), line.x[-1]) == ([0.25, 0.25], 20 if several else 24)
