"""Which classifier, and how: five of scikit-learn's on its handwritten digits, 25 parameters, most conditional."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.space import Bool, Categorical, Float, Integer, Is, Space

TRAINED_ON, JUDGED_ON = 600, 600


@dataclass(frozen=True)
class Digits:
    """The error rate on pictures that were not trained on; a seed draws 600 pictures for each."""

    seed: int
    optimum: float = 0.0

    @property
    def space(self) -> Space:
        """The model, what is done to the pictures before, and what each model has of its own."""
        return Space(
            {
                "model": Categorical(["svm", "forest", "boosting", "regression", "neighbours"]),
                "scaling": Categorical(["none", "standard", "unit"]),
                "components": Bool(),
                "kept": Float(0.3, 0.99).when(Is("components", True)),
                **_svm(),
                **_forest(),
                **_boosting(),
                **_regression(),
                **_neighbours(),
            }
        )

    def __call__(self, x: Mapping[str, Any]) -> float:
        """Train and judge; a model that cannot be trained is wrong throughout."""
        from sklearn.pipeline import make_pipeline

        images, labels = _drawn(self.seed)
        model = make_pipeline(*_before(x), _model(x))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of steps that do not converge, which is for the search to find out
            try:
                model.fit(images[:TRAINED_ON], labels[:TRAINED_ON])
            except ValueError:
                return 1.0
        return float(1.0 - model.score(images[TRAINED_ON:], labels[TRAINED_ON:]))


def _svm() -> dict[str, Any]:
    here = Is("model", "svm")
    return {
        "svm_C": Float(1e-3, 1e3, log=True).when(here),
        "svm_kernel": Categorical(["rbf", "poly", "linear", "sigmoid"]).when(here),
        "svm_gamma": Float(1e-6, 1e1, log=True).when(Is("svm_kernel", "rbf", "poly", "sigmoid")),
        "svm_degree": Integer(2, 5).when(Is("svm_kernel", "poly")),
        "svm_shift": Float(-1.0, 1.0).when(Is("svm_kernel", "poly", "sigmoid")),
    }


def _forest() -> dict[str, Any]:
    here = Is("model", "forest")
    return {
        "forest_trees": Integer(5, 60, log=True).when(here),
        "forest_depth": Integer(2, 30).when(here),
        "forest_features": Float(0.02, 1.0, log=True).when(here),
        "forest_leaf": Integer(1, 20, log=True).when(here),
        "forest_bootstrap": Bool().when(here),
    }


def _boosting() -> dict[str, Any]:
    here = Is("model", "boosting")
    return {
        "boosting_rounds": Integer(2, 15, log=True).when(here),
        "boosting_rate": Float(0.01, 1.0, log=True).when(here),
        "boosting_leaves": Integer(3, 31, log=True).when(here),
        "boosting_penalty": Float(1e-6, 1e2, log=True).when(here),
    }


def _regression() -> dict[str, Any]:
    here = Is("model", "regression")
    return {
        "regression_C": Float(1e-4, 1e3, log=True).when(here),
        "regression_steps": Integer(5, 60, log=True).when(here),
        "regression_intercept": Bool().when(here),
    }


def _neighbours() -> dict[str, Any]:
    here = Is("model", "neighbours")
    return {
        "neighbours_k": Integer(1, 50, log=True).when(here),
        "neighbours_weights": Categorical(["uniform", "distance"]).when(here),
        "neighbours_metric": Categorical(["minkowski", "cosine", "chebyshev"]).when(here),
        "neighbours_power": Float(1.0, 5.0).when(Is("neighbours_metric", "minkowski")),
    }


def _drawn(seed: int) -> tuple[Array, Array]:
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    chosen = np.random.default_rng(seed).permutation(len(images))[: TRAINED_ON + JUDGED_ON]
    return images[chosen], labels[chosen]


def _before(x: Mapping[str, Any]) -> list[Any]:
    """What is done to the pictures."""
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    scaling = {"none": [], "standard": [StandardScaler()], "unit": [MinMaxScaler()]}[x["scaling"]]
    return [*scaling, *([PCA(x["kept"], svd_solver="full")] if x["components"] else [])]


def _model(x: Mapping[str, Any]) -> Any:
    """The classifier."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    match x["model"]:
        case "svm":
            more = {
                "gamma": x.get("svm_gamma", "scale"),
                "degree": x.get("svm_degree", 3),
                "coef0": x.get("svm_shift", 0.0),
            }
            return SVC(C=x["svm_C"], kernel=x["svm_kernel"], max_iter=20_000, **more)
        case "forest":
            return RandomForestClassifier(
                x["forest_trees"],
                max_depth=x["forest_depth"],
                max_features=x["forest_features"],
                min_samples_leaf=x["forest_leaf"],
                bootstrap=x["forest_bootstrap"],
                random_state=0,
            )
        case "boosting":
            return HistGradientBoostingClassifier(
                max_iter=x["boosting_rounds"],
                learning_rate=x["boosting_rate"],
                max_leaf_nodes=x["boosting_leaves"],
                l2_regularization=x["boosting_penalty"],
                random_state=0,
            )
        case "regression":
            return LogisticRegression(
                C=x["regression_C"], max_iter=x["regression_steps"], fit_intercept=x["regression_intercept"]
            )
    power = {"p": x["neighbours_power"]} if "neighbours_power" in x else {}
    return KNeighborsClassifier(
        x["neighbours_k"], weights=x["neighbours_weights"], metric=x["neighbours_metric"], **power
    )
