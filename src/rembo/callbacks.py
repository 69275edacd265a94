"""Callbacks that are ready to use: stop at a target, stop when nothing improves, log each trial.

They go into the `callbacks` of `minimize`, `maximize` and `Study.optimize`. A callback of your own is any function of
(study, trial).
"""

import logging
from dataclasses import dataclass, field

from rembo.border import check_whole, is_finite
from rembo.study import Study, StudyTrial


@dataclass(frozen=True)
class StopAt:
    """Ends the search when a value is at least as good as the target.

    Parameters
    ----------
    target : float
        At or below it when minimising, at or above it when maximising.

    Examples
    --------
    >>> from rembo import Box, minimize
    >>> minimize(lambda x: x[3] ** 2, Box(10), 50, seed=0, callbacks=[StopAt(0.1)]).message
    'a callback ended the search'
    """

    target: float

    def __post_init__(self) -> None:
        if not is_finite(self.target):
            raise ValueError(f"the target {self.target!r} must be a finite number")

    def __call__(self, study: Study, trial: StudyTrial) -> None:
        """Raise StopIteration if the trial reached the target."""
        if trial.value is not None and study.better_or_equal(trial.value, self.target):
            raise StopIteration


@dataclass(frozen=True)
class StopWithoutProgress:
    """Ends the search when the best value has not improved for so many trials.

    Parameters
    ----------
    n_trials : int
        How many finished trials in a row may bring no better value; failures count.
    """

    n_trials: int

    def __post_init__(self) -> None:
        check_whole(self.n_trials, "n_trials", 1)

    def __call__(self, study: Study, trial: StudyTrial) -> None:
        """Raise StopIteration if the best trial is too long ago."""
        told = [each for each in study.trials if each.told is not None]
        values = [each for each in told if each.value is not None]
        since = min((each.told or 0 for each in values if each.value == study.best_value), default=-1)
        if sum((each.told or 0) > since for each in told) >= self.n_trials:
            raise StopIteration


@dataclass(frozen=True)
class LogTrials:
    """Logs a line for each trial: its value or failure, and the best value so far.

    Parameters
    ----------
    logger : logging.Logger
        Where to; the logger named "rembo" by default.
    level : int
        Of the lines about values; failures are warnings, which `Study.optimize` itself logs.
    """

    logger: logging.Logger = field(default_factory=lambda: logging.getLogger("rembo"))
    level: int = logging.INFO

    def __call__(self, study: Study, trial: StudyTrial) -> None:
        """Log a trial that has a value."""
        if trial.value is not None:
            best = study.best_trial
            line = "trial %d: %.6g (best %.6g in trial %d)"
            self.logger.log(self.level, line, trial.number, trial.value, best.value, best.number)
