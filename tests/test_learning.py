"""Algorithm 3, branch by branch, and what the two ways of learning find in data whose origin is known."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from rembo import BayesOpt, minimize
from rembo.embedding import IdentityEmbedding
from rembo.gp import Evidence, Noise
from rembo.kernel import Hamming, SquaredExponential
from rembo.learning import Hyperparameters, LengthScale, MaximumAPosteriori, Schedule, advance
from rembo.maximizer import Maximum
from rembo.space import Bool, Box, Space

EXPLOITING, EXPLORING = 0.0, 1.0  # a spread below the threshold of 0.002, and one above
NOISELESS, UNKNOWN = Noise(1e-6, 1e-6), Noise(1e-8, 1.0)
BEGINNING = LengthScale(1.0)
SQUARE = SquaredExponential(scale=1.0).bind(Box(2), IdentityEmbedding(2))
CUBE = SquaredExponential(scale=1.0, ard=True).bind(Box(3), IdentityEmbedding(3))


def longest(low, high):
    """A learner that always finds its upper bound."""
    return high


def history(stds, now=BEGINNING, learn=longest, rule=Schedule()):
    """The states of Algorithm 3 over a sequence of spreads, the first one included."""
    steps = enumerate(stds, start=1)
    return list(accumulate(steps, lambda now, step: advance(rule, now, *step, learn), initial=now))


def drawn_from(kernel, scale, noise=0.0, n=50, seed=0):
    """The evidence of values drawn from a Gaussian process of this length scale at n random points."""
    rng = np.random.default_rng(seed)
    Y = rng.uniform(-1.0, 1.0, size=(n, 2))
    K = kernel.with_scales(np.array([scale])).covariance(Y, Y) + (noise + 1e-10) * np.eye(n)
    return Evidence(kernel, Y, np.linalg.cholesky(K) @ rng.standard_normal(n), UNKNOWN if noise else NOISELESS)


def learned(rule, evidence, seed=0):
    """What one due step of the rule finds, from its own beginning."""
    begun = rule.begin(evidence.kernel, evidence.noise)
    return rule.advance(begun, t=20, std=EXPLORING, evidence=evidence, rng=np.random.default_rng(seed))


def grid(low, high, n=400):
    return np.geomspace(low, high, n)


def stay(score, region, starts, rng):
    """A maximizer that finds nothing better than its start."""
    return Maximum(starts[0], float(score(starts)[0]))


# Algorithm 3, the pure function, each branch by name


def test_settings_of_the_paper_are_the_defaults():
    rule = Schedule()
    assert (rule.every, rule.patience, rule.threshold) == (20, 5, 0.002)
    assert (rule.lower, rule.upper, rule.shrink) == (0.01, 50.0, 0.9)


def test_exploiting_step_is_counted():
    assert advance(Schedule(), LengthScale(1.0, exploited=2), 1, EXPLOITING, longest).exploited == 3


def test_exploring_step_sets_the_count_to_zero():
    assert advance(Schedule(), LengthScale(1.0, exploited=4), 1, EXPLORING, longest).exploited == 0


def test_step_at_the_threshold_is_exploring():
    assert advance(Schedule(), LengthScale(1.0, exploited=3), 1, 0.002, longest).exploited == 0


def test_step_between_relearnings_keeps_scale_and_bound():
    now = advance(Schedule(), LengthScale(1.0, upper=7.0), 1, EXPLORING, longest)
    assert (now.value, now.upper) == (1.0, 7.0)


def test_fifth_exploiting_step_in_a_row_lowers_the_upper_bound():
    assert history([EXPLOITING] * 5)[-1].upper == pytest.approx(0.9)


def test_fourth_exploiting_step_in_a_row_changes_no_bound():
    assert history([EXPLOITING] * 4)[-1].upper == 50.0


def test_fifth_exploiting_step_starts_the_count_again():
    assert history([EXPLOITING] * 5)[-1].exploited == 0


def test_fifth_exploiting_step_relearns_below_the_new_bound():
    assert history([EXPLOITING] * 5, learn=lambda low, high: (low, high))[-1].value == pytest.approx((0.01, 0.9))


def test_interrupted_exploiting_lowers_no_bound():
    assert history([EXPLOITING, EXPLOITING, EXPLOITING, EXPLOITING, EXPLORING] * 3)[-1].upper == 50.0


def test_upper_bound_falls_to_nine_tenths_of_the_scale():
    assert history([EXPLOITING] * 5, LengthScale(0.5, upper=20.0))[-1].upper == pytest.approx(0.45)


def test_upper_bound_stops_at_the_lower_one():
    assert history([EXPLOITING] * 5, LengthScale(0.0105))[-1].upper == 0.01


def test_endless_exploiting_brings_the_scale_down_to_the_lower_bound():
    assert history([EXPLOITING] * 500)[-1].value == 0.01


@pytest.mark.parametrize("t", [20, 40, 60, 200])
def test_scale_is_relearned_at_multiples_of_twenty(t):
    assert advance(Schedule(), LengthScale(1.0), t, EXPLORING, lambda low, high: 3.0).value == 3.0


@pytest.mark.parametrize("t", [1, 10, 19, 21, 39, 41, 199])
def test_scale_is_not_relearned_between_multiples_of_twenty(t):
    assert advance(Schedule(), LengthScale(1.0), t, EXPLORING, lambda low, high: 3.0).value == 1.0


def test_relearning_on_schedule_searches_up_to_the_old_bound():
    now = advance(Schedule(), LengthScale(1.0, upper=7.0), 20, EXPLORING, lambda low, high: (low, high))
    assert (now.value, now.upper) == ((0.01, 7.0), 7.0)


def test_relearning_on_schedule_keeps_the_count():
    assert advance(Schedule(), LengthScale(1.0, exploited=2), 20, EXPLOITING, longest).exploited == 3


def test_fifth_exploiting_step_on_schedule_relearns_once_below_the_new_bound():
    calls = []
    now = advance(Schedule(), LengthScale(1.0, exploited=4), 20, EXPLOITING, lambda *bounds: calls.append(bounds))
    assert calls == [(0.01, pytest.approx(0.9))]
    assert now.exploited == 0


def test_each_of_several_scales_has_its_own_bound():
    now = LengthScale(np.array([1.0, 4.0, 0.0105]), upper=np.full(3, 50.0), exploited=4)
    assert_allclose(advance(Schedule(), now, 1, EXPLOITING, longest).upper, [0.9, 3.6, 0.01])


def test_settings_replace_those_of_the_paper():
    rule = Schedule(patience=2, threshold=0.5, lower=0.1, shrink=0.5)
    assert history([0.4, 0.4], LengthScale(1.0), rule=rule)[-1].upper == 0.5


@given(st.lists(st.sampled_from([EXPLOITING, 0.0019, 0.002, EXPLORING]), max_size=120), st.integers(0, 2**32))
def test_upper_bound_never_rises_and_never_passes_the_lower(stds, seed):
    uppers = [now.upper for now in history(stds, learn=np.random.default_rng(seed).uniform)]
    assert np.all(np.diff(uppers) <= 0.0)
    assert min(uppers) >= 0.01


@given(st.lists(st.sampled_from([EXPLOITING, 0.0019, 0.002, EXPLORING]), max_size=120), st.integers(0, 2**32))
def test_scale_stays_between_its_bounds(stds, seed):
    states = history(stds, learn=np.random.default_rng(seed).uniform)
    assert all(0.01 <= now.value <= now.upper for now in states)


# Algorithm 3 on real evidence, searched by DIRECT and CMA-ES


@pytest.mark.parametrize(("scale", "begun"), [(0.3, 0.3), (0.001, 0.01), (300.0, 50.0)])
def test_schedule_begins_at_the_scale_of_the_kernel_within_bounds(scale, begun):
    kernel = SQUARE.with_scales(np.array([scale]))
    assert_array_equal(Schedule().begin(kernel, NOISELESS).scales, [begun])


def test_schedule_begins_with_the_widest_bound():
    assert_array_equal(Schedule().begin(CUBE, NOISELESS).scale.upper, [50.0, 50.0, 50.0])


@pytest.mark.parametrize("noise", [0.0, 1e-6, 0.3])
def test_known_noise_is_the_noise_in_force(noise):
    assert Schedule().begin(SQUARE, Noise(noise, noise)).noise == noise


def test_unknown_noise_begins_between_its_bounds():
    assert UNKNOWN.low < Schedule().begin(SQUARE, UNKNOWN).noise < UNKNOWN.high


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.1, 0.4, 1.5])
def test_schedule_finds_the_scale_that_data_were_drawn_with(scale, seed):
    found = learned(Schedule(), drawn_from(SQUARE, scale, seed=seed)).scales[0]
    # the curvature of the evidence says how sure 50 points make us of log l: 0.2 at l = 0.1, 0.04 and less above
    assert scale / 1.8 < found < scale * 1.8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.1, 0.4, 1.5])
def test_schedule_finds_a_scale_as_likely_as_a_grid_does(scale, seed):
    evidence = drawn_from(SQUARE, scale, seed=seed)
    best = max(evidence(np.array([candidate]), 1e-6) for candidate in grid(0.01, 50.0))
    # 0.01: the search spends 80 evaluations, and a likelihood ratio of e^0.01 tells nothing apart
    assert evidence(learned(Schedule(), evidence).scales, 1e-6) > best - 0.01


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_schedule_finds_the_noise_that_data_were_drawn_with(noise, seed):
    found = learned(Schedule(), drawn_from(SQUARE, 0.4, noise, n=100, seed=seed)).noise
    # 100 points, of which the function explains about 40: log noise is known to sqrt(2/60), a factor of 1.2
    assert noise / 2.5 < found < noise * 2.5


@pytest.mark.parametrize("seed", range(4))
def test_schedule_finds_scale_and_noise_as_likely_as_a_grid_does(seed):
    evidence = drawn_from(SQUARE, 0.4, noise=0.1, n=100, seed=seed)
    best = max(evidence(np.array([scale]), noise) for scale in grid(0.1, 2.0, 20) for noise in grid(0.01, 1.0, 20))
    found = learned(Schedule(), evidence)
    assert evidence(found.scales, found.noise) > best - 1.0  # a likelihood ratio of e, far below what data decide


def test_schedule_respects_a_bound_that_was_lowered():
    now = Hyperparameters(LengthScale(np.array([0.4]), np.array([50.0]), exploited=4), noise=1e-6)
    evidence = drawn_from(SQUARE, 1.5)
    after = Schedule().advance(now, 7, EXPLOITING, evidence, np.random.default_rng(0))
    assert_allclose(after.scale.upper, [0.36])
    assert_allclose(after.scales, [0.36])  # the data want 1.5: the bound is the best that is allowed


def test_schedule_survives_bounds_that_have_met():
    now = Hyperparameters(LengthScale(np.array([0.0101]), np.array([0.0101]), exploited=4), noise=1e-6)
    after = Schedule().advance(now, 7, EXPLOITING, drawn_from(SQUARE, 0.4), np.random.default_rng(0))
    assert_allclose(after.scales, [0.01])


def test_schedule_changes_nothing_when_nothing_is_due():
    now = Hyperparameters(LengthScale(np.array([0.7]), np.array([9.0])), noise=1e-6)
    after = Schedule().advance(now, 7, EXPLORING, drawn_from(SQUARE, 0.4), np.random.default_rng(0))
    assert (after.scales, after.scale.upper, after.noise) == (0.7, 9.0, 1e-6)


def test_schedule_learns_the_same_from_the_same_generator():
    first, second = (learned(Schedule(), drawn_from(SQUARE, 0.4, noise=0.1), seed=3) for _ in range(2))
    assert (first.scales, first.noise) == (second.scales, second.noise)


@pytest.mark.parametrize("rule", [Schedule(search=stay), MaximumAPosteriori(search=stay)], ids=["schedule", "map"])
def test_search_starts_from_the_scales_and_noise_in_force(rule):
    now = Hyperparameters(LengthScale(np.array([0.7]), np.array([9.0])), noise=0.03)
    after = rule.advance(now, 20, EXPLORING, drawn_from(SQUARE, 0.4, noise=0.1), np.random.default_rng(0))
    assert_allclose([after.scales[0], after.noise], [0.7, 0.03], rtol=1e-12)


def test_schedule_never_changes_a_known_noise():
    assert learned(Schedule(), drawn_from(SQUARE, 0.4)).noise == NOISELESS.low


def test_schedule_finds_a_covariance_where_long_scales_give_none():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    evidence = Evidence(bits, np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.arange(4.0), NOISELESS)
    assert learned(Schedule(), evidence).scales[0] < 0.907  # beyond it the kernel of two bits is no covariance


# Maximum a posteriori, climbed to by gradients


def test_map_begins_at_the_scale_of_the_kernel():
    assert_array_equal(MaximumAPosteriori().begin(CUBE, NOISELESS).scales, [1.0, 1.0, 1.0])


def test_map_begins_at_the_median_when_one_is_given():
    assert_array_equal(MaximumAPosteriori(median=0.3).begin(CUBE, NOISELESS).scales, [0.3, 0.3, 0.3])


@pytest.mark.parametrize(("median", "begun"), [(1e-9, 0.01), (1e9, 100.0)])
def test_map_begins_within_its_bounds(median, begun):
    assert_array_equal(MaximumAPosteriori(median=median).begin(SQUARE, NOISELESS).scales, [begun])


@pytest.mark.parametrize("median", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("scale", [0.1, 0.4, 1.5])
def test_map_matches_the_mode_on_a_fine_grid(scale, median):
    evidence = drawn_from(SQUARE, scale)
    candidates = grid(0.01, 100.0, 2000)
    log_prior = -0.5 * (np.log(candidates / median) / 1.5) ** 2
    heights = [evidence(np.array([candidate]), 1e-6) for candidate in candidates] + log_prior
    found = learned(MaximumAPosteriori(median=median), evidence).scales
    assert_allclose(found, candidates[np.argmax(heights)], rtol=0.01)  # twice the step of the grid


@pytest.mark.parametrize("noise", [NOISELESS, UNKNOWN])
def test_map_is_climbed_to_by_its_exact_gradient(noise):
    Y, scores = np.random.default_rng(0).uniform(-1.0, 1.0, size=(15, 3)), []
    rule = MaximumAPosteriori(search=lambda score, *rest: scores.append(score) or stay(score, *rest))
    learned(rule, Evidence(CUBE, Y, np.sin(4.0 * Y[:, 0]) + Y[:, 1], noise))
    at = np.random.default_rng(1).uniform(-0.3, 0.3, size=3 + (noise is UNKNOWN))
    numeric = [(scores[0]([at + e]) - scores[0]([at - e]))[0] / 2e-5 for e in 1e-5 * np.eye(len(at))]
    # 1e-5: a step of 1e-5, and values good to 1e-10 where the matrix is nearly singular
    assert_allclose(scores[0].with_gradient([at]).gradients[0], numeric, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_map_finds_the_noise_that_data_were_drawn_with(noise):
    found = learned(MaximumAPosteriori(), drawn_from(SQUARE, 0.4, noise, n=100)).noise
    assert noise / 2.5 < found < noise * 2.5  # known to a factor of 1.2, as above


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("relevant", [0, 1, 2])
def test_map_gives_the_input_that_matters_the_shortest_scale(relevant, seed):
    Y = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(30, 3))
    evidence = Evidence(CUBE, Y, np.sin(4.0 * Y[:, relevant]), NOISELESS)
    scales = learned(MaximumAPosteriori(), evidence).scales
    others = np.delete(scales, relevant)
    assert scales[relevant] < others.min() / 10.0


@pytest.mark.parametrize("median", [0.05, 1.0, 20.0])
def test_map_is_the_median_when_data_say_nothing(median):
    evidence = Evidence(SQUARE, np.zeros((1, 2)), np.ones(1), NOISELESS)  # one point has no distance to any other
    now = Hyperparameters(LengthScale(np.array([0.5])), noise=1e-6)
    found = MaximumAPosteriori(median=median).advance(now, 1, EXPLORING, evidence, np.random.default_rng(0))
    assert_allclose(found.scales, [median], rtol=1e-3)  # where the climb stops on a parabola


def test_map_lies_closer_to_the_median_of_a_narrower_prior():
    evidence = drawn_from(SQUARE, 0.4, n=10)
    wide, narrow = (learned(MaximumAPosteriori(3.0, spread), evidence).scales[0] for spread in (1.5, 0.1))
    assert abs(np.log(narrow / 3.0)) < abs(np.log(wide / 3.0))


def test_map_stays_within_its_bounds():
    found = learned(MaximumAPosteriori(lower=0.8, upper=1.2), drawn_from(SQUARE, 0.4)).scales
    assert_allclose(found, [0.8])


@pytest.mark.parametrize("t", [1, 2, 4, 5])
def test_map_changes_nothing_between_its_turns(t):
    now = Hyperparameters(LengthScale(np.array([0.5])), noise=1e-6)
    rule = MaximumAPosteriori(every=3)
    assert rule.advance(now, t, EXPLORING, drawn_from(SQUARE, 0.4), np.random.default_rng(0)) is now


def test_map_ignores_the_spread_of_the_belief():
    rule, evidence = MaximumAPosteriori(), drawn_from(SQUARE, 0.4)
    begun = rule.begin(SQUARE, NOISELESS)
    first, second = (rule.advance(begun, 1, std, evidence, np.random.default_rng(0)) for std in (0.0, 1.0))
    assert first.scales == second.scales


def test_map_finds_a_covariance_where_long_scales_give_none():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    evidence = Evidence(bits, np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.arange(4.0), NOISELESS)
    assert learned(MaximumAPosteriori(), evidence).scales[0] < 0.907  # beyond it the kernel is no covariance


def test_map_keeps_its_prior_while_a_run_learns():
    optimizer = BayesOpt(Box(1), learning=MaximumAPosteriori(spread=0.05), seed=0)
    minimize(lambda x: np.sin(x[0]), Box(1), n_trials=10, optimizer=optimizer)
    # two spreads: the kernel's own scale is 0.5, and ten values pull log l by a fraction of the spread
    assert abs(np.log(optimizer.runs[0].state.learned.scales[0] / 0.5)) < 0.1


@pytest.mark.parametrize("value", [0.5, np.array([0.5])])
def test_scales_are_a_vector_whatever_holds_them(value):
    assert_array_equal(Hyperparameters(LengthScale(value), noise=0.0).scales, [0.5])


@pytest.mark.parametrize("rule", [Schedule, MaximumAPosteriori])
def test_learning_less_than_every_observation_is_refused(rule):
    with pytest.raises(ValueError, match="every 0 must be at least 1"):
        rule(every=0)


@pytest.mark.parametrize("rule", [Schedule, MaximumAPosteriori])
@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (2.0, 1.0), (0.1, float("inf"))])
def test_length_scale_bounds_out_of_order_are_refused(rule, lower, upper):
    with pytest.raises(ValueError, match=f"between {lower} and {upper}: the bounds must be positive"):
        rule(lower=lower, upper=upper)


def test_prior_without_spread_is_refused():
    with pytest.raises(ValueError, match="spread 0 of the prior must be positive"):
        MaximumAPosteriori(spread=0)
