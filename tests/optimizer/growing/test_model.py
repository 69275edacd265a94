"""What a restart believes: hyper-parameters that climb, inherit and stay in bounds, and which model is in force."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from states import FOREST, SCALES, SPACE, directions, model_of, state_of

from rembo import Bool, Box, Space
from rembo.embedding import Forest, Layout
from rembo.gp import Data, Evidence, LogTail, Noise
from rembo.kernel import Leaves
from rembo.learning import MOST_NOISE
from rembo.optimizer.additive import EFFECTS, LENGTH, axes_kernel, most_probable
from rembo.optimizer.growing.model import Modelling
from rembo.optimizer.growing.state import State

ROUGH = Noise(1e-8, 1.0)
MODELLING = Modelling(Noise(1e-8, 1e-8), design=5, most_data=512)


def told(f, n, d=4, seed=0, forest=None):
    """A state that has seen f at random points of d coordinates, each in its own bin unless there is a forest."""
    forest = Forest.planted(Layout.numbers(d), d, seed=1) if forest is None else forest
    leaves = Leaves.numbers(forest.embedding_dim)
    Y = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, forest.embedding_dim))
    return replace(State.of(Box(forest.ambient_dim), forest), leaves=leaves, data=Data(Y, f(Y)))


def longer(state, f, n, seed=9):
    """The same state after n observations more."""
    Y = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, state.dim))
    data = Data(np.vstack([state.data.Y, Y]), np.append(state.data.values, f(Y)))
    return replace(state, data=data)


def wave(Y):
    return np.sin(3.0 * Y[:, 0]) + Y[:, 1] ** 2


# The most probable hyper-parameters

PRIORS = [LENGTH, LENGTH, LENGTH, LENGTH, *EFFECTS]
MEDIANS = np.array([prior.median for prior in PRIORS])


def evidence_of(state):
    kernel, values = axes_kernel(state.leaves), state.data.values
    return Evidence(kernel, kernel.features(state.data.Y), (values - values.mean()) / values.std(), ROUGH)


def log_posterior(evidence, theta):
    """Evidence and log prior at hyper-parameters, the noise last."""
    off = [(math.log(x) - math.log(prior.median)) / prior.spread for x, prior in zip(theta, PRIORS, strict=False)]
    return evidence(theta[:-1], theta[-1]) - 0.5 * sum(each**2 for each in off)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("steps", [1, 12, 60])
def test_most_probable_is_not_below_its_start(steps, seed):
    evidence = evidence_of(told(wave, 20, seed=seed))
    start = np.exp(np.random.default_rng(seed).normal(size=8)) * np.append(MEDIANS, 1e-2)
    found = most_probable(evidence, PRIORS, start, steps)
    assert log_posterior(evidence, found) >= log_posterior(evidence, start) - 1e-9


def test_most_probable_without_a_start_is_not_below_the_medians():
    evidence = evidence_of(told(wave, 20))
    found = most_probable(evidence, PRIORS, None, 60)
    assert log_posterior(evidence, found) > log_posterior(evidence, np.append(MEDIANS, 1e-2))


@pytest.mark.parametrize("f", [wave, lambda Y: np.sign(Y[:, 0]) * 1e3, lambda Y: Y @ np.ones(4)])
@pytest.mark.parametrize("start", [None, np.full(8, 1e-12), np.full(8, 1e12)], ids=["medians", "below", "above"])
def test_most_probable_stays_in_bounds(f, start):
    found = most_probable(evidence_of(told(f, 15)), PRIORS, start, 60)
    low = np.array([*(prior.lower for prior in PRIORS), ROUGH.low])
    high = np.array([*(prior.upper for prior in PRIORS), ROUGH.high])
    assert (found >= low * (1.0 - 1e-12)).all()  # but for rounding of the logarithms
    assert (found <= high * (1.0 + 1e-12)).all()


# Models


def test_model_tells_which_bins_matter():
    lengths = MODELLING.learned(None, told(wave, 40)).in_force.lengths
    assert lengths[:2].max() < lengths[2:].min()


def test_model_says_what_it_was_learned_from():
    state = told(wave, 20)
    model = MODELLING.learned(None, state)
    assert (model.seen, model.forest) == (20, state.forest)


def test_model_is_a_function_of_state_and_model_before():
    state = told(wave, 20)
    after = longer(state, wave, 3)
    first, second = (MODELLING.learned(MODELLING.learned(None, state), after) for _ in range(2))
    assert_array_equal(first.in_force.lengths, second.in_force.lengths)
    assert (first.in_force.noise, first.advantage) == (second.in_force.noise, second.advantage)


@pytest.mark.parametrize("split", [[0], [1, 3]], ids=str)
def test_lifted_hyperparameters_are_inherited_in_a_finer_forest(split):
    model, finer = model_of(state_of([1.0, 2.0])), FOREST.split(split)
    lifted = model.axes.lifted(finer, FOREST)
    assert_array_equal(lifted[:-4], SCALES[finer.ancestors(FOREST)])
    assert_array_equal(lifted[-4:], [2.0, 0.5, 0.5, 1e-6])


def test_model_in_a_finer_forest_starts_with_inherited_length_scales(monkeypatch):
    started = []

    def remember(evidence, priors, start, steps):
        started.append(start)
        return start

    monkeypatch.setattr("rembo.optimizer.growing.model.most_probable", remember)
    state = state_of([3.0, 1.0, 2.0, 5.0])
    finer = state.refined(SPACE, FOREST.split([0, 2]))
    model = MODELLING.learned(model_of(state), finer)
    assert_array_equal(started[0][: finer.dim], SCALES[finer.forest.ancestors(FOREST)])
    assert_array_equal(model.in_force.lengths, SCALES[finer.forest.ancestors(FOREST)])


def test_model_before_anything_is_known_has_the_medians_of_the_priors():
    expected = MODELLING.expected(State.of(SPACE, FOREST))
    assert_array_equal(expected.axes.kernel.scales, [LENGTH.median] * 4 + [prior.median for prior in EFFECTS])
    assert expected.seen == 0


@pytest.mark.parametrize(("more", "due"), [(0, False), (3, False), (4, True), (9, True)])
def test_model_is_due_after_a_tenth_less_two_more_observations(more, due):
    state = told(wave, 60)
    model = model_of(state)
    assert MODELLING.is_due(model, longer(state, wave, more)) is due


def test_model_is_due_at_first_and_in_another_forest():
    state = state_of([1.0, 2.0])
    assert MODELLING.is_due(None, state)
    assert MODELLING.is_due(model_of(state), state.refined(SPACE, FOREST.split([0])))


@pytest.mark.parametrize(("low", "high"), [(1e-8, 1e-8), (0.01, 0.01), (1e-6, 0.5)])
def test_noise_of_a_model_is_at_least_what_was_stated_and_at_most_the_rest(low, high):
    found = Modelling(Noise(low, high), 5, 512).learned(None, told(wave, 20)).in_force.noise
    assert low * (1.0 - 1e-12) <= found <= max(high, MOST_NOISE) * (1.0 + 1e-12)


def test_model_of_bits_alone_is_learned():
    space = Space({name: Bool() for name in "abcdef"})
    forest = Forest.planted(Layout.of(space), 6, seed=1, choices=6)
    state = state_of(list(np.random.default_rng(1).normal(size=12)), forest, space)
    assert np.isfinite(MODELLING.learned(None, state).in_force.lengths).all()


@pytest.mark.parametrize("values", [[1.0] * 8, [math.nan] * 7 + [1.0], [1e300, -1e300] * 4], ids=str)
def test_model_of_any_values_is_learned(values):
    state = state_of(values)
    model = MODELLING.learned(MODELLING.learned(None, state), state)
    assert np.isfinite(MODELLING.posterior(state, model)(state.data.Y).mean).all()


@pytest.mark.parametrize("more", [0, 1, 7])
def test_belief_after_later_observations_is_that_from_scratch(more):
    state = told(wave, 30)
    model = MODELLING.learned(None, state)
    later = longer(state, wave, more)
    extended, afresh = (
        MODELLING.posterior(later, each)(later.data.Y[::3] / 2.0) for each in (model, replace(model, belief=None))
    )
    assert_allclose(extended.mean, afresh.mean, rtol=0.0, atol=1e-6)  # a condition number of up to 1e9
    assert_allclose(extended.std, afresh.std, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("most", [20, 33])
def test_belief_of_more_observations_than_the_model_sees_is_not_extended(most):
    modelling = Modelling(Noise(1e-8, 1e-8), 5, most)
    state = told(wave, 30)
    later = longer(state, wave, 5)
    assert len(modelling.posterior(later, modelling.learned(None, state))) == most


# What the model sees


@pytest.mark.parametrize(("model_free", "most"), [(0, 32), (20, 32), (21, 8)])
def test_model_sees_fewer_observations_where_most_were_made_without_a_model(model_free, most):
    state = state_of(list(np.arange(40.0)), model_free=model_free)
    assert len(Modelling(Noise(1e-8, 1e-8), 5, 32).posterior(state, model_of(state))) == most


def test_model_of_few_of_many_observations_sees_the_best_one():
    state = state_of(list(np.random.default_rng(2).normal(size=60)))
    posterior = Modelling(Noise(1e-8, 1e-8), 5, 12).posterior(state, model_of(state))
    assert (state.data.Y[state.data.values.argmin()] == posterior.Y).all(axis=1).any()


# Axes or directions


def ridge(Y):
    """A function of one direction across all axes."""
    z = Y @ np.array([1.0, -1.0, 1.0, 1.0]) / 2.0
    return np.sin(2.0 * z) + z**2


def followed(f, n, d=4):
    """The model after n observations of f, learned again after each."""
    state = told(f, 6, d)
    model = MODELLING.learned(None, state)
    for number in range(n):
        state = longer(state, f, 1, seed=100 + number)
        model = MODELLING.learned(model, state)
    return model


def test_directions_get_the_advantage_where_f_varies_along_one():
    assert followed(ridge, 30).rotation is not None


def test_axes_keep_the_advantage_where_f_is_a_sum_over_them():
    assert followed(lambda Y: (Y**2).sum(axis=1) + Y[:, 0], 30).rotation is None


def test_advantage_is_the_difference_of_evidences_less_half_a_log_for_each_number():
    model = followed(ridge, 30)
    d, p = model.directions.frame[0].shape
    more = d * p - p * (p - 1) / 2 - len(model.axes.kernel.scales) - 1  # numbers of directions, and of axes and noise
    likelihoods = model.directions.log_evidence - model.axes.log_evidence
    assert_allclose(model.advantage, likelihoods - 0.5 * more * math.log(36), rtol=1e-12)


def test_evidence_of_axes_is_that_of_their_hyper_parameters():
    state = told(wave, 20)
    axes = MODELLING.learned(None, state).axes
    values = MODELLING.posterior(state, MODELLING.learned(None, state)).values
    evidence = Evidence(axes.kernel, axes.kernel.features(state.data.Y), values, ROUGH)
    assert_allclose(axes.log_evidence, evidence(axes.kernel.scales, axes.noise), rtol=1e-9)


def test_directions_that_are_hopeless_are_forgotten_until_a_first_guess():
    state = told(lambda Y: (Y**2).sum(axis=1), 14)
    before = model_of(told(wave, 12), directions=directions(), advantage=-50.0)
    assert MODELLING.learned(before, state).directions is None
    assert MODELLING.learned(before, told(lambda Y: (Y**2).sum(axis=1), 20)).directions is not None


def test_learned_noise_leaves_its_lower_bound_where_f_is_noisy():
    noisy = Modelling(ROUGH, design=5, most_data=512)
    state = told(lambda Y: wave(Y) + 0.5 * np.random.default_rng(3).standard_normal(len(Y)), 60)
    stuck = model_of(told(wave, 55))
    stuck = replace(stuck, axes=replace(stuck.axes, noise=1e-8))
    assert noisy.learned(stuck, state).in_force.noise > 1e-2


@pytest.mark.parametrize(("advantage", "rotated"), [(-1.0, False), (0.0, False), (1.0, True)])
def test_model_is_rotated_when_directions_have_the_advantage(advantage, rotated):
    model = model_of(state_of([1.0]), directions=directions(), advantage=advantage)
    assert (model.rotation is not None) is rotated


def test_model_without_directions_is_not_rotated():
    assert model_of(state_of([1.0]), advantage=1.0).rotation is None


def axes_and_turned():
    return (model_of(state_of([1.0]), directions=directions(), advantage=advantage) for advantage in (-1.0, 1.0))


def test_length_scales_are_those_of_the_model_in_force():
    axes, turned = axes_and_turned()
    assert_array_equal(axes.in_force.lengths, SCALES)
    assert_array_equal(turned.in_force.lengths, directions().lengths)


def test_kernel_and_noise_are_those_of_the_model_in_force():
    axes, turned = axes_and_turned()
    Y = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 4))
    assert_array_equal(axes.in_force.kernel.features(Y)[:, :4], Y)
    assert_array_equal(turned.in_force.kernel.features(Y), Y @ directions().W)
    assert (axes.in_force.noise, turned.in_force.noise) == (1e-6, 1e-8)


def lifted_directions(state, finer):
    """W before bins were split, and after."""
    before, forest = directions(state.dim), finer.forest
    return before.W, before.lifted(forest.ancestors(state.forest), forest.turns(state.forest)).W


def test_model_in_a_finer_forest_inherits_directions():
    state = state_of([1.0, 2.0])
    finer = state.refined(SPACE, FOREST.split([0, 2]))
    W, lifted = lifted_directions(state, finer)
    assert_allclose(finer.data.Y @ lifted, state.data.Y @ W, atol=1e-12)


def test_directions_are_inherited_when_coordinates_become_alone():
    """A coordinate alone in its bin sheds the sign that it had in a shared one, so its row of W must turn, too."""
    forest = Forest.planted(Layout.numbers(6), 4, seed=1)
    state = state_of([1.0, 2.0], forest, Box(6))
    finer = state.refined(Box(6), forest.split(np.flatnonzero(forest.sizes > 1)))
    W, lifted = lifted_directions(state, finer)
    assert_allclose(finer.data.Y @ lifted, state.data.Y @ W, atol=1e-12)


def test_choices_have_no_directions():
    space = Space({name: Bool() for name in "abcdef"})
    forest = Forest.planted(Layout.of(space), 6, seed=1, choices=6)
    state = state_of(list(np.random.default_rng(1).normal(size=12)), forest, space)
    assert MODELLING.learned(MODELLING.learned(None, state), state).directions is None


def test_inherited_observations_tell_length_scales_but_not_values():
    seen, state = told(wave, 40), told(wave, 4, seed=5)
    heir = replace(state, inherited=seen.data)
    model = MODELLING.learned(None, heir)
    lengths = model.in_force.lengths
    assert lengths[0] < lengths[2:].min()  # only the first two matter, which four values do not tell
    assert len(MODELLING.posterior(heir, model)) == 4


# In which units values are seen


def valley(Y):
    """An ill-conditioned bowl: most of its range says nothing of what is left near its bottom."""
    return (Y**2) @ np.array([1e6, 1e3, 1e2, 1.0])


def narrowing(n=60):
    """The valley's values, first all over the region, then ever nearer to its bottom."""
    state = state_of([0.0] * n)
    Y = state.data.Y * np.geomspace(1.0, 1e-3, n)[:, None]
    return replace(state, data=Data(Y, valley(Y)))


def test_model_of_a_valley_sees_values_in_the_units_of_the_whole_search():
    learned = Modelling(Noise(1e-8, 1e-8), 8, 512).learned(None, narrowing())
    assert learned.tail == LogTail(least=0.0, design=8)


def test_model_in_force_has_the_higher_evidence_of_raw_values():
    modelling, state = Modelling(Noise(1e-8, 1e-8), 8, 512), narrowing()
    learned = modelling.learned(None, state)
    other = LogTail(least=1.0, design=8)
    kernel = axes_kernel(state.leaves)
    evidence = Evidence(kernel, kernel.features(state.data.Y), other(state.data.values), Noise(1e-8, MOST_NOISE))
    found = most_probable(evidence, [*(LENGTH for _ in range(state.dim)), *EFFECTS], None, 60)
    theirs = evidence(found[:-1], float(found[-1])) + other.log_jacobian(state.data.values)
    assert learned.axes.log_evidence + learned.tail.log_jacobian(state.data.values) > theirs
