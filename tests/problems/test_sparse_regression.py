"""Sparse regression: the penalties that the truth suggests are good, and the solver solves what it says."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from rembo import Box
from rembo.problems import SparseRegression
from rembo.problems.lasso import weighted_lasso


@pytest.fixture(scope="module")
def problem():
    return SparseRegression(100, 5, seed=0)


def good(problem):
    """Lowest penalties where the true coefficients are, highest elsewhere."""
    x = np.ones(problem.features)
    x[problem.support] = -1.0
    return x


@pytest.mark.parametrize(("features", "active"), [(100, 5), (300, 15)])
def test_penalties_by_the_true_support_come_near_the_oracle(features, active):
    problem = SparseRegression(features, active, seed=0)
    # an unbiased fit of k coefficients to n samples errs by about 1 + k/n of the noise, and small penalties add some
    assert problem(good(problem)) < 1.5 * problem.oracle


def test_random_penalties_are_far_from_the_oracle(problem):
    X = np.random.default_rng(0).uniform(-1.0, 1.0, size=(10, 100))
    assert min(map(problem, X)) > 10.0 * problem.oracle


def test_oracle_is_the_noise_left_by_the_true_coefficients(problem):
    signal = problem.data.X @ problem.data.w
    assert problem.oracle == pytest.approx(np.mean(signal**2) / 100.0)  # the signal is ten times the noise


def test_true_coefficients_alternate_on_the_support(problem):
    assert problem.support == [0, 20, 40, 60, 80]
    assert problem.data.w[problem.support].tolist() == [1.0, -1.0, 1.0, -1.0, 1.0]
    assert np.count_nonzero(problem.data.w) == 5


def test_neighbouring_features_are_correlated():
    X = SparseRegression(1000, 50, seed=0).data.X
    # 425 samples of 999 pairs: a standard error below 0.01
    assert np.mean(X[:, 1:] * X[:, :-1]) == pytest.approx(0.6, abs=0.03)
    assert np.mean(X**2) == pytest.approx(1.0, abs=0.03)


def test_highest_penalties_predict_zero(problem):
    x = np.ones(100) - 1e-9
    folds = np.array_split(problem.data.y, 5)
    # of the largest penalty that zeroes all coefficients of all samples, a fold may leave a few small ones
    assert problem(x) == pytest.approx(np.mean([np.mean(fold**2) for fold in folds]), rel=0.2)


def test_penalties_run_over_two_decades(problem):
    x = np.zeros(100)
    x[:3] = [-1.0, 0.0, 1.0]
    ratio = problem.penalties(x)[:3] / np.abs(problem.data.X.T @ problem.data.y).max() * len(problem.data.y)
    assert_allclose(ratio, [0.01, 0.1, 1.0])


def test_each_feature_has_its_own_penalty(problem):
    x = good(problem)
    values = [problem(np.where(np.arange(100) == j, 1.0, x)) for j in problem.support]
    assert min(values) > 2.0 * problem(x)


def test_weighted_lasso_minimises_its_objective():
    rng = np.random.default_rng(0)
    X, penalties = rng.standard_normal((30, 4)), np.array([0.01, 0.1, 0.3, 3.0])
    y = X @ [1.0, -1.0, 0.5, 0.5] + 0.1 * rng.standard_normal(30)
    found = minimize(lambda w: np.sum((y - X @ w) ** 2) / 60.0 + penalties @ np.abs(w), np.zeros(4), method="Powell").x
    # coordinate descent stops at a relative duality gap of 1e-4
    assert_allclose(weighted_lasso(X, y, penalties), found, atol=0.01)


def test_regression_depends_on_the_seed_alone():
    values = [SparseRegression(100, 5, seed=seed)(np.zeros(100)) for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


def test_regression_knows_its_space(problem):
    assert problem.space == Box(100)


@pytest.mark.parametrize(
    ("features", "active", "message"),
    [
        (19, 1, "features 19 must be at least 20"),
        (100, 0, "active 0 must lie between 1 and 100"),
        (100, 101, "active 101 must lie between 1 and 100"),
    ],
)
def test_regression_of_impossible_size_is_an_error(features, active, message):
    with pytest.raises(ValueError, match=message):
        SparseRegression(features, active)


def test_missing_scikit_learn_is_a_sentence_that_names_the_cure():
    program = (
        "import sys; sys.modules['sklearn.linear_model'] = None; "
        "from rembo.problems import SparseRegression; SparseRegression()([0.0] * 100)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    cure = "ModuleNotFoundError: SparseRegression needs scikit-learn: pip install 'scikit-learn>=1.5'"
    assert cure in done.stderr


def test_importing_the_problems_does_not_load_scikit_learn():
    program = "import rembo.problems, sys; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "False\n"
