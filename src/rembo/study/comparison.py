"""The best configuration beside the default one: which parameters differ, and how much better it is.

What `rembo show`, the page of a study and a report say of it stands here, so that they say the same.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from rembo.optimizer import Origin
from rembo.space import Domain, Space
from rembo.study.exchange import MOST_NUMBERS
from rembo.study.trial import StudyTrial

_MOST_GIVEN = 20  # trials with a point of the user's that are compared with the default
_MOST_PERCENT = 1e5  # a larger gain is told as a difference


@dataclass(frozen=True, eq=False)
class DefaultComparison:
    """A best trial beside the default configuration of its space.

    Attributes
    ----------
    differing
        The names of the parameters whose value is not the default's, in the order of the space.
    of
        How many parameters the space has.
    best, default
        The best trial, and the trial at the default configuration: None if that gave no value, or was not evaluated.
    """

    differing: tuple[str, ...]
    of: int
    best: StudyTrial
    default: StudyTrial | None

    @property
    def gain(self) -> str | None:
        """How much better the best value is than the default's, in words; None if the default has no value."""
        if self.default is None or self.default.value is None or self.best.value is None:
            return None
        return _gain(self.best.value, self.default.value)

    def __str__(self) -> str:
        if self.default is not None and not self.differing:
            return "the default itself is the best so far"
        differ = f"{len(self.differing):,} of {self.of:,} differ from the default"
        return differ if self.gain is None else f"{differ}; {self.gain}"


def compare_with_default(
    space: Domain, trials: Sequence[StudyTrial], best: StudyTrial | None
) -> DefaultComparison | None:
    """Compare the best trial with the default configuration of the space.

    Parameters
    ----------
    space
        What was searched.
    trials
        All trials of the study, by number.
    best
        The best of them; None if none is complete.

    Returns
    -------
    DefaultComparison or None
        None where there is no default, or no complete trial whose x can be read.
    """
    if best is None or not best.readable or not isinstance(space, Space) or space.default is None:
        return None
    default = next((trial for trial in _candidates(trials) if not space.changes(trial.x)), None)
    return DefaultComparison(tuple(space.changes(best.x)), len(space.parameters), best, default)


def plain_default(space: Domain) -> dict[str, Any]:
    """The default configuration as plain data by name, empty if there is none; None for more than 1000 numbers."""
    default = space.default if isinstance(space, Space) else None
    return {name: _plain(value) for name, value in (default or {}).items()}


def _candidates(trials: Sequence[StudyTrial]) -> Iterator[StudyTrial]:
    """The complete trials where a search begins, of each run, and those that were given: all others are suggestions."""
    first = {trial.run: trial for trial in reversed(trials)}
    given = (trial for trial in trials if trial.origin is Origin.GIVEN)
    found = chain(sorted(first.values(), key=lambda trial: trial.number), islice(given, _MOST_GIVEN))
    return (trial for trial in found if trial.value is not None and trial.readable)


def _gain(best: float, default: float) -> str:
    """A percentage where both values have one sign, else the difference; the best value is never the worse one."""
    difference = abs(best - default)
    if difference == 0.0:
        return "no better than the default"
    percent = 100.0 * difference / abs(default) if default else np.inf
    if best * default < 0.0 or percent > _MOST_PERCENT:
        return f"better than the default by {difference:.3g}"
    return (
        f"{percent:,.0f} % better than the default" if percent >= 1000.0 else f"{percent:.3g} % better than the default"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Hashable):
        return value
    numbers = np.asarray(value)
    return numbers.tolist() if numbers.size <= MOST_NUMBERS else None
