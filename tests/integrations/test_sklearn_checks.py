"""scikit-learn's own checks of estimators, those that its own searches pass."""

from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from rembo import RandomSearch
from rembo.integrations.sklearn import EmbeddedSearchCV

SETTINGS = {"n_trials": 2, "optimizer": RandomSearch, "cv": 2, "error_score": "raise", "random_state": 0}
SEARCH = EmbeddedSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, **SETTINGS)
NOT_EXPECTED = {  # nor of RandomizedSearchCV, says scikit-learn 1.9
    "check_supervised_y_2d": "y is handed on as it is, and Ridge takes one of two dimensions without a warning",
}


@parametrize_with_checks([SEARCH], expected_failed_checks=lambda search: NOT_EXPECTED)
def test_search_passes_the_check_of_scikit_learn(estimator, check):
    check(estimator)
