"""How far a campaign goes: so many seconds, and so many cases at most."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Budget:
    """Seconds from now on, and a number of cases; whichever is spent first."""

    seconds: float = math.inf
    count: float = math.inf
    began: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() - self.began >= self.seconds

    def rounds(self) -> Iterator[int]:
        """0, 1, 2 and so on, as long as something is left; at least 0."""
        number = 0
        while number < self.count and (number == 0 or not self.spent):
            yield number
            number += 1

    def share(self, part: float) -> "Budget":
        """A part of it, from now on."""
        return Budget(self.seconds * part, self.count)
