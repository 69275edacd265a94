"""scikit-learn's own checks of estimators, those that its own searches pass."""

from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from rembo import RandomSearch
from rembo.integrations.sklearn import EmbeddedSearchCV

SETTINGS = {"n_trials": 2, "optimizer": RandomSearch, "cv": 2, "error_score": "raise", "random_state": 0}
SEARCH = EmbeddedSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, **SETTINGS)
NOT_EXPECTED = {  # nor of RandomizedSearchCV, says scikit-learn 1.9
    "check_requires_y_none": "the folds are made before the estimator can say that it needs y",
}


@parametrize_with_checks([SEARCH], expected_failed_checks=lambda search: NOT_EXPECTED)
def test_search_passes_the_check_of_scikit_learn(estimator, check):
    check(estimator)
