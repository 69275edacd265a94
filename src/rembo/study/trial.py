"""A trial of a study: what was asked, what came of it, when, where, and how it failed if it did."""

import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Point
from rembo.optimizer import Origin, TrialState
from rembo.space import Domain
from rembo.study.own_class import UnknownEmbedding


class Reason(Enum):
    """Why a trial failed."""

    ERROR = "error"  # f raised
    NO_NUMBER = "no number"  # f returned no finite number
    TIMEOUT = "timeout"  # it took longer than trial_timeout
    MEMORY = "memory"  # it took more than trial_memory
    CRASHED = "crashed"  # its process died
    LOST = "lost"  # its worker was lost


WIDEST = 100  # columns that an array may have in a table of trials


@dataclass(frozen=True, eq=False, repr=False)
class StudyTrial:
    """A row of a study. `asked` and `told` are places in the one order of all asks and tells, from which all follows.

    Values are as f gave them, be it minimised or maximised. Times are seconds since 1970; `ask_seconds` is what it took
    to suggest the point. A study that was killed evaluates what was running once more: `attempts` counts.
    """

    space: Domain = field(repr=False)
    number: int
    point: Point
    asked: int
    run: int = 0
    origin: Origin = Origin.ASKED
    state: TrialState = TrialState.WAITING
    told: int | None = None
    value: float | None = None
    reason: Reason | None = None
    error: str | None = None
    worker: str | None = None
    attempts: int = 0
    ask_seconds: float = 0.0
    asked_at: float | None = None
    started_at: float | None = None
    finished_at: float | None = None
    user_attrs: Mapping[str, Any] = field(default_factory=dict)
    nominees: Array | None = None

    @property
    def x(self) -> Any:
        """What f gets: a dict if the space is a Space, a Point if it is a Box."""
        return self.space.decode(self.point)

    @property
    def readable(self) -> bool:
        """Whether x can be computed: not if it lies in an embedding of a class that this program has not imported."""
        return not isinstance(self.point.embedding, UnknownEmbedding)

    @property
    def params(self) -> Any:
        """The same as x; the word is Optuna's."""
        return self.x

    @property
    def y(self) -> Array:
        """The embedded point, (d,)."""
        return self.point.y

    @property
    def failure(self) -> str | None:
        """In a line, how it failed, or why it was pruned; None if it did not."""
        if self.state not in (TrialState.FAIL, TrialState.PRUNED):
            return None
        return ((self.error or "").strip().splitlines() or [self.state.value])[-1]

    @property
    def duration(self) -> float | None:
        """Seconds from the start of its evaluation to the end."""
        return None if self.started_at is None or self.finished_at is None else self.finished_at - self.started_at

    def row(self) -> dict[str, Any]:
        """The trial as a row of a table: numbers, times, outcome, and a column for each coordinate of f's argument.

        An array has a column for each of its numbers if it has at most `WIDEST`, and otherwise none.
        """
        return {
            "number": self.number,
            "value": self.value,
            "state": self.state.name,
            "reason": None if self.reason is None else self.reason.name,
            "asked_at": self.asked_at,
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "duration": self.duration,
            "ask_seconds": self.ask_seconds,
            "run": self.run,
            "origin": self.origin.name,
            "worker": self.worker,
            **{f"params_{name}": value for name, value in self._columns()},
            **{f"user_attrs_{name}": value for name, value in self.user_attrs.items()},
        }

    def _columns(self) -> Iterator[tuple[str, Any]]:
        x = self.x if self.readable else {}
        for name, value in (x if isinstance(x, dict) else {"x": x}).items():
            if not isinstance(value, (Point, np.ndarray)):
                yield name, value
            elif len(value) <= WIDEST:
                yield from ((f"{name}[{index}]", number) for index, number in enumerate(value[:].tolist()))

    def __repr__(self) -> str:
        """Its number, what came of it, and what f got."""
        outcome = f"value {self.value!r}" if self.value is not None else self.failure or self.state.value
        return f"StudyTrial({self.number}, {_short.repr(outcome)[1:-1]}, {_short.repr(self.x)})"


_short = reprlib.Repr()
_short.maxdict, _short.maxother, _short.maxstring = 8, 200, 100
