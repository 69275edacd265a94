"""How long a forest may grow: as much work, which is the same on every machine, or as many seconds, as in the paper.

A budget says how much more work may be begun, from what was spent; it is asked again whenever that is used up.
"""

from dataclasses import dataclass
from typing import Protocol

from rembo.border import check_whole

STRETCH = 1_000_000  # work between two looks at the clock: some hundredths of a second


class Budget(Protocol):
    """When to stop."""

    def left(self, work: int, seconds: float) -> int:
        """How much more work may be done after so much, and so many seconds; none if 0 or less."""


@dataclass(frozen=True)
class Work:
    """So many answers of pixels to candidate features, or what takes as long: the same forest every time."""

    limit: int

    def __post_init__(self) -> None:
        check_whole(self.limit, "limit of work", 1)

    def left(self, work: int, seconds: float) -> int:
        """What is not spent yet."""
        return self.limit - work


@dataclass(frozen=True)
class Seconds:
    """So many seconds by the clock: the better the machine, the larger the forest."""

    limit: float

    def __post_init__(self) -> None:
        if not self.limit > 0.0:
            raise ValueError(f"limit of {self.limit} seconds must be above 0")

    def left(self, work: int, seconds: float) -> int:
        """A stretch, as long as there is time."""
        return STRETCH if seconds < self.limit else 0
