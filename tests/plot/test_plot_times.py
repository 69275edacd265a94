"""Where the time goes, and what the workers did."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import rembo
from rembo.optimizer import TrialState
from rembo.plot import plot_timeline, plot_times
from rembo.plot.data.search import Search
from rembo.plot.data.timeline import MOST_BARS, timeline
from rembo.plot.data.times import times
from rembo.study import StudyTrial

BOX = rembo.Box(9)


def study_of(*spans, worker="a", state=TrialState.COMPLETE):
    """A search of which only the times are known: one trial for each (start, stop)."""
    random = rembo.RandomSearch(BOX, seed=0)
    point = random.ask().point
    trials = tuple(
        StudyTrial(BOX, n, point, 2 * n, state=state, told=2 * n + 1, worker=worker, started_at=start, finished_at=stop)
        for n, (start, stop) in enumerate(spans)
    )
    return Search("spans", "minimize", random, trials, ())


def test_overhead_is_the_share_of_suggestions_in_the_time():
    spans = times(study_of((0.0, 3.0), (3.0, 6.0)))
    assert type(spans)("", spans.numbers, np.array([1.0, 1.0]), spans.evaluating).overhead == pytest.approx(0.25)


def test_overhead_of_nothing_is_nothing():
    assert times(study_of()).overhead == 0.0


def test_times_of_trials_that_were_told_by_hand_are_unknown():
    study = rembo.Study(BOX, optimizer=rembo.RandomSearch(BOX, seed=0))
    study.tell(study.ask(), 1.0)
    assert_array_equal(np.isnan(times(Search.of(study)).evaluating), [True])


def test_times_of_a_study_are_those_of_its_trials(odd_study):
    found = times(Search.of(odd_study))
    assert_array_equal(found.suggesting, [trial.ask_seconds for trial in odd_study.trials])
    assert_array_equal(found.evaluating, [trial.duration for trial in odd_study.trials])


def test_figure_of_times_shows_evaluations_beside_suggestions(odd_study, random_results):
    names = [trace.name for trace in plot_times([odd_study, random_results[0]]).data]
    assert names[2:] == ["evaluation (RandomSearch)", "suggestion (RandomSearch)"]


def test_trials_that_overlap_in_a_worker_get_a_lane_each():
    lanes = [bar.lane for bar in timeline(study_of((0.0, 2.0), (1.0, 3.0), (2.5, 4.0)))]
    assert lanes == [0, 0, 1]


def test_lanes_of_a_worker_are_at_most_sixteen():
    bars = timeline(study_of(*((0.01 * n, 50.0 + n) for n in range(40))))
    assert max(bar.lane for bar in bars) == 15


def test_bars_of_a_lane_do_not_overlap():
    rng = np.random.default_rng(0)
    starts = np.sort(rng.uniform(0.0, 100.0, 200))
    bars = timeline(study_of(*zip(starts, starts + rng.uniform(0.1, 3.0, 200), strict=True)))
    neighbours = [(a, b) for a, b in pairwise(bars) if a.lane == b.lane]
    assert all(a.stop <= b.start for a, b in neighbours)


def test_many_short_trials_are_few_bars_that_count_them_all():
    bars = timeline(study_of(*((float(n), n + 0.5) for n in range(20_000))))
    assert len(bars) <= MOST_BARS
    assert sum(bar.trials for bar in bars) == 20_000
    assert (bars[0].first, bars[-1].last) == (0, 19_999)


def test_trials_that_ended_differently_are_not_joined():
    good, bad = study_of((0.0, 1e-9)), study_of((1e-9, 2e-9), (9.0, 10.0), state=TrialState.FAIL)
    both = Search("both", "minimize", good.optimizer, good.trials + bad.trials, ())
    assert [bar.state for bar in timeline(both)] == [TrialState.COMPLETE, TrialState.FAIL, TrialState.FAIL]


def test_trial_that_was_told_by_hand_ran_since_it_was_asked():
    study = rembo.Study(BOX, optimizer=rembo.RandomSearch(BOX, seed=0))
    trial = study.tell(study.ask(), 1.0)
    (bar,) = timeline(Search.of(study))
    assert (bar.worker, bar.start, bar.stop) == ("told by hand", trial.asked_at, trial.finished_at)


def test_study_without_finished_trials_has_an_empty_timeline():
    assert timeline(study_of()) == []
    assert len(plot_timeline(study_of()).data) == 0


def test_figure_of_the_timeline_has_a_colour_for_each_end(odd_study):
    assert [trace.name for trace in plot_timeline(odd_study).data] == ["complete", "fail"]


def test_figure_of_the_timeline_shows_the_studies_apart(random_results):
    names = plot_timeline({"one": random_results[0], "two": random_results[1]}).layout.yaxis.ticktext
    assert [name.split()[0] for name in names] == ["one", "two"]


def test_threads_of_a_process_are_lanes_of_a_worker():
    study = rembo.Study(BOX, optimizer=rembo.RandomSearch(BOX, seed=0))
    with ThreadPoolExecutor(2) as threads:
        study.optimize(lambda x: x[0], 12, executor=threads)
    bars = timeline(Search.of(study))
    assert len({bar.worker for bar in bars}) == 1
    assert sum(bar.trials for bar in bars) == 12
