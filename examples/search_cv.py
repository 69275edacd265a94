"""scikit-learn: the parameters of a model and a weight for each of its 64 features, searched by cross-validation."""

import numpy as np
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline

import rembo
from rembo.integrations.sklearn import EmbeddedSearchCV


class Weights(TransformerMixin, BaseEstimator):
    """Multiplies each feature by a weight; the search gives it a lazy point, which NumPy reads as an array."""

    def __init__(self, weights: np.ndarray | float = 1.0) -> None:
        self.weights = weights

    def fit(self, X: np.ndarray, y: np.ndarray | None = None) -> "Weights":
        """Learns nothing."""
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """The features times their weights."""
        return X * np.asarray(self.weights)


X, y = load_digits(return_X_y=True)
pipeline = Pipeline([("weights", Weights()), ("ridge", RidgeClassifier())])
space = {
    "weights__weights": rembo.Box(64, 0.0, 1.0),
    "ridge__alpha": loguniform(1e-3, 1e3),
    "ridge__fit_intercept": [True, False],
}
search = EmbeddedSearchCV(pipeline, space, n_trials=25, cv=3, random_state=0).fit(X[:600], y[:600])
print(f"best accuracy {search.best_score_:.3f} with alpha {search.best_params_['ridge__alpha']:.3g}")
print(f"accuracy on digits that it has not seen: {search.score(X[600:], y[600:]):.3f}")
