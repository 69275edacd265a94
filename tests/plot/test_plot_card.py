"""The method card: what was used, the evidence, the comparison, and the warnings."""

from functools import partial

import numpy as np
import pytest

import rembo
from rembo.plot import plot_method_card
from rembo.plot.data.card import method_card
from rembo.plot.data.card.comparison import compare
from rembo.plot.data.card.evidence import directions
from rembo.plot.data.card.matters import Matters, Verdict
from rembo.plot.data.model import model_of
from rembo.plot.data.search import Search, searches

BOX = rembo.Box(10)


def card_of(f, optimizer, n_trials, **options):
    return method_card(Search.of(rembo.minimize(f, optimizer.space, n_trials, optimizer=optimizer)), **options)


def topics(entries):
    return {entry.topic: entry.finding for entry in entries}


def test_card_names_the_parts_that_were_used(embedded_search):
    used = topics(method_card(embedded_search).used)
    assert (used["Method"], used["Embedding"], used["Runs"]) == ("Rembo", "GaussianEmbedding, d = 2", "2")
    assert (used["Acquisition"], used["Learning"]) == ("LogExpectedImprovement", "Schedule")


def test_card_of_a_growing_search_tells_its_bins(growing_search):
    used = topics(method_card(growing_search).used)
    assert used["Embedding"].endswith("bins, 8 at first")


def test_card_counts_trials_without_a_value(odd_study):
    failed = sum(trial.value is None for trial in odd_study.trials)
    assert (
        topics(method_card(Search.of(odd_study)).used)["Trials"] == f"{24 - failed} complete, {failed} without a value"
    )


def test_card_of_a_method_without_a_model_says_that_it_cannot_tell(random_results):
    assert topics(method_card(Search.of(random_results[0])).evidence) == {"Directions": "unknown"}


def test_as_many_directions_are_seen_as_matter(growing_search):
    assert topics(method_card(growing_search).evidence)["Directions"].startswith("2 of ")


def test_runs_of_rembo_are_told_apart_by_their_best_values(embedded_search):
    lowest, highest = topics(method_card(embedded_search).evidence)["Best value of each run"].split(" to ")
    assert float(lowest) == pytest.approx(embedded_search.best.value, rel=1e-5)
    assert float(highest) > float(lowest)


def test_single_run_of_rembo_cannot_tell_directions():
    card = card_of(lambda x: x[0] ** 2, rembo.Rembo(BOX, 2, seed=0), 6)
    assert topics(card.evidence)["Directions"] == "unknown"


def test_function_of_a_rotated_subspace_is_told_as_such():
    card = card_of(lambda x: (x[:].sum() / 5.0 - 0.3) ** 2, rembo.Growing(rembo.Box(30), seed=0), 16)
    assert "across the bins" in topics(card.evidence)["Subspace"]


def test_flat_function_varies_along_no_direction():
    result = rembo.minimize(lambda x: 1.0, BOX, 8, optimizer=rembo.Rembo(BOX, 2, seed=0))
    assert directions(model_of(Search.of(result))) == 0


def test_card_of_switches_tells_of_no_directions():
    space = rembo.Space({name: rembo.Bool() for name in "abcdefgh"})
    evidence = topics(card_of(lambda x: 2.0 * x["c"] + x["f"], rembo.Growing(space, seed=0), 20).evidence)
    assert ("Directions" in evidence, evidence["Parameters that matter"]) == (False, "2 of 8")


def test_card_counts_the_parameters_that_matter(growing_search):
    found = Matters.counted(growing_search.optimizer.importance())
    assert topics(method_card(growing_search).evidence)["Parameters that matter"] == found.finding
    assert (found.parameters, found.verdict) == (1000, Verdict.FEW)


def test_card_of_a_single_value_does_not_count():
    card = card_of(lambda x: x[0] ** 2, rembo.Growing(BOX, seed=0), 1)
    assert topics(card.evidence)["Parameters that matter"] == "unknown"


def group(size, effect_low, high):
    """A group of so many parameters; its effect is at least so much, and its share may reach `high`."""
    return rembo.Importance((), size, 0.5 * high, 0.0, high, 1.0, effect_low, 2.0)


SURE, OPEN, IDLE = (partial(group, effect_low=low, high=high) for low, high in [(0.5, 0.2), (-0.5, 0.2), (-0.5, 0.001)])
CASES = {
    "few": ([SURE(1), OPEN(1), IDLE(98)], Matters(1, 2, 100), Verdict.FEW),
    "few, in groups": ([SURE(10), IDLE(90)], Matters(1, 10, 100), Verdict.FEW),
    "none": ([IDLE(100)], Matters(0, 0, 100), Verdict.FEW),
    "all": ([SURE(1)] * 10, Matters(10, 10, 10), Verdict.MANY),
    "many of several": ([SURE(1)] * 4 + [OPEN(2)] * 3, Matters(4, 10, 10), Verdict.MANY),
    "unknown yet": ([SURE(1), OPEN(99)], Matters(1, 100, 100), Verdict.UNKNOWN),
    "a group that may hold one or all": ([SURE(50), IDLE(50)], Matters(1, 50, 100), Verdict.UNKNOWN),
}


@pytest.mark.parametrize(("groups", "count", "verdict"), CASES.values(), ids=CASES)
def test_verdict_on_few_parameters_follows_from_one_count(groups, count, verdict):
    found = Matters.counted(groups)
    assert (found, found.verdict) == (count, verdict)


@pytest.mark.parametrize("parameters", [1, 4, 7, 100])
def test_no_count_says_both_few_and_many(parameters):
    counts = [Matters(low, high, parameters) for high in range(parameters + 1) for low in range(high + 1)]
    for found in counts:
        assert (found.verdict is Verdict.FEW) == (4 * found.at_most <= parameters)
        assert (found.verdict is Verdict.MANY) == (4 * found.at_least > parameters)


def test_card_without_a_baseline_says_how_to_compare(embedded_search):
    (entry,) = method_card(embedded_search).comparison
    assert "not compared" in entry.finding
    assert "random_baseline=" in entry.meaning


def test_comparison_stops_where_the_shortest_search_does(growing_search, random_results):
    assert compare(growing_search, searches(random_results)).evaluations == 20


def test_comparison_counts_the_random_searches_that_were_beaten(growing_search, random_results):
    found = compare(growing_search, searches(random_results))
    assert found.better == np.count_nonzero(found.theirs > found.ours)


def test_comparison_tells_when_the_median_of_random_search_was_matched(growing_search, random_results):
    found = compare(growing_search, searches(random_results))
    values = [trial.value for trial in growing_search.told]
    assert min(values[: found.matched]) <= np.median(found.theirs) < min(values[: found.matched - 1])


def test_maximised_searches_are_compared_by_their_highest_values():
    ours, theirs = (
        rembo.maximize(f, BOX, 6, optimizer=rembo.RandomSearch(BOX, seed=0))
        for f in (lambda x: x[0] + 1, lambda x: x[0])
    )
    found = compare(Search.of(ours), searches([theirs]))
    assert (found.better, found.ours) == (1, ours.fun)


def test_search_that_never_matches_random_search_is_told_so():
    worse, better = (
        rembo.minimize(f, BOX, 6, optimizer=rembo.RandomSearch(BOX, seed=0)) for f in (lambda x: 9.0, lambda x: x[0])
    )
    card = method_card(Search.of(worse), searches([better]))
    assert topics(card.comparison)["As good as random search"] == "never"
    assert "better than 0 of 1 random searches" in card.warnings[0]


def test_baseline_that_is_no_random_search_is_an_error(embedded_search, growing_search):
    with pytest.raises(ValueError, match="was searched by Growing: give a study of RandomSearch"):
        method_card(embedded_search, [growing_search])


def test_baseline_of_another_space_is_an_error(growing_search):
    other = Search.of(rembo.minimize(lambda x: x[0], BOX, 6, optimizer=rembo.RandomSearch(BOX, seed=0)))
    with pytest.raises(ValueError, match="has another space or direction than 'Growing'"):
        method_card(growing_search, [other])


def test_few_values_are_a_warning():
    card = card_of(lambda x: x[0] ** 2, rembo.Rembo(BOX, 2, seed=0), 6)
    assert "6 values are few to judge by" in card.warnings[0]


def test_function_of_everything_is_a_warning_with_the_count_of_the_card():
    card = card_of(lambda x: sum((x[i] - 0.3) ** 2 for i in range(10)), rembo.Growing(BOX, seed=0), 50)
    count = topics(card.evidence)["Parameters that matter"]
    assert f"f depends on {count} parameters: it is not the case that few matter." in card.warnings


def test_noise_that_nothing_predicts_is_a_warning():
    values = iter(np.random.default_rng(0).normal(size=99).tolist())
    card = card_of(lambda x: next(values), rembo.Rembo(BOX, 2, noise="learn", seed=0), 30)
    assert any("of the variance: f is rugged, noisy" in warning for warning in card.warnings)


def test_best_point_on_one_edge_of_the_region_is_a_warning():
    optimizer = rembo.Rembo(BOX, 2, region=rembo.Region(2, 0.1), seed=1)
    card = card_of(lambda x: x[0] + 400.0 * x[1] ** 2, optimizer, 20)
    assert any("on the edge of the region" in warning for warning in card.warnings)


def test_many_failures_are_a_warning():
    def fails_often(x):
        return x[0] if x[1] > 0.0 else np.nan

    card = card_of(fails_often, rembo.RandomSearch(BOX, seed=0), 20)
    assert any("of the trials gave no value" in warning for warning in card.warnings)


def test_search_that_does_well_has_no_warning(growing_search, random_results):
    assert method_card(growing_search, searches(random_results)).warnings == ()


def test_figure_of_the_card_holds_all_its_parts(growing_result, random_results):
    (table,) = plot_method_card(growing_result, random_baseline=random_results).data
    heads = [cell for cell in table.cells.values[0] if cell.startswith("<b>")]
    assert heads == ["<b>What was used</b>", "<b>Evidence</b>", "<b>Comparison</b>", "<b>Warnings</b>"]
