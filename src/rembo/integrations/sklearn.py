"""scikit-learn: a search for the parameters of an estimator by cross-validation, as RandomizedSearchCV is one.

All but the suggestions is scikit-learn's own: scorers, folds, workers, the table of results, refitting. A score is made
high, so its negative is what the optimizer is told. All candidates are judged on the same folds, though they are handed
in one after the other.
"""

import math
import numbers
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rembo.border import check_whole
from rembo.extras import absent
from rembo.integrations.distributions import searched_in
from rembo.integrations.results import Candidate, insert_unfitted
from rembo.integrations.searched import Maker, optimizer_of
from rembo.optimizer import Optimizer, Trial
from rembo.space import Space

try:
    from sklearn.exceptions import FitFailedWarning
    from sklearn.model_selection._search import BaseSearchCV  # the class that its own searches, too, are made of
    from sklearn.utils import check_random_state
except ModuleNotFoundError as missing:
    raise absent("EmbeddedSearchCV needs scikit-learn", "scikit-learn") from missing


class EmbeddedSearchCV(BaseSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """Search the parameters of an estimator with cross-validation, in `n_trials` candidates.

    `space` is a rembo.Space, or a dict of rembo's parameters, frozen distributions of scipy.stats and lists of choices.
    `optimizer` makes the optimizer of a space and a seed, e.g. `functools.partial(rembo.Rembo, embedding_dim=4)`;
    afterwards it is `optimizer_`. `batch_size` candidates are asked at once and fitted at the same time where `n_jobs`
    allows it; what is asked depends on it, and never on n_jobs. Of several metrics the one that `refit` names guides
    the search, else the first. The other parameters are those of scikit-learn's RandomizedSearchCV.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from rembo import Float
    >>> search = EmbeddedSearchCV(SVC(), {"C": Float(0.01, 100.0, log=True)}, n_trials=3, random_state=0)
    >>> round(float(search.fit(*load_iris(return_X_y=True)).best_score_), 2)
    0.97
    """

    def __init__(
        self,
        estimator: Any,
        space: Space | Mapping[str, Any],
        n_trials: int = 50,
        *,
        optimizer: Maker | None = None,
        batch_size: int = 1,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.space = space
        self.n_trials = n_trials
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.random_state = random_state

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        """Ask, evaluate and tell until there are n_trials candidates; scikit-learn calls this from `fit`."""
        n_trials = check_whole(self.n_trials, "n_trials", 1)
        batch_size = check_whole(self.batch_size, "batch_size", 1)
        searched = searched_in(self.space)
        self.optimizer_ = optimizer_of(self.optimizer, searched.space, _seed_of(self.random_state))
        table = _Table(evaluate_candidates, _SameFolds(self._checked_cv_orig), str(self.refit), self.error_score)
        for first in range(0, n_trials, batch_size):
            trials = self.optimizer_.ask(min(batch_size, n_trials - first))
            scores = table.scores([searched.complete(trial.x) for trial in trials])
            for trial, score in zip(trials, scores, strict=True):
                _tell(self.optimizer_, trial, score, table.trouble)
        table.finish()


class _Table:
    """cv_results_ as it grows.

    Where not one fit of a call succeeds, scikit-learn takes the model to be misconfigured, and raises. Here that may be
    a single candidate: it gets its row in the end, and only if there is no other candidate is there an error.
    """

    def __init__(self, evaluate: Callable[..., dict[str, Any]], folds: Any, metric: str, error_score: Any) -> None:
        self._evaluate = evaluate
        self._folds = folds
        self._metric = metric
        self._error_score = error_score
        self._results: dict[str, Any] = {}
        self._unfitted: list[tuple[int, Candidate]] = []
        self._error: ValueError | None = None
        self.trouble = ""  # why the last candidates have no score, if they have none

    def scores(self, candidates: Sequence[Candidate]) -> Sequence[float]:
        """What guides the search: the mean score of each candidate over the folds."""
        try:
            with _without_repetition():
                self._results = self._evaluate(candidates, cv=self._folds)
        except ValueError as error:
            if not _nothing_was_fitted(error):
                raise
            self._keep_unfitted(candidates, error)
            return [self._error_score] * len(candidates)
        self.trouble = "its score is not finite"
        return list(self._results[self._guide()][-len(candidates) :])

    def finish(self) -> None:
        """Give the candidates that could not be fitted their rows, or raise if there are no others."""
        if self._error and not self._results:
            raise self._error
        if self._unfitted:
            insert_unfitted(self._results, self._unfitted, self._error_score)
        unscored = int((~np.isfinite(self._results[self._guide()])).sum())
        if unscored:
            warnings.warn(f"{unscored} candidates have no finite score: see cv_results_", UserWarning, stacklevel=2)

    def _keep_unfitted(self, candidates: Sequence[Candidate], error: ValueError) -> None:
        warnings.warn(str(error), FitFailedWarning, stacklevel=2)
        row = len(self._results.get("params", ()))
        self._unfitted += [(row, candidate) for candidate in candidates]
        self._error = error
        self.trouble = str(error).strip().splitlines()[-1]

    def _guide(self) -> str:
        named = f"mean_test_{self._metric}"
        return named if named in self._results else next(key for key in self._results if key.startswith("mean_test_"))


class _SameFolds:
    """A splitter that splits once: candidates can be compared, also if the splitter shuffles anew each time."""

    def __init__(self, cv: Any) -> None:
        self._cv = cv
        self._folds: list[Any] = []

    def split(self, X: Any, y: Any = None, **params: Any) -> list[Any]:
        self._folds = self._folds or list(self._cv.split(X, y, **params))
        return self._folds


def _tell(optimizer: Optimizer, trial: Trial, score: float, trouble: str) -> None:
    if math.isfinite(score):
        optimizer.tell(trial, -score)
    else:
        optimizer.fail(trial, trouble)


def _nothing_was_fitted(error: ValueError) -> bool:
    return "fits failed.\nIt is very likely that your model is misconfigured" in str(error)


@contextmanager
def _without_repetition() -> Iterator[None]:
    """scikit-learn says with every call which of all scores so far are not finite; `finish` says it once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "One or more of the (test|train) scores are non-finite", UserWarning)
        yield


def _seed_of(random_state: Any) -> int:
    """The seed that a whole number is; else one that is drawn, as scikit-learn draws."""
    if isinstance(random_state, numbers.Integral):
        return check_whole(random_state, "random_state", 0)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
