"""How far a search is: counted trial by trial, told to a display."""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rembo.cli.say import remark
from rembo.optimizer import TrialState
from rembo.progress import duration
from rembo.study import Study, StudyTrial
from rembo.study.exchange import plain_params


@dataclass(frozen=True)
class Progress:
    """Where a search stands; `suggesting` is the share of the time spent on choosing where to look."""

    done: int
    of: int
    failed: int = 0
    best: float | None = None
    evaluation_seconds: float | None = None
    suggesting: float = 0.0
    seconds_left: float = math.inf

    def __str__(self) -> str:
        """All of it in a line."""
        best = "none yet" if self.best is None else f"{self.best:.6g}"
        each = "" if self.evaluation_seconds is None else f", {duration(self.evaluation_seconds)} each"
        left = "" if math.isinf(self.seconds_left) else f", {duration(self.seconds_left)} left"
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done}/{self.of}: best {best}{each}, {self.suggesting:.0%} suggesting{left}{failed}"


class Display(Protocol):
    """What shows a search while it runs."""

    def show(self, progress: Progress, trial: StudyTrial) -> None:
        """One more trial is finished."""

    def note(self, text: str) -> None:
        """Something is worth a line: a failure, or that the search is about to end."""


class Silent:
    """Shows nothing."""

    def show(self, progress: Progress, trial: StudyTrial) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


class Lines:
    """Plain lines on standard error, one for each trial."""

    def show(self, progress: Progress, trial: StudyTrial) -> None:
        """The value of a complete trial; a failure was noted."""
        outcome = "failed" if trial.value is None else f"{trial.value:.6g}"
        remark(f"trial {trial.number}: {outcome}  ({progress})")

    def note(self, text: str) -> None:
        """The text itself."""
        remark(text)


class JsonLines:
    """A line of JSON on standard output for each trial."""

    def show(self, progress: Progress, trial: StudyTrial) -> None:
        """What a program may want to know of it."""
        write_json({"event": "trial", **trial_data(trial), "best": progress.best, "of": progress.of})

    def note(self, text: str) -> None:
        """Nothing: failures are in the trials."""


class Watch:
    """A callback of a study that counts, and tells a display; `before` are the trials that were told earlier."""

    def __init__(self, display: Display, before: Sequence[StudyTrial], of: int) -> None:
        self._display, self._of = display, of
        self._before = self._done = len(before)
        self._failed = sum(trial.state is TrialState.FAIL for trial in before)
        self._succeeded = any(trial.value is not None for trial in before)
        self._began = time.monotonic()
        self._asking = self._evaluating = 0.0

    def __call__(self, study: Study, trial: StudyTrial) -> None:
        """One more trial was told."""
        self._done += 1
        self._failed += trial.state is TrialState.FAIL
        self._succeeded |= trial.value is not None
        self._asking += trial.ask_seconds
        self._evaluating += trial.duration or 0.0
        self._display.show(self._progress(study.best_value if self._succeeded else None), trial)

    def _progress(self, best: float | None) -> Progress:
        elapsed, here = time.monotonic() - self._began, self._done - self._before
        left = elapsed / here * (self._of - self._done)
        share = min(1.0, self._asking / max(elapsed, 1e-9))
        return Progress(self._done, self._of, self._failed, best, self._evaluating / here, share, left)


def trial_data(trial: StudyTrial) -> dict[str, Any]:
    """A trial as JSON data."""
    return {
        "number": trial.number,
        "value": trial.value,
        "state": trial.state.name,
        "reason": None if trial.reason is None else trial.reason.name,
        "error": trial.failure,
        "seconds": trial.duration,
        "params": plain_params(trial),
    }


def write_json(data: Any) -> None:
    """A line of JSON on standard output, there for a reader at once."""
    print(json.dumps(data, default=str), flush=True)
