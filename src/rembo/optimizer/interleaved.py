"""Interleaved runs (Section 3.1): optimizers that take turns, so that the failure of one is not the failure of all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rembo.optimizer.optimizer import Optimizer, Suggestion, first_accepted
from rembo.optimizer.trial import Trial


class Interleaved(Optimizer):
    """k optimizers of one space that take turns and share nothing but the budget.

    If each fails with probability delta, all fail with probability delta^k. Trial `trial` comes from
    runs[trial.run % k], whose own number for the run is trial.run // k.
    """

    def __init__(self, runs: Sequence[Optimizer]) -> None:
        if not runs:
            raise ValueError("Interleaved needs at least one optimizer")
        for run in runs:
            if not isinstance(run, Optimizer):
                raise TypeError(f"Interleaved takes optimizers, not {run!r}")
            if run.space != runs[0].space:
                raise ValueError(f"all optimizers must search one space: {run.space} is not {runs[0].space}")
        super().__init__(runs[0].space, runs[0].seed)
        self.runs = list(runs)
        self._theirs: dict[int, Trial] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """The runs, each with settings of its own: Interleaved(runs=...) of runs equal to these is equal to this."""
        return {"runs": list(self.runs)}

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        run = turn % len(self.runs)
        return self._taken_from(run, self.runs[run].ask())

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        run = turn % len(self.runs)
        return self._taken_from(run, self.runs[run].hurry())

    def _recalled(self, turn: int, suggestion: Suggestion) -> None:
        theirs, run = divmod(suggestion.run, len(self.runs))
        self._theirs[len(self._trials)] = self.runs[run].recall(replace(suggestion, run=theirs))

    def _observe(self, trial: Trial) -> None:
        run, theirs = self.runs[trial.run % len(self.runs)], self._theirs.pop(trial.number)
        if trial.value is not None:
            run.tell(theirs, trial.value)
        elif trial.failure is not None:
            run.fail(theirs, trial.failure)

    def _locate(self, x: Any) -> Suggestion:
        return first_accepted(enumerate(self.runs), lambda number, run: self._taken_from(number, run.adopt(x)))

    def _taken_from(self, run: int, theirs: Trial) -> Suggestion:
        """The suggestion of a run, whose own trial is kept until ours is told.

        The run of ours says which run of which run: theirs can be told from it.
        """
        self._theirs[len(self._trials)] = theirs
        return Suggestion(theirs.point, theirs.run * len(self.runs) + run, theirs.nominees, theirs.origin)
