"""Whether to tell or to ask next: as results come, or in an order of their own."""

import math
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from rembo.study.book import Book
from rembo.study.trial import StudyTrial

LOOKAHEAD = 8
_RECENT = 20  # trials that say how long suggestions and evaluations take
_SLOW = 0.02  # of the time of an evaluation: suggestions that take longer are asked ahead


class Pace(Protocol):
    """A rule for the order of asks and tells."""

    def may_ask(self, book: Book, room: bool) -> bool:
        """Whether another trial may be asked, be there room on the workers or not."""

    def due(self, book: Book, asks: bool) -> StudyTrial | None:
        """A finished trial that is to be told before another is asked; `asks` says whether there will be another."""


@dataclass(frozen=True)
class AsTheyCome:
    """Results are told at once, and a worker that finishes gets the next point at once."""

    def may_ask(self, book: Book, room: bool) -> bool:
        """Whether a worker has nothing to do, or would soon have."""
        return room

    def due(self, book: Book, asks: bool) -> StudyTrial | None:
        """The first that is finished."""
        return next(iter(book.unlearned), None)


@dataclass(frozen=True)
class InOrder:
    """Results are told by number, and trial n is asked when trial n - lookahead was told, whoever finished first.

    The same trials are asked whatever the number of workers is; those that finish early wait for the slowest before
    them, and more workers than `lookahead` have nothing to do. A trial that is asked before a worker is free waits.
    """

    lookahead: int = LOOKAHEAD

    def may_ask(self, book: Book, room: bool) -> bool:
        """Whether all but the last few trials were told."""
        return len(book) - book.first_untold < self.lookahead

    def due(self, book: Book, asks: bool) -> StudyTrial | None:
        """The first that was not told, if it is finished and nothing is to be asked before."""
        if asks and self.may_ask(book, room=False):
            return None
        return next((trial for trial in book.unlearned if trial.number == book.first_untold), None)


def places(book: Book, workers: int) -> int:
    """How many trials so many workers are given: more where they would wait for suggestions.

    So many more as are likely to finish while the slowest of the recent suggestions is made, at most one for each.
    """
    recent = [trial for trial in book.latest(_RECENT) if trial.duration is not None]
    if workers == 1 or not recent:
        return workers
    evaluating = median(trial.duration or 0.0 for trial in recent)
    asking = max(trial.ask_seconds for trial in recent)
    if asking <= _SLOW * evaluating:
        return workers
    return workers + (workers if asking >= evaluating else math.ceil(workers * asking / evaluating))
