"""EmbeddedSearchCV: a search of scikit-learn's in all but its suggestions."""

import pickle
import re
from functools import partial

import numpy as np
import pytest
from doors import SPACE, Costly
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rembo import Box, Categorical, Float, Growing, RandomSearch, Space
from rembo.integrations.sklearn import EmbeddedSearchCV

X, y = load_iris(return_X_y=True)
RATES = {"C": Float(0.01, 100.0, log=True), "gamma": stats.loguniform(1e-3, 1.0)}


def search_svc(space=RATES, n_trials=4, **settings):
    settings = {"cv": 3, "random_state": 0, "optimizer": RandomSearch, **settings}
    return EmbeddedSearchCV(SVC(), space, n_trials, **settings).fit(X, y)


class Fussy(Costly):
    """Cannot be fitted with d = p."""

    def fit(self, X, y=None):
        if self.d == "p":
            raise ArithmeticError("no p, please")
        return self


class Unfit(Costly):
    """Cannot be fitted at all."""

    def fit(self, X, y=None):
        raise ArithmeticError("never")


def search_fussy(estimator=None, n_trials=9, **settings):
    settings = {"cv": 2, "random_state": 7, "optimizer": RandomSearch, **settings}
    return EmbeddedSearchCV(estimator or Fussy(), SPACE, n_trials, **settings).fit(X)


@pytest.fixture
def unfitted():
    """A search in which some candidates could not be fitted, and that said so."""
    with pytest.warns(FitFailedWarning, match="no p, please"), pytest.warns(UserWarning, match="no finite score"):
        return search_fussy()


def of_kind(search, kind):
    """Which of the candidates have d = kind."""
    return search.cv_results_["param_d"].data == kind


# What scikit-learn's users expect


def test_table_has_the_columns_of_randomized_search():
    theirs = RandomizedSearchCV(SVC(), {"C": [1.0, 2.0], "gamma": [0.1]}, n_iter=2, cv=3).fit(X, y)
    assert sorted(search_svc().cv_results_) == sorted(theirs.cv_results_)


def test_table_has_a_row_for_each_candidate():
    search = search_svc(n_trials=5)
    assert {len(column) for column in search.cv_results_.values()} == {5}


def test_best_parameters_are_those_with_the_highest_score():
    search = search_svc()
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]


def test_best_estimator_is_refitted_and_predicts():
    search = search_svc()
    assert search.best_params_["C"] == search.best_estimator_.C
    assert search.score(X, y) > 0.9


def test_without_refit_there_is_no_best_estimator():
    search = search_svc(refit=False)
    assert not hasattr(search, "best_estimator_")
    assert search.best_params_ in search.cv_results_["params"]


def test_steps_of_a_pipeline_are_searched_by_their_names():
    pipeline = Pipeline([("scale", StandardScaler()), ("clf", SVC())])
    space = {"clf__C": Float(0.1, 10.0, log=True), "scale": ["passthrough", StandardScaler()]}
    search = EmbeddedSearchCV(pipeline, space, n_trials=3, cv=2, random_state=0).fit(X, y)
    assert search.best_params_["clf__C"] == search.best_estimator_.named_steps["clf"].C


def test_search_is_what_its_estimator_is():
    assert is_classifier(EmbeddedSearchCV(SVC(), RATES))
    assert not is_classifier(EmbeddedSearchCV(Ridge(), {"alpha": Float(0.1, 1.0)}))


def test_clone_searches_the_same_again():
    search = search_svc()
    assert clone(search).fit(X, y).cv_results_["params"] == search.cv_results_["params"]


def test_fitted_search_can_be_pickled():
    search = search_svc(optimizer=partial(Growing, noise="learn"))
    copy = pickle.loads(pickle.dumps(search))
    assert_array_equal(copy.predict(X), search.predict(X))
    assert len(copy.optimizer_.trials) == 4


def test_search_learns_from_the_scores():
    searches = [EmbeddedSearchCV(Costly(), SPACE, n_trials=35, cv=2, random_state=seed) for seed in range(4)]
    found = [search.fit(X).best_score_ for search in searches]
    assert sum(score > -0.01 for score in found) >= 2  # 35 random points: -0.02 at best, of 12 seeds; ours: 10 of 12


def test_candidates_are_given_what_has_one_value_only():
    search = search_svc({"C": Float(0.1, 10.0), "kernel": ["linear"]})
    assert {candidate["kernel"] for candidate in search.cv_results_["params"]} == {"linear"}


def test_array_of_numbers_can_be_searched():
    estimator = Costly(b=np.zeros(3))
    space = Space({"a": Float(0.0, 1.0), "b": Box(3)})
    search = EmbeddedSearchCV(estimator, space, 3, cv=2, scoring=lambda e, X, y=None: -sum(e.b), random_state=0).fit(X)
    assert -sum(search.best_params_["b"]) == pytest.approx(search.best_score_)


# Several metrics


def test_metric_that_refit_names_guides_the_search():
    search = EmbeddedSearchCV(Costly(), SPACE, 3, scoring=_two_scores, refit="cheap", cv=2, random_state=0).fit(X)
    assert_allclose([-trial.value for trial in search.optimizer_.trials], search.cv_results_["mean_test_cheap"])


@pytest.mark.parametrize("refit", [False, lambda results: 1], ids=["False", "callable"])
def test_first_metric_guides_the_search_where_refit_names_none(refit):
    search = EmbeddedSearchCV(Costly(), SPACE, 3, scoring=_two_scores, refit=refit, cv=2, random_state=0).fit(X)
    assert_allclose([-trial.value for trial in search.optimizer_.trials], search.cv_results_["mean_test_dear"])


def test_callable_refit_chooses_the_best():
    assert search_svc(scoring=["accuracy", "f1_macro"], refit=lambda results: 2).best_index_ == 2


def _two_scores(estimator, X, y=None):
    return {"dear": -estimator.b, "cheap": estimator.score(X)}


# Folds and workers


def test_all_candidates_are_judged_on_the_same_folds_of_a_shuffling_splitter():
    space = {"C": Categorical([1.0, 1.0 + 1e-9])}
    search = search_svc(space, n_trials=2, cv=KFold(3, shuffle=True, random_state=np.random.RandomState(0)))
    first, second = (search.cv_results_[f"split{fold}_test_score"] for fold in (0, 1))
    assert first[0] == first[1]
    assert second[0] == second[1]


def test_candidates_of_a_batch_are_asked_before_any_of_them_is_told():
    search = EmbeddedSearchCV(Costly(), SPACE, 6, batch_size=4, cv=2, random_state=0).fit(X)
    optimizer = Growing(SPACE, seed=0)
    assert search.cv_results_["params"][:4] == [trial.x for trial in optimizer.ask(4)]
    assert len(search.cv_results_["params"]) == 6


# Seeds


def test_random_state_may_be_a_generator():
    runs = [search_svc(random_state=np.random.RandomState(5)).cv_results_["params"] for _ in range(2)]
    assert runs[0] == runs[1]


def test_random_state_none_is_numpys_global_one():
    np.random.seed(11)  # noqa: NPY002  # it is scikit-learn's convention
    first = search_svc(random_state=None).optimizer_.seed
    np.random.seed(11)  # noqa: NPY002
    assert search_svc(random_state=None).optimizer_.seed == first


# Failures


def test_candidate_that_cannot_be_fitted_is_a_failure_with_its_reason(unfitted):
    failures = np.array([trial.failure for trial in unfitted.optimizer_.trials])
    assert_array_equal(failures == "ArithmeticError: no p, please", of_kind(unfitted, "p"))
    assert 1 < of_kind(unfitted, "p").sum() < 8


def test_table_has_a_row_for_a_candidate_that_cannot_be_fitted(unfitted):
    assert unfitted.cv_results_["params"] == [trial.x for trial in unfitted.optimizer_.trials]
    assert_array_equal(np.isnan(unfitted.cv_results_["split1_test_score"]), of_kind(unfitted, "p"))


def test_candidate_that_cannot_be_fitted_shares_the_last_rank(unfitted):
    ranks = unfitted.cv_results_["rank_test_score"]
    assert set(ranks[of_kind(unfitted, "p")]) == {1 + (~of_kind(unfitted, "p")).sum()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_error_score_that_is_a_number_is_told_as_the_score():
    search = search_fussy(error_score=-5.0)
    assert {trial.value for trial in search.optimizer_.trials if trial.x["d"] == "p"} == {5.0}
    assert set(search.cv_results_["mean_test_score"][of_kind(search, "p")]) == {-5.0}
    assert set(search.cv_results_["std_test_score"]) == {0.0}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_table_with_failures_is_that_of_randomized_search():
    ours = search_fussy(error_score=-5.0)
    columns = [name for name in ours.cv_results_ if not name.endswith("_time")]
    batch = search_fussy(error_score=-5.0, batch_size=9)  # scikit-learn writes all rows itself
    assert {name: repr(ours.cv_results_[name]) for name in columns} == {
        name: repr(batch.cv_results_[name]) for name in columns
    }


def test_search_in_which_nothing_can_be_fitted_raises():
    with pytest.warns(FitFailedWarning), pytest.raises(ValueError, match="It is very likely that your model"):
        search_fussy(Unfit(), n_trials=3)


def test_error_score_raise_lets_the_first_failure_through():
    with pytest.raises(ArithmeticError, match="no p, please"):
        search_fussy(error_score="raise")


def test_score_that_is_no_number_is_a_failure():
    with pytest.warns(UserWarning, match="2 candidates have no finite score"):
        search = search_svc(n_trials=2, scoring=lambda estimator, X, y: np.nan, refit=False)
    assert {trial.failure for trial in search.optimizer_.trials} == {"its score is not finite"}


def test_name_that_the_estimator_does_not_have_is_scikit_learns_error():
    with pytest.raises(ValueError, match=re.escape("Invalid parameter 'rate' for estimator SVC()")):
        search_svc({"rate": Float(0.0, 1.0)})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_trials": 0}, "n_trials 0 must be at least 1"),
        ({"batch_size": 0}, "batch_size 0 must be at least 1"),
        ({"random_state": -1}, "random_state -1 must be at least 0"),
        ({"space": [1]}, "space must be a rembo.Space or a dict of parameters and distributions, not [1]"),
        ({"space": Box(3)}, "space must be a rembo.Space or a dict of parameters and distributions, not Box"),
        ({"optimizer": RandomSearch(SPACE)}, "optimizer must make one of a space and a seed, which <"),
        ({"optimizer": lambda space, seed: None}, "optimizer must make one of rembo's optimizers, not None"),
    ],
)
def test_setting_that_is_wrong_is_told_by_fit(settings, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        search_svc(**settings)
