"""Ranks, first places, and the share of targets reached."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from harness.contest import Experiment
from harness.methods import CMA_ES, DEFAULT, RANDOM
from harness.record import append
from harness.search import Line, Task
from harness.standings import meetings, met, share_of_targets
from rembo.problems import Branin, Padded

TASKS = {name: Task(name, partial(Padded, Branin(), 5), 4, family) for name, family in (("f1", "a"), ("f2", "b"))}
METHODS = {"default": DEFAULT, "random": RANDOM, "cma": CMA_ES}


def line(method, gap=1.0, seed=0, problem="f1", cpu_s=1.0):
    return Line(problem, method, seed, 4, [(1, 1e3), (3, gap)], cpu_s, {})


@pytest.fixture
def meeting(tmp_path):
    """What the methods of a family did that finished these searches."""

    def meet(*lines):
        experiment = Experiment("small", TASKS, METHODS, 2, 2, results=tmp_path)
        list(map(partial(append, experiment.path), lines))
        return met(experiment, "a")

    return meet


def test_lowest_gap_has_rank_one(meeting):
    ranks = meeting(line("random", 3.0), line("default", 1.0), line("cma", 2.0)).ranks
    assert {name: rank.tolist() for name, rank in ranks.items()} == {"default": [1.0], "random": [3.0], "cma": [2.0]}


def test_ties_share_the_mean_of_their_ranks(meeting):
    ranks = meeting(line("random", 2.0), line("default", 2.0), line("cma", 1.0)).ranks
    assert [ranks[name][0] for name in METHODS] == [2.5, 2.5, 1.0]


def test_gaps_below_the_finest_target_are_equal(meeting):
    found = meeting(line("random", 9e-9), line("default", 0.0), line("cma", 2e-8))
    assert [found.ranks[name][0] for name in METHODS] == [1.5, 1.5, 3.0]
    assert found.firsts == {"default": 1, "random": 1, "cma": 0}


def test_methods_meet_where_all_of_them_finished(meeting):
    lines = [line("random", 2.0, seed) for seed in (0, 1)]
    found = meeting(*lines, line("default", 1.0, 1), line("cma", problem="f2"))
    assert (found.pairs, found.finished) == (1, {"default": 1, "random": 2})
    assert [each.seed for each in found.lines["random"]] == [1]


@pytest.mark.parametrize(("slow", "expected"), [("cma", [(3, 1), (2, 2)]), ("default", [(3, 1)])])
def test_faster_methods_meet_again_without_those_that_finished_less(tmp_path, slow, expected):
    experiment = Experiment("small", TASKS, METHODS, 2, 2, results=tmp_path)
    lines = [line(name, seed=seed) for name in METHODS for seed in (0, 1) if name != slow or seed == 0]
    list(map(partial(append, experiment.path), lines))
    assert [(len(found.lines), found.pairs) for found in meetings(experiment, "a")] == expected


def test_methods_with_nothing_in_common_are_not_compared(meeting):
    assert meeting(line("random", seed=0), line("default", seed=1)).pairs == 0


def test_family_without_a_search_has_no_methods(meeting):
    assert meeting(line("random", problem="f2")).lines == {}


def test_search_of_a_problem_that_is_gone_is_left_out(meeting):
    assert meeting(line("random", problem="f3"), line("random")).finished == {"random": 1}


def test_seconds_are_the_median_of_the_searches(meeting):
    assert meeting(line("cma", cpu_s=1.0), line("cma", seed=1, cpu_s=4.0)).seconds == {"cma": 2.5}


def test_share_counts_the_targets_that_each_search_reached():
    found = share_of_targets([line("random", 1.0), line("cma", 1e-8)], 4)
    assert_allclose(found, [0.0, 0.0, (11 + 51) / 102, (11 + 51) / 102])  # gap 1 reaches 11 of the 51 from 100 down


def test_share_never_falls():
    found = share_of_targets([Line("f1", "cma", 0, 9, [(1, 50.0), (2, 0.3), (8, 1e-5)], 1.0, {})], 9)
    assert_array_equal(found, np.maximum.accumulate(found))
