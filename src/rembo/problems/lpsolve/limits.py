"""How long lp_solve may search: so many seconds, as in the paper, or so many iterations, which is repeatable.

A limit says which program to run, when to kill it, and whether what it had found by then counts.
"""

import math
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rembo.border import check_whole
from rembo.problems.lpsolve.tools import LP_SOLVE, driver
from rembo.scenario.process import Ending


class Limit(Protocol):
    """What ends the search of lp_solve."""

    @property
    def deadline(self) -> float:
        """The seconds of wall-clock time after which the process is killed."""

    def command(self, model: Path, parameters: Path) -> tuple[str, ...]:
        """The program and its arguments; a FileNotFoundError with the cure if it is not installed."""

    def fault(self, ending: Ending) -> str | None:
        """Why what was found does not count, in words; None if it does."""


@dataclass(frozen=True)
class Seconds:
    """A limit of wall-clock time: what lp_solve has found when it is killed counts, and depends on the machine's load.

    Its own limit, which is in whole seconds and above this one, ends it should nobody be left to kill it.
    """

    seconds: float = 5.0

    def __post_init__(self) -> None:
        if not 0.0 < self.seconds < math.inf:
            raise ValueError(f"seconds {self.seconds} must be a finite number above 0")

    @property
    def deadline(self) -> float:
        """The limit itself."""
        return self.seconds

    def command(self, model: Path, parameters: Path) -> tuple[str, ...]:
        """lp_solve, made to print every improved solution."""
        own_limit = str(math.floor(self.seconds) + 1)
        return LP_SOLVE.path, "-S3", "-i", "-timeout", own_limit, "-rpar", str(parameters), str(model)

    def fault(self, ending: Ending) -> None:
        """Whatever was found in time counts."""


@dataclass(frozen=True)
class Iterations:
    """A limit of simplex iterations, with random numbers that are always the same: equal answers wherever it runs.

    `patience` is in seconds; a process that needs more is killed, and nothing that it has found counts.
    """

    iterations: int = 5000
    patience: int = 60

    def __post_init__(self) -> None:
        check_whole(self.iterations, "iterations", 1, 2**63 - 1)
        check_whole(self.patience, "patience", 1, 10**6)

    @property
    def deadline(self) -> float:
        """A second after the driver has ended itself."""
        return self.patience + 1.0

    def command(self, model: Path, parameters: Path) -> tuple[str, ...]:
        """The driver that counts iterations."""
        return str(driver()), str(self.iterations), str(self.patience), str(model), str(parameters)

    def fault(self, ending: Ending) -> str | None:
        """It was killed: what it had found by then would depend on the machine."""
        if ending.timed_out or ending.code == -signal.SIGALRM:
            return f"killed after {self.patience} s, before {self.iterations} iterations"
        return None
