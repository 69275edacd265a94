"""Ask and tell: what all optimizers have in common, the book of trials included.

Always minimises. What is asked next is a function of the seed, of what was told in which order, and of what is still
pending; the n-th ask of a run draws its randomness from (seed, run, n) alone.
"""

import math
import numbers
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import IdentityEmbedding, Point
from rembo.optimizer.trial import Trial, TrialState
from rembo.space import Box, Domain, check_domain

Each = TypeVar("Each")


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Where to evaluate next, and which run says so."""

    point: Point
    run: int = 0
    nominees: Array | None = None


class Optimizer(ABC):
    """Asks where to evaluate f, is told what came back; final methods here, three steps for each method to fill in."""

    def __init__(self, space: Domain, seed: int | None = None) -> None:
        self.space = check_domain(space)
        self.seed = check_seed(seed)
        self._trials: list[Trial] = []
        self._asked = 0

    @abstractmethod
    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        """Where to evaluate at the turn-th ask (0, 1, ...), given the trials asked before and not yet told."""

    @abstractmethod
    def _observe(self, trial: Trial) -> None:
        """Learn from a trial that is COMPLETE or FAIL."""

    @abstractmethod
    def _locate(self, x: Any) -> Suggestion:
        """Where a point that the user brings lies in this optimizer's own terms, or a ValueError."""

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...
    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """The next trial to evaluate, or a list of n of them; each takes into account all that are pending."""
        if n is None:
            return self._open(self._suggest(self._next_turn(), self.pending))
        return [self.ask() for _ in range(check_whole(n, "the number of trials to ask for", 1))]

    def adopt(self, x: Any) -> Trial:
        """A trial at a point of your own, as f would get it, to be told like one that was asked.

        A ValueError says so where this optimizer cannot represent x.
        """
        return self._open(self._locate(x))

    def tell(self, trial: Trial | Any, value: float) -> Trial:
        """Report a value, in any order; returns the finished trial.

        Instead of a trial it may be a point of your own, as f would get it, where this optimizer can represent it.
        """
        number = _check_value(value)
        known = self._check_pending(trial) if isinstance(trial, Trial) else self.adopt(trial)
        return self._close(replace(known, value=number))

    def fail(self, trial: Trial, reason: str) -> Trial:
        """Report that an evaluation failed; the search goes on and avoids the place. Returns the finished trial."""
        return self._close(replace(self._check_pending(trial), failure=str(reason)))

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials by number: running, complete and failed."""
        return tuple(self._trials)

    @property
    def pending(self) -> tuple[Trial, ...]:
        """The trials that were asked and not yet told."""
        return tuple(trial for trial in self._trials if trial.state is TrialState.RUNNING)

    @property
    def best_trial(self) -> Trial:
        """The complete trial with the lowest value."""
        complete = [trial for trial in self._trials if trial.value is not None]
        if not complete:
            raise ValueError("no trial is complete yet: tell a value first")
        return min(complete, key=lambda trial: trial.value if trial.value is not None else math.inf)

    def _next_turn(self) -> int:
        self._asked += 1
        return self._asked - 1

    def _open(self, suggestion: Suggestion) -> Trial:
        x = self.space.decode(suggestion.point)
        trial = Trial(len(self._trials), x, suggestion.point, suggestion.run, nominees=suggestion.nominees)
        self._trials.append(trial)
        return trial

    def _close(self, trial: Trial) -> Trial:
        self._trials[trial.number] = trial
        self._observe(trial)
        return trial

    def _check_pending(self, trial: Trial) -> Trial:
        """Our own record of the trial, which may have travelled through another process."""
        if not isinstance(trial, Trial):
            raise TypeError(f"a trial made by ask() is needed, not {trial!r}")
        ours = self._trials[trial.number] if 0 <= trial.number < len(self._trials) else None
        if ours is None or ours.point.embedding != trial.point.embedding or not np.array_equal(ours.y, trial.y):
            raise ValueError(f"trial {trial.number} was not asked by this optimizer: tell it to the one that asked")
        if ours.state is not TrialState.RUNNING:
            outcome = f"value {ours.value}" if ours.failure is None else f"failure {ours.failure!r}"
            raise ValueError(f"trial {trial.number} was told already, with {outcome}: each trial is told once")
        return ours


def check_seed(seed: int | None) -> int:
    """The seed, or a fresh one that can be read off the optimizer and used again."""
    if seed is None:
        return secrets.randbits(63)
    return check_whole(seed, "seed", 0)


def stream(seed: int, *path: int) -> np.random.Generator:
    """The random numbers of one place in the search, e.g. of (run, ask): the same in every process."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))


def derived_seed(seed: int, *path: int) -> int:
    """A 64-bit seed for one part of the search, e.g. for the embedding of a run."""
    return int(np.random.SeedSequence(seed, spawn_key=path).generate_state(1, np.uint64)[0])


def as_point(x: Any, space: Domain) -> Point:
    """What the user brings, as a point of [-1,1]^D: one of our own, or any value of the space."""
    if isinstance(x, Point) and isinstance(space, Box) and _spans(x, space):
        return Point(x.embedding, x.y)
    return Point(IdentityEmbedding(space.size), space.encode(x))


def _spans(x: Point, box: Box) -> bool:
    """Whether a point is one of the whole box, in its units."""
    return len(x) == box.size and x == Point(x.embedding, x.y, box.low, box.high)


def first_accepted(runs: Iterable[tuple[int, Each]], place: Callable[[int, Each], Suggestion]) -> Suggestion:
    """The suggestion of the first run that can represent a point, or the first refusal."""
    refusals = []
    for number, run in runs:
        try:
            return place(number, run)
        except ValueError as refusal:
            refusals.append(refusal)
    raise refusals[0]


def _check_value(value: float) -> float:
    if not isinstance(value, (numbers.Real, np.number)) or isinstance(value, np.complexfloating):
        raise TypeError(f"the value told must be a number, not {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"the value told must be finite, not {value}: report a failure with fail(trial, reason)")
    return float(value)
