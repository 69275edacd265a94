"""The posterior against the textbook: interpolation, prior, dense formulas, scikit-learn, extension, gradients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern

from rembo.embedding import GaussianEmbedding, IdentityEmbedding
from rembo.gp import NotPositiveDefiniteError, condition, condition_shortening
from rembo.kernel import Hamming, Image, Matern32, Matern52, Product, SquaredExponential
from rembo.space import Bool, Box, Categorical, Space

NOISE = 1e-6
MIXED = Space({"rates": Box(4), "solver": Categorical(["a", "b", "c"])})
KERNELS = {
    "SquaredExponential": SquaredExponential(scale=0.6).bind(Box(2), IdentityEmbedding(2)),
    "Matern32": Matern32(scale=0.9).bind(Box(2), IdentityEmbedding(2)),
    "Matern52, ard": Matern52(ard=True).bind(Box(2), IdentityEmbedding(2)).with_scales(np.array([0.4, 2.0])),
    "on the image": Matern52(on=Image()).bind(Box(300), GaussianEmbedding(300, 2, seed=1)),
    "Product": Product(SquaredExponential(on=Image()), Hamming(0.5)).bind(MIXED, GaussianEmbedding(5, 2, seed=1)),
}
PEERS = {
    "SquaredExponential": RBF(0.6),
    "Matern32": Matern(0.9, nu=1.5),
    "Matern52, ard": Matern([0.4, 2.0], nu=2.5),
}
SE = KERNELS["SquaredExponential"]


def draw(n, seed=0):
    """Points, (n, 2), and values, (n,), of a smooth function."""
    Y = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(n, 2))
    return Y, np.sin(3.0 * Y[:, 0]) * Y[:, 1]


@pytest.fixture(params=KERNELS.values(), ids=KERNELS.keys())
def kernel(request):
    return request.param


@pytest.fixture(params=PEERS)
def name(request):
    return request.param


@pytest.fixture
def there():
    """Points at which the belief is asked, (5, 2)."""
    return np.random.default_rng(8).uniform(-1.0, 1.0, size=(5, 2))


def assert_same_belief(first, second, Y):
    """To 1e-8: the factors may round differently, and the condition number of these matrices is below 1e7."""
    assert_allclose(first(Y).mean, second(Y).mean, rtol=0.0, atol=1e-8)
    assert_allclose(first(Y).std, second(Y).std, rtol=0.0, atol=1e-8)


def test_mean_interpolates_noiseless_values():
    Y, values = draw(12)
    # 1e-6: the values are met up to a noise of 1e-10 times weights of the order of 1e3
    assert_allclose(condition(SE, Y, values, 1e-10)(Y).mean, values, rtol=0.0, atol=1e-6)


def test_spread_vanishes_at_noiseless_values():
    Y, values = draw(12)
    assert condition(SE, Y, values, 1e-10)(Y).std.max() < 2e-5  # the root of the noise, 1e-5, and some rounding


def test_spread_is_never_below_zero_or_not_a_number():
    Y, values = draw(40)
    std = condition(SE.with_scales(np.array([5.0])), Y, values, 1e-13)(Y).std
    assert np.all(std >= 0.0)


def test_mean_smooths_noisy_values():
    Y, values = draw(12)
    assert np.abs(condition(SE, Y, values, 0.5)(Y).mean).max() < np.abs(values).max()


@pytest.mark.parametrize("noise", [1e-6, 0.1, 2.0])
def test_fitted_values_are_the_mean_where_values_were_seen(kernel, noise):
    Y, values = draw(12)
    posterior = condition(kernel, Y, values, noise)
    assert_allclose(posterior.fitted, posterior(Y).mean, rtol=0.0, atol=1e-8)


def test_belief_far_away_is_the_prior():
    belief = condition(SE, *draw(12), NOISE)(np.array([[40.0, 0.0], [0.0, -40.0]]))
    assert_allclose(belief.mean, 0.0, atol=1e-12)
    assert_allclose(belief.std, 1.0, atol=1e-12)


def test_belief_without_data_is_the_prior(kernel, there):
    belief = condition(kernel, np.zeros((0, 2)), np.zeros(0), NOISE)(there)
    assert_array_equal(belief.mean, np.zeros(5))
    assert_array_equal(belief.std, np.ones(5))


def test_belief_without_data_has_no_gradient(kernel, there):
    belief = condition(kernel, np.zeros((0, 2)), np.zeros(0), NOISE)(there)
    assert_array_equal(belief.gradient(np.ones(5), np.ones(5)), np.zeros((5, 2)))


def test_belief_equals_the_dense_formula(kernel, there):
    Y, values = draw(12)
    Z, W = kernel.features(Y), kernel.features(there)
    K, k = kernel.covariance(Z, Z) + 0.1 * np.eye(12), kernel.covariance(W, Z)
    belief = condition(kernel, Y, values, 0.1)(there)
    assert_allclose(belief.mean, k @ np.linalg.inv(K) @ values, atol=1e-12)
    assert_allclose(belief.std**2, 1.0 - np.diag(k @ np.linalg.inv(K) @ k.T), atol=1e-12)


@pytest.mark.parametrize("noise", [1e-6, 1e-2, 1.0])
def test_belief_equals_that_of_scikit_learn(name, noise, there):
    Y, values = draw(12)
    peer = GaussianProcessRegressor(PEERS[name], alpha=noise, optimizer=None).fit(Y, values)
    belief = condition(KERNELS[name], Y, values, noise)(there)
    mean, std = peer.predict(there, return_std=True)
    assert_allclose(belief.mean, mean, rtol=1e-8, atol=1e-9)
    assert_allclose(belief.std, std, rtol=1e-8)


def test_length_is_the_number_of_observations():
    assert len(condition(SE, *draw(12), NOISE)) == 12


@pytest.mark.parametrize("kept", [0, 1, 7, 11])
def test_extending_equals_conditioning_from_scratch(kernel, kept, there):
    Y, values = draw(12)
    longer = condition(kernel, Y[:kept], values[:kept], NOISE).extend(Y[kept:], values[kept:], NOISE)
    assert_same_belief(longer, condition(kernel, Y, values, NOISE), there)


def test_extending_one_by_one_equals_conditioning_from_scratch(kernel, there):
    Y, values = draw(4)
    one = condition(kernel, Y[:1], values[:1], NOISE)
    grown = one.extend(Y[1:2], values[1:2], NOISE).extend(Y[2:3], values[2:3], NOISE).extend(Y[3:], values[3:], NOISE)
    assert_same_belief(grown, condition(kernel, Y, values, NOISE), there)


def test_extending_gives_the_factor_of_all_points(kernel):
    Y, values = draw(12)
    longer = condition(kernel, Y[:9], values[:9], NOISE).extend(Y[9:], values[9:], NOISE)
    assert_allclose(longer.L, condition(kernel, Y, values, NOISE).L, rtol=0.0, atol=1e-9)


def test_extending_leaves_the_shorter_posterior_alone(there):
    Y, values = draw(12)
    short = condition(SE, Y[:9], values[:9], NOISE)
    before = short(there).mean
    short.extend(Y[9:], values[9:], NOISE)
    assert_array_equal(short(there).mean, before)


def test_extending_by_nothing_changes_nothing(there):
    posterior = condition(SE, *draw(12), NOISE)
    assert_same_belief(posterior.extend(np.zeros((0, 2)), np.zeros(0), NOISE), posterior, there)


def test_extending_raises_the_jitter_when_a_point_repeats():
    Y, values = draw(12)
    assert condition(SE, Y, values, 0.0).extend(Y[:1], values[:1], 0.0).jitter > 0.0


@pytest.mark.parametrize("copies", [1, 3])
def test_extending_by_a_repeated_point_changes_nothing(copies, there):
    Y, values = draw(12)
    posterior = condition(SE, Y, values, 0.0)
    longer = posterior.extend(np.tile(Y[:1], (copies, 1)), np.full(copies, values[0]), NOISE)
    # 1e-5: a jitter of 1e-13 under the weights of a nearly singular matrix
    assert_allclose(longer(there).mean, posterior(there).mean, rtol=0.0, atol=1e-5)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("noise", [0.0, 1e-13])
def test_contradicting_values_at_a_point_are_averaged(noise, seed):
    Y, values = draw(12, seed)
    posterior = condition(SE.with_scales(np.array([0.3])), Y, values, noise).extend(Y[:1], values[:1] + 1.0, noise)
    # 1e-2: a difference of 1 between rows that differ by 1e-13 leaves a rounding error of 1e-16 / 1e-13
    assert_allclose(posterior(Y[:1]).mean, values[:1] + 0.5, rtol=0.0, atol=1e-2)


def test_jitter_once_raised_stays_when_extending(there):
    Y, values = draw(12)
    raised = condition(SE, Y, values, 0.0).extend(Y[:1], values[:1], 0.0)
    longer = raised.extend(there, np.zeros(5), 0.0)
    assert longer.jitter >= raised.jitter


def test_jitter_stands_under_old_and_new_points_alike():
    Y, values = draw(12)
    longer = condition(SE, Y[:7], values[:7], NOISE, jitter=1e-6).extend(Y[7:], values[7:], NOISE)
    assert_allclose(np.diag(longer.L @ longer.L.T), 1.0 + NOISE + 1e-6, rtol=1e-12)


def test_jitter_not_needed_is_not_added():
    assert condition(SE, *draw(5), NOISE).jitter == 0.0


def test_other_values_equal_conditioning_from_scratch(kernel, there):
    Y, values = draw(12)
    changed = condition(kernel, Y, values, NOISE).with_values(values**2 - 1.0)
    assert_same_belief(changed, condition(kernel, Y, values**2 - 1.0, NOISE), there)


@pytest.mark.parametrize(("by_mean", "by_std"), [(1.0, 0.0), (0.0, 1.0), (-2.0, 0.7)])
def test_gradient_of_mean_and_spread_equals_finite_differences(kernel, there, by_mean, by_std):
    posterior = condition(kernel, *draw(12), 1e-3)

    def score(Y):
        return by_mean * posterior(Y).mean + by_std * posterior(Y).std

    steps = 1e-5 * np.eye(2)[:, None, :]
    numeric = np.array([(score(there + step) - score(there - step)) / 2e-5 for step in steps]).T
    found = posterior(there).gradient(np.full(5, by_mean), np.full(5, by_std))
    assert_allclose(found, numeric, rtol=1e-5, atol=1e-6)  # a step of 1e-5: its square, and rounding divided by it


def test_gradient_at_a_seen_point_is_finite():
    Y, values = draw(12)
    assert np.all(np.isfinite(condition(SE, Y, values, 0.0)(Y).gradient(np.ones(12), np.ones(12))))


@pytest.fixture(scope="module")
def draws():
    """Four thousand joint draws at three points, (4000, 3), of which two lie close together."""
    Y, rng = np.array([[0.1, 0.2], [0.15, 0.2], [-0.9, 0.8]]), np.random.default_rng(4)
    posterior = condition(SE, *draw(6), NOISE)
    return posterior, Y, np.array([posterior.sample(Y, rng) for _ in range(4000)])


def test_draws_have_the_mean_of_the_belief(draws):
    posterior, Y, drawn = draws
    belief = posterior(Y)
    # five standard errors: one seed in a million would miss by more
    assert np.all(np.abs(drawn.mean(axis=0) - belief.mean) < 5.0 * belief.std / np.sqrt(4000))


def test_draws_have_the_covariance_of_the_belief(draws):
    posterior, Y, drawn = draws
    Z = posterior.kernel.features(Y)
    k = posterior.kernel.covariance(Z, posterior.Z)
    K = posterior.kernel.covariance(posterior.Z, posterior.Z) + NOISE * np.eye(6)
    expected = posterior.kernel.covariance(Z, Z) - k @ np.linalg.solve(K, k.T)
    error = np.sqrt((expected**2 + np.outer(np.diag(expected), np.diag(expected))) / 4000)  # of a normal's covariance
    assert np.all(np.abs(np.cov(drawn.T) - expected) < 5.0 * error)


def test_draw_passes_through_noiseless_data():
    Y, values = draw(6)
    # 1e-3: the jitter of a draw is 1e-10 at least, its root 1e-5
    assert_allclose(condition(SE, Y, values, 0.0).sample(Y, np.random.default_rng(0)), values, rtol=0.0, atol=1e-3)


def test_draw_is_a_function_of_the_generator(there):
    posterior = condition(SE, *draw(6), NOISE)
    first, second = (posterior.sample(there, np.random.default_rng(5)) for _ in range(2))
    assert_array_equal(first, second)


def test_indefinite_kernel_is_refused():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    Y = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])
    with pytest.raises(
        NotPositiveDefiniteError, match="a 4 x 4 matrix is not positive definite, even with jitter 1e-06"
    ):
        condition(bits, Y, np.zeros(4), 0.0)


def test_indefinite_kernel_is_refused_when_extending():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    Y = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])
    with pytest.raises(NotPositiveDefiniteError, match="a 4 x 4 matrix"):
        condition(bits, Y[:3], np.zeros(3), 0.0).extend(Y[3:], np.zeros(1), 0.0)


def test_shortening_stops_at_a_covariance():
    bits = Hamming(scale=2.0).bind(Space({"a": Bool(), "b": Bool()}), IdentityEmbedding(2))
    Y = np.array([[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])
    scale = condition_shortening(bits, Y, np.zeros(4), 0.0).kernel.scales[0]
    assert 0.9 * 0.906 < scale < 0.907  # the border stands in the docstring of Hamming; steps are of a tenth


def test_shortening_leaves_a_covariance_as_it_is(kernel):
    assert_array_equal(condition_shortening(kernel, *draw(12), NOISE).kernel.scales, kernel.scales)


def test_belief_does_not_change_with_the_order_of_observations(kernel, there):
    Y, values = draw(12)
    assert_same_belief(condition(kernel, Y[::-1], values[::-1], NOISE), condition(kernel, Y, values, NOISE), there)
