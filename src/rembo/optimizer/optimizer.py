"""Ask and tell: what all optimizers have in common, the book of trials included.

Always minimises. What is asked next is a function of the seed, of what was told in which order, and of what is still
pending; the n-th ask of a run draws its randomness from (seed, run, n) alone.
"""

import math
import numbers
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar, overload

import numpy as np

from rembo.arrays import Array
from rembo.blas import one_thread
from rembo.border import check_whole
from rembo.embedding import IdentityEmbedding, Point
from rembo.optimizer.configurations import configuration
from rembo.optimizer.given import as_given
from rembo.optimizer.mutation import mutants
from rembo.optimizer.trial import Origin, Trial, TrialState
from rembo.space import Box, Domain, DomainLike, Space, check_domain, parts_of

Each = TypeVar("Each")

_HURRY = 2**31  # the use of randomness: beyond all that the methods have themselves
_ANYWHERE = 0.1  # the share of hurried trials that are not near the best one
_CANDIDATES = 16


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Where to evaluate next, and which run says so: all of a trial that its optimizer needs to recall it."""

    point: Point
    run: int = 0
    nominees: Array | None = None
    origin: Origin = Origin.ASKED

    @staticmethod
    def of(trial: Trial) -> "Suggestion":
        """What a trial was before it was evaluated."""
        return Suggestion(trial.point, trial.run, trial.nominees, trial.origin)


class Optimizer(ABC):
    """Asks where to evaluate f, is told what came back; final methods here, a few steps for each method to fill in."""

    def __init__(self, space: DomainLike, seed: int | None = None) -> None:
        self.space = check_domain(space)
        self.seed = check_seed(seed)
        self._trials: list[Trial] = []
        self._pending: dict[int, Trial] = {}
        self._asked = 0
        self._best: Trial | None = None
        self._finite = all(part.parameter.levels for part in parts_of(self.space))
        self._asked_before: set[Hashable] = set()
        self._filed = 0

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """What makes an equal optimizer, one that asks the same: `type(o)(o.space, **o.settings, seed=o.seed)`."""

    @abstractmethod
    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        """Where to evaluate at the turn-th ask (0, 1, ...), given the trials asked before and not yet told."""

    @abstractmethod
    def _observe(self, trial: Trial) -> None:
        """Learn from a trial that is COMPLETE or FAIL."""

    @abstractmethod
    def _locate(self, x: Any) -> Suggestion:
        """Where a point that the user brings lies in this optimizer's own terms, or a ValueError."""

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        """Where to evaluate at the turn-th ask if time matters more than the place; here as always, which may be quick.

        It is to be near `best`; without one it may be anywhere, and the run the one whose turn it is.
        """
        return self._suggest(turn, self.pending)

    def _recalled(self, turn: int, suggestion: Suggestion) -> None:  # noqa: B027  # most have nothing to do
        """Change what `_suggest`, `_hurry` or `_locate` changed when it made this suggestion, if that is anything."""

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...
    @one_thread
    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """The next trial to evaluate, or a list of n of them; each takes into account all that are pending."""
        if n is None:
            return self._open(self._suggest(self._next_turn(), self.pending))
        return [self.ask() for _ in range(check_whole(n, "the number of trials to ask for", 1))]

    @one_thread
    def hurry(self) -> Trial:
        """The next trial to evaluate if f is faster than the model: found in no time, near the best point so far.

        Otherwise it is like one that was asked: it counts as an ask, and the model learns from it.
        """
        turn = self._next_turn()
        rng = stream(self.seed, _HURRY, turn)
        best = None if rng.random() < _ANYWHERE else self._best
        return self._open(replace(self._hurry(turn, best, rng), origin=Origin.HURRIED))

    @one_thread
    def adopt(self, x: Any) -> Trial:
        """A trial at a point of your own, as f would get it, to be told like one that was asked; f gets exactly x.

        Parameters that a dict leaves out take the default's value, or the middle of their range.
        A ValueError says so where this optimizer cannot represent x.
        """
        located = self._locate(x)
        return self._open(replace(located, point=as_given(located.point, x, self.space), origin=Origin.GIVEN))

    @one_thread
    def recall(self, suggestion: Suggestion) -> Trial:
        """The trial that an equal optimizer made of this suggestion, by `ask`, `hurry` or `adopt` as its origin says.

        An optimizer that recalls all that another made, and is told the same, each in the same order, stands where the
        other stands. It pays for the suggestions again only where a foreign library keeps its state to itself.
        """
        self._check_ours(suggestion)
        turn = self._asked if suggestion.origin is Origin.GIVEN else self._next_turn()
        self._recalled(turn, suggestion)
        return self._open(suggestion)

    @one_thread
    def tell(self, trial: Trial | Any, value: float) -> Trial:
        """Report a value, in any order; returns the finished trial.

        Instead of a trial it may be a point of your own, as f would get it, where this optimizer can represent it.
        """
        number = _check_value(value)
        if not isinstance(trial, Trial) and isinstance(self.space, Space):
            self.space.encode(trial)  # what was evaluated is known whole: nothing is completed here
        known = self._check_pending(trial) if isinstance(trial, Trial) else self.adopt(trial)
        return self._close(replace(known, value=number))

    @one_thread
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
        return tuple(self._pending.values())

    @property
    def best_trial(self) -> Trial:
        """The complete trial with the lowest value."""
        if self._best is None:
            raise ValueError("no trial is complete yet: tell a value first")
        return self._best

    def _next_turn(self) -> int:
        self._asked += 1
        return self._asked - 1

    def _open(self, suggestion: Suggestion) -> Trial:
        trial = Trial(
            number=len(self._trials),
            x=self.space.decode(suggestion.point),
            point=suggestion.point,
            run=suggestion.run,
            nominees=suggestion.nominees,
            origin=suggestion.origin,
        )
        self._trials.append(trial)
        self._pending[trial.number] = trial
        return trial

    def _close(self, trial: Trial) -> Trial:
        self._trials[trial.number] = trial
        del self._pending[trial.number]
        if trial.value is not None and (self._best is None or _rank(trial) < _rank(self._best)):
            self._best = trial
        self._observe(trial)
        return trial

    def _unasked(self, candidates: Iterator[Suggestion]) -> Suggestion:
        """The first of a few candidates where f was not asked before, or the last; the first in a continuum."""
        if not self._finite:
            return next(candidates)
        seen = self._seen()
        for candidate in islice(candidates, _CANDIDATES):
            if configuration(self.space.decode(candidate.point)) not in seen:
                break
        return candidate

    def _seen(self) -> set[Hashable]:
        """The configurations of all trials so far, for finite spaces."""
        self._asked_before.update(configuration(trial.x) for trial in self._trials[self._filed :])
        self._filed = len(self._trials)
        return self._asked_before

    def _check_ours(self, suggestion: Suggestion) -> None:
        if not isinstance(suggestion, Suggestion):
            raise TypeError(f"a Suggestion is needed, e.g. Suggestion.of(trial), not {suggestion!r}")
        if len(suggestion.point) != self.space.size:
            coordinates = f"{len(suggestion.point)} coordinates, the space {self.space.size}"
            raise ValueError(f"the point to recall has {coordinates}: recall it with the optimizer of its own space")

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


def around(best: Trial | None, size: int, rng: np.random.Generator) -> Iterator[Suggestion]:
    """Points of [-1,1]^D without end that differ from the best trial's in few coordinates; all D are made."""
    identity = IdentityEmbedding(size)
    at = None if best is None else best.point[:]
    return (Suggestion(Point(identity, y)) for y in mutants(at, identity.region, rng))


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
    """What the user brings, as a point of [-1,1]^D: one of our own, or any value of the space.

    Parameters that a dict leaves out stand where `Space.completed` puts them.
    """
    if isinstance(x, Point) and isinstance(space, Box) and _spans(x, space):
        return Point(x.embedding, x.y)
    return Point(IdentityEmbedding(space.size), space.encode(space.completed(x) if isinstance(space, Space) else x))


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


def _rank(trial: Trial) -> tuple[float, int]:
    """By value, and among equals by number."""
    return math.inf if trial.value is None else trial.value, trial.number


def _check_value(value: float) -> float:
    if not isinstance(value, (numbers.Real, np.number)) or isinstance(value, np.complexfloating):
        raise TypeError(f"the value told must be a number, not {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"the value told must be finite, not {value}: report a failure with fail(trial, reason)")
    return float(value)
