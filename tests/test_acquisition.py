"""Acquisition functions against simulation, against exact integrals, and against their own finite differences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import norm

from rembo.acquisition import (
    ExpectedImprovement,
    LogExpectedImprovement,
    Portfolio,
    ProbabilityOfImprovement,
    ThompsonSampling,
    UpperConfidenceBound,
)
from rembo.embedding import IdentityEmbedding, Region
from rembo.gp import Belief, condition
from rembo.kernel import Hamming, Matern32, SquaredExponential
from rembo.space import Bool, Box, Space

REGION = Region(2, 1.0)
SE = SquaredExponential(scale=0.5).bind(Box(2), IdentityEmbedding(2))
ROUGH = Matern32(scale=0.5).bind(Box(2), IdentityEmbedding(2))
PRIOR = condition(SE, np.zeros((0, 2)), np.zeros(0), 1e-6)
EI, LOG_EI, PI = ExpectedImprovement(), LogExpectedImprovement(), ProbabilityOfImprovement()
ANALYTIC = pytest.mark.parametrize("acquisition", [EI, LOG_EI, PI, UpperConfidenceBound(2.0)], ids=repr)
BELIEFS = pytest.mark.parametrize(
    ("mean", "std"), [(0.0, 1.0), (0.5, 0.3), (-2.0, 0.7), (1.5, 2.0), (1.0, 0.2), (3.0, 0.25)]
)
MEANS, STDS, STEPS = st.floats(-5.0, 5.0), st.floats(1e-3, 5.0), st.floats(0.01, 5.0)


def observed(n=8, noise=1e-6, kernel=SE):
    """A posterior after n values of a smooth function."""
    Y = np.random.default_rng(0).uniform(-1.0, 1.0, size=(n, 2))
    return condition(kernel, Y, np.sin(3.0 * Y[:, 0]) + Y[:, 1], noise)


def belief(mean, std):
    """Beliefs made by hand."""
    mean, std = np.broadcast_arrays(np.atleast_1d(mean).astype(float), np.atleast_1d(std).astype(float))
    Y = np.zeros((len(mean), 2))
    return Belief(mean, std, PRIOR, Y, np.zeros((0, len(mean))), PRIOR.kernel.between(Y, PRIOR.Z))


def worth(acquisition, mean, std, best=0.0):
    return acquisition.utility(belief(mean, std), best).value


def moment(k, z):
    """The integral of v^k exp(-v - v^2 / (2 z^2)) from 0 on: 0! or 1! in the far tail."""
    return quad(lambda v: v**k * math.exp(-v - v * v / (2.0 * z * z)), 0.0, np.inf, epsabs=0.0, epsrel=1e-12)[0]


def exact_log_h(z):
    """The log of E max(z - u, 0) for a standard normal u and z < 0: an integral without cancellation."""
    return norm.logpdf(z) - 2.0 * math.log(-z) + math.log(moment(1, z))


@pytest.mark.parametrize("best", [-1.0, 0.0, 2.0])
@BELIEFS
def test_expected_improvement_equals_that_of_a_simulation(mean, std, best):
    draws = np.random.default_rng(1).normal(mean, std, size=10**6)
    improvements = np.maximum(best - draws, 0.0)
    error = improvements.std() / 1e3
    # five standard errors; the last term is for beliefs under which a million draws hold no improvement at all
    assert abs(worth(EI, mean, std, best)[0] - improvements.mean()) < 5.0 * error + 1e-6


@pytest.mark.parametrize("z", [-0.3, -0.999, -1.0, -1.001, -5.0, -12.0, -25.0, -36.0])
def test_expected_improvement_equals_its_integral(z):
    assert_allclose(worth(EI, -2.0 * z, 2.0), 2.0 * np.exp(exact_log_h(z)), rtol=1e-9)


@pytest.mark.parametrize("z", [0.0, 0.5, 3.0, 40.0, 1e6])
def test_expected_improvement_of_good_beliefs_equals_its_formula(z):
    assert_allclose(worth(EI, -2.0 * z, 2.0), 2.0 * (norm.pdf(z) + z * norm.cdf(z)), rtol=1e-12)


@pytest.mark.parametrize("z", [-36.0, -20.0, -5.0, -1.0, -0.5, 0.0, 2.0, 30.0])
def test_log_expected_improvement_is_the_log_of_expected_improvement(z):
    assert_allclose(worth(LOG_EI, -2.0 * z, 2.0), np.log(worth(EI, -2.0 * z, 2.0)), rtol=1e-9)


@pytest.mark.parametrize("z", [-0.3, -0.999, -1.0, -1.001, -5.0, -37.0, -1e2, -1e3, -9999.0, -10001.0, -1e6, -1e8])
def test_log_expected_improvement_equals_its_integral(z):
    assert_allclose(worth(LOG_EI, -2.0 * z, 2.0), math.log(2.0) + exact_log_h(z), rtol=1e-12)


def test_log_expected_improvement_is_finite_and_falls_far_into_the_tail():
    values = worth(LOG_EI, np.geomspace(1e2, 1e8, 200), 1.0)
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) < 0.0)


@pytest.mark.parametrize("border", [-1.0, -1e4])
def test_log_expected_improvement_has_no_step_between_its_formulas(border):
    left, right = worth(LOG_EI, [-border * (1.0 + 1e-12), -border * (1.0 - 1e-12)], 1.0)
    assert_allclose(left, right, rtol=1e-11, atol=0.0)  # z^2 / 2 itself changes by 2e-12 of its size between the two


@pytest.mark.parametrize("z", [-3.0, -30.0, -1e3, -9999.0, -10001.0, -1e6, -1e8, -1e10])
def test_log_expected_improvement_slopes_equal_their_integrals(z):
    slopes = LOG_EI.utility(belief(-2.0 * z, 2.0), best=0.0)
    # 1e-6: near z = -1e4 a difference of two numbers near 1 is 1/z^2 and keeps eight digits
    assert_allclose(slopes.by_mean, z * moment(0, z) / moment(1, z) / 2.0, rtol=1e-6)
    assert_allclose(slopes.by_std, z * z / moment(1, z) / 2.0, rtol=1e-6)


@ANALYTIC
@BELIEFS
def test_derivative_by_the_mean_equals_finite_differences(acquisition, mean, std):
    numeric = (worth(acquisition, mean + 1e-5, std) - worth(acquisition, mean - 1e-5, std)) / 2e-5
    # 1e-6: differences with a step of 1e-5 of functions whose third derivative is up to 1/std^3
    assert_allclose(acquisition.utility(belief(mean, std), 0.0).by_mean, numeric, rtol=1e-6, atol=1e-9)


@ANALYTIC
@BELIEFS
def test_derivative_by_the_spread_equals_finite_differences(acquisition, mean, std):
    numeric = (worth(acquisition, mean, std + 1e-5) - worth(acquisition, mean, std - 1e-5)) / 2e-5
    assert_allclose(acquisition.utility(belief(mean, std), 0.0).by_std, numeric, rtol=1e-6, atol=1e-9)  # as above


@ANALYTIC
@given(mean=MEANS, std=STDS, step=STEPS)
def test_lower_mean_is_never_worth_less(acquisition, mean, std, step):
    assert worth(acquisition, mean - step, std) >= worth(acquisition, mean, std)


@pytest.mark.parametrize("acquisition", [EI, LOG_EI, UpperConfidenceBound(2.0)], ids=repr)
@given(mean=MEANS, std=STDS, step=STEPS)
def test_larger_spread_is_never_worth_less(acquisition, mean, std, step):
    # 1e-12: where an improvement is certain the spread adds less than rounding takes
    assert worth(acquisition, mean, std + step) >= worth(acquisition, mean, std) - 1e-12


@given(mean=MEANS, std=STDS, step=STEPS)
def test_lower_mean_is_always_worth_more_in_logarithms(mean, std, step):
    assert worth(LOG_EI, mean - step, std) > worth(LOG_EI, mean, std)


@given(mean=st.floats(0.0, 5.0), std=STDS, step=STEPS)
def test_larger_spread_makes_an_unlikely_improvement_likelier(mean, std, step):
    assert worth(PI, mean, std + step) >= worth(PI, mean, std)


@pytest.mark.parametrize(("mean", "gain"), [(-0.7, 0.7), (0.7, 0.0)])
def test_certain_belief_is_worth_its_plain_improvement(mean, gain):
    assert_allclose(worth(EI, mean, 0.0), gain, atol=1e-11)


@pytest.mark.parametrize("mean", [-0.7, 0.0, 0.7])
@ANALYTIC
def test_certain_belief_has_a_finite_worth_and_finite_slopes(acquisition, mean):
    utility = acquisition.utility(belief(mean, 0.0), best=0.0)
    assert np.all(np.isfinite([utility.value, utility.by_mean, utility.by_std]))


@pytest.mark.parametrize("margin", [0.0, 0.01, 0.5])
@BELIEFS
def test_probability_of_improvement_is_that_of_the_normal_distribution(mean, std, margin):
    found = worth(ProbabilityOfImprovement(margin), mean, std, best=0.2)
    assert_allclose(found, norm.cdf(0.2 - margin, loc=mean, scale=std), rtol=1e-10)


def test_confidence_bound_adds_roots_of_beta_spreads():
    assert_allclose(worth(UpperConfidenceBound(beta=9.0), [0.5, -1.0], [0.1, 2.0]), [-0.2, 7.0])


@pytest.mark.parametrize(("observations", "root"), [(10, 4.560962), (1, 2.643268), (0, 2.643268)])
def test_beta_grows_with_the_observations_as_calculated_by_hand(observations, root):
    # d = 2, delta = 0.1: beta = 2 log(t^3 pi^2 / 0.3), with t = 1 before the first observation
    believed = observed(observations)(np.array([[0.3, 0.3]]))
    bound = UpperConfidenceBound().utility(believed, best=0.0)
    assert_allclose(bound.by_std, root, rtol=1e-6)  # the digits written here
    assert_allclose(bound.value, bound.by_std * believed.std - believed.mean)


@pytest.mark.parametrize("best", [-1.0, 5.0])
def test_confidence_bound_does_not_depend_on_the_best_value(best):
    assert worth(UpperConfidenceBound(4.0), 0.5, 1.0, best) == worth(UpperConfidenceBound(4.0), 0.5, 1.0, 0.0)


@pytest.mark.parametrize(
    "acquisition", [EI, LOG_EI, PI, UpperConfidenceBound(), UpperConfidenceBound(2.0), ThompsonSampling(32)], ids=repr
)
def test_gradient_of_a_score_equals_finite_differences(acquisition):
    posterior = observed(noise=1e-3)
    score = acquisition.score(posterior, float(posterior.values.min()), REGION, np.random.default_rng(0))
    Y = np.random.default_rng(2).uniform(-1.0, 1.0, size=(6, 2))
    steps = 1e-5 * np.eye(2)[:, None, :]
    numeric = np.array([(score(Y + step) - score(Y - step)) / 2e-5 for step in steps]).T
    # 1e-5: a step of 1e-5, its square times third derivatives, and rounding divided by it
    assert_allclose(score.with_gradient(Y).gradients, numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("acquisition", [EI, LOG_EI, PI, UpperConfidenceBound(), ThompsonSampling(32)], ids=repr)
def test_score_gives_the_same_values_with_gradients_as_without(acquisition):
    score = acquisition.score(observed(), 0.0, REGION, np.random.default_rng(0))
    Y = np.random.default_rng(2).uniform(-1.0, 1.0, size=(6, 2))
    assert_array_equal(score.with_gradient(Y).values, score(Y))


@pytest.mark.parametrize("acquisition", [EI, LOG_EI, PI, UpperConfidenceBound()], ids=repr)
def test_score_is_the_worth_of_the_belief_there(acquisition):
    posterior, Y = observed(), np.array([[0.1, 0.2], [0.8, -0.4]])
    score = acquisition.score(posterior, -0.5, REGION, np.random.default_rng(0))
    assert_array_equal(score(Y), acquisition.utility(posterior(Y), -0.5).value)


# Thompson sampling: minus one draw of f from the posterior


def test_thompson_path_passes_through_noiseless_data():
    posterior = observed(noise=1e-13)
    score = ThompsonSampling().score(posterior, 0.0, REGION, np.random.default_rng(0))
    # 1e-3: a draw has a jitter of 1e-10 at least, and 256 anchors of a smooth kernel amplify its root
    assert_allclose(-score(posterior.Y), posterior.values, rtol=0.0, atol=1e-3)


def test_thompson_path_is_the_same_from_the_same_generator():
    Y = np.array([[0.1, 0.2], [0.8, -0.4]])
    first, second = (ThompsonSampling().score(observed(), 0.0, REGION, np.random.default_rng(3)) for _ in range(2))
    assert_array_equal(first(Y), second(Y))


def test_thompson_path_differs_from_another_generator():
    Y = np.array([[0.9, -0.9]])
    first, second = (ThompsonSampling().score(observed(), 0.0, REGION, np.random.default_rng(s)) for s in (3, 4))
    assert abs(first(Y) - second(Y)) > 1e-3


def test_thompson_paths_have_the_mean_of_the_posterior():
    posterior, Y, rng = observed(), np.array([[0.1, 0.2], [0.9, -0.9]]), np.random.default_rng(5)
    paths = np.array([-ThompsonSampling(32).score(posterior, 0.0, REGION, rng)(Y) for _ in range(400)])
    believed = posterior(Y)
    # five standard errors of a mean of 400; between the anchors a path varies less than the belief, never more
    assert np.all(np.abs(paths.mean(axis=0) - believed.mean) < 5.0 * believed.std / 20.0)


@pytest.mark.parametrize("noise", [1e-10, 0.1])
def test_thompson_path_is_a_joint_draw_at_its_anchors(noise):
    posterior = observed(noise=noise, kernel=ROUGH)
    surprises = [surprise_at_anchors(posterior, 16, seed) for seed in range(400)]
    # the squared distance of a draw of 16 numbers from its mean, in its own units, is chi-squared: 16 on average,
    # variance 32; five standard errors of the mean of 400
    assert abs(np.mean(surprises) - 16.0) < 5.0 * math.sqrt(32.0 / 400.0)


def test_thompson_path_varies_between_its_anchors_as_the_belief_does():
    posterior, Y, rng = observed(), np.array([[0.9, -0.9]]), np.random.default_rng(6)
    paths = [-ThompsonSampling(64).score(posterior, 0.0, REGION, rng)(Y)[0] for _ in range(400)]
    # anchors 0.25 apart pin a kernel of length 0.5 to a percent; a variance of 400 draws is known to 7 percent
    assert 0.65 < np.var(paths) / posterior(Y).std[0] ** 2 < 1.35


def test_thompson_path_exists_where_the_kernel_is_no_covariance():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    posterior = condition(bits, np.array([[0.5, 0.5]]), np.array([1.0]), 1e-6)
    score = ThompsonSampling(64).score(posterior, 0.0, REGION, np.random.default_rng(0))
    assert np.all(np.isfinite(score(np.array([[-0.5, -0.5], [0.5, 0.5]]))))


def surprise_at_anchors(posterior, anchors, seed):
    """The squared Mahalanobis distance of one path at its anchors from the belief there."""
    score = ThompsonSampling(anchors).score(posterior, 0.0, REGION, np.random.default_rng(seed))
    Y = REGION.sobol(anchors, np.random.default_rng(seed))  # the same generator places the same anchors
    k = posterior.kernel.covariance(Y, posterior.Z)
    K = posterior.kernel.covariance(posterior.Z, posterior.Z) + np.diag(posterior.noise)
    covariance = posterior.kernel.covariance(Y, Y) - k @ np.linalg.solve(K, k.T)
    miss = -score(Y) - posterior(Y).mean
    return miss @ np.linalg.solve(covariance, miss)


# The portfolio: GP-Hedge


@pytest.mark.parametrize(("eta", "odds"), [(1.0, [1.0, 2.0, 4.0]), (0.0, [1.0, 1.0, 1.0]), (2.0, [1.0, 4.0, 16.0])])
def test_portfolio_chooses_members_with_softmax_probabilities(eta, odds):
    portfolio, rng = Portfolio(EI, PI, LOG_EI, eta=eta), np.random.default_rng(0)
    chosen = [portfolio.choose(np.log([1.0, 2.0, 4.0]), rng) for _ in range(4000)]
    p = np.array(odds) / sum(odds)
    # five standard deviations of a binomial share
    assert np.all(np.abs(np.bincount(chosen, minlength=3) / 4000 - p) < 5.0 * np.sqrt(p * (1.0 - p) / 4000))


@pytest.mark.parametrize("gains", [[-1e6, 1e6, 0.0], [-2e6, -1e6, -2e6]])
def test_portfolio_chooses_a_member_that_is_far_ahead(gains):
    assert Portfolio(EI, PI, LOG_EI).choose(np.array(gains), np.random.default_rng(0)) == 1


def test_portfolio_of_one_always_chooses_it():
    assert Portfolio(EI).choose(np.zeros(1), np.random.default_rng(0)) == 0


def test_portfolio_chooses_the_same_from_the_same_generator():
    gains, portfolio = np.zeros(3), Portfolio()
    first, second = ([portfolio.choose(gains, rng) for _ in range(20)] for rng in map(np.random.default_rng, (1, 1)))
    assert first == second


def test_portfolio_reward_is_minus_the_mean_at_the_nominees():
    posterior, nominees = observed(), np.array([[0.1, 0.2], [0.8, -0.4]])
    gained = Portfolio(EI, PI).reward(np.array([3.0, -1.0]), posterior, nominees)
    assert_allclose(gained, [3.0, -1.0] - posterior(nominees).mean)


def test_portfolio_reward_leaves_the_old_gains_alone():
    gains = np.zeros(2)
    Portfolio(EI, PI).reward(gains, observed(), np.array([[0.1, 0.2], [0.8, -0.4]]))
    assert_array_equal(gains, np.zeros(2))


def test_portfolio_defaults_to_the_members_of_its_paper():
    assert Portfolio().members == (LOG_EI, UpperConfidenceBound(), PI)


def test_portfolio_shows_its_members():
    assert repr(Portfolio(EI, PI)) == "Portfolio(ExpectedImprovement(), ProbabilityOfImprovement(margin=0.01))"


@pytest.mark.parametrize("eta", [-1.0, math.inf, math.nan])
def test_eta_that_is_negative_or_not_finite_is_refused(eta):
    with pytest.raises(ValueError, match=f"eta {eta} must be finite and not negative"):
        Portfolio(eta=eta)


def test_negative_beta_is_refused():
    with pytest.raises(ValueError, match=r"beta -1.0 must be finite and not negative"):
        UpperConfidenceBound(beta=-1.0)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.5, math.nan])
def test_delta_that_is_no_probability_is_refused(delta):
    with pytest.raises(ValueError, match=f"delta {delta} is a probability: it must lie between 0 and 1"):
        UpperConfidenceBound(delta=delta)


@pytest.mark.parametrize("margin", [-0.1, float("nan"), float("inf")])
def test_margin_that_is_negative_or_not_finite_is_refused(margin):
    with pytest.raises(ValueError, match=f"margin {margin} must be finite and not negative"):
        ProbabilityOfImprovement(margin)


def test_thompson_sampling_without_anchors_is_refused():
    with pytest.raises(ValueError, match="anchors 0 must be at least 1"):
        ThompsonSampling(anchors=0)
