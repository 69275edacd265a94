"""When to give a search up: the program ran before, and now it cannot even be started."""

from rembo.scenario.evaluation import was_not_started
from rembo.study import Study, StudyTrial

MOST = 5  # runs in a row that could not be started


class StopWhenBroken:
    """A callback that ends a search after a few trials in a row whose program did not start.

    That is no fault of their values: the program was deleted, a disk is full. Any other outcome begins a new count.
    """

    def __init__(self) -> None:
        self._in_a_row = 0

    def __call__(self, study: Study, trial: StudyTrial) -> None:
        """Count a trial that was told; StopIteration at one too many."""
        self._in_a_row = self._in_a_row + 1 if was_not_started(trial.error or "") else 0
        if self._in_a_row == MOST:
            raise StopIteration
