"""What `minimize` and `maximize` return: SciPy's result, typed, and printed as a person wants to read it."""

from typing import Any

from scipy.optimize import OptimizeResult

from rembo.embedding import Point
from rembo.optimizer import Optimizer
from rembo.progress import duration
from rembo.space import Space
from rembo.study import End, Study, StudyTrial
from rembo.study.comparison import DefaultComparison, compare_with_default

_LISTED = 20  # parameters


class Result(OptimizeResult):  # type: ignore[misc]  # SciPy has no types
    """The best point found, and all that led to it: a `scipy.optimize.OptimizeResult`, a dict with attributes.

    Attributes
    ----------
    x : Point, dict or value
        What f got when it gave the best value.
    fun : float
        The best value.
    nfev, nit : int
        How many times f was evaluated, failures included.
    success : bool
        Whether the search came to an end by itself: its trials, its timeout or a callback.
    status, message : int, str
        Why it ended.
    trials : list of StudyTrial
        The finished trials in the order in which they were told.
    optimizer : Optimizer
        What asked; `optimizer.importance()` says what matters if it is the default one.
    space : Box, Space or a single parameter
        What was searched.
    """

    x: Any
    fun: float
    nfev: int
    nit: int
    success: bool
    status: int
    message: str
    trials: list[StudyTrial]
    optimizer: Optimizer
    space: Any

    @staticmethod
    def of(study: Study, end: End) -> "Result":
        """The result of a study that has a complete trial."""
        told = sorted((trial for trial in study.trials if trial.told is not None), key=lambda trial: trial.told or 0)
        evaluated = sum(trial.started_at is not None for trial in told)
        failed = sum(trial.value is None for trial in told)
        status, message = end.value
        return Result(
            x=study.best_params,
            fun=study.best_value,
            nfev=evaluated,
            nit=len(told),
            success=end is not End.INTERRUPTED,
            status=status,
            message=f"{message}; {failed} of {len(told)} trials failed" if failed else message,
            trials=told,
            optimizer=study.optimizer,
            space=study.space,
        )

    def __repr__(self) -> str:
        """The best value and where it was found, what it took, and why the search ended."""
        best = next((trial for trial in self.trials if trial.value == self.fun), None)
        failed = sum(trial.value is None for trial in self.trials)
        seconds = sum(trial.ask_seconds + (trial.duration or 0.0) for trial in self.trials)
        counts = f"{len(self.trials)}" + (f", {failed} of which failed" if failed else "")
        return "\n".join(
            [
                f"best value: {self.fun!r}" + ("" if best is None else f" in trial {best.number}"),
                *_described(self.x, self.space, compare_with_default(self.space, self.trials, best)),
                f"trials: {counts}; {duration(seconds)} of suggesting and evaluating",
                f"ended: {self.message}",
            ]
        )

    __str__ = __repr__


def _described(x: Any, space: Any, comparison: DefaultComparison | None) -> list[str]:
    """A configuration in lines: what differs from the default first, the rest counted."""
    if not isinstance(space, Space):
        return [f"best point: {x!r}"]
    changed = space.changes(x)
    lines = [f"  {name} = {_short(x[name])}{_default(name, space)}" for name in changed[:_LISTED]]
    more, same = len(changed) - len(lines), len(x) - len(changed)
    return [
        "best parameters:" if comparison is None else f"best parameters: {comparison}",
        *lines,
        *([f"  and {more} more"] if more else []),
        *([f"  {same} as the default"] if same else []),
    ]


def _default(name: str, space: Space) -> str:
    return "" if space.default is None else f" (default {_short(space.default[name])})"


def _short(value: Any) -> str:
    return repr(value) if isinstance(value, (Point, str, bool, int, float)) else f"{value!s:.60}"
