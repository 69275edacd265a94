"""How long lp_solve may search: so many seconds, as in the paper, or so many iterations, which is repeatable.

A limit says which program to run, when to kill it, and whether what it had found by then counts. Programs have a limit
of their own in whole seconds, above that one, which ends them should nobody be left to kill them.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rembo.border import check_whole
from rembo.problems.lpsolve.tools import LP_SOLVE, driver
from rembo.scenario.process import Ending

LONGEST = 1e6  # seconds


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
    """A limit of wall-clock time: what lp_solve has found when it is killed counts, and depends on the machine."""

    seconds: float = 5.0

    def __post_init__(self) -> None:
        _check_seconds(self.seconds, "seconds")

    @property
    def deadline(self) -> float:
        """The limit itself."""
        return self.seconds

    def command(self, model: Path, parameters: Path) -> tuple[str, ...]:
        """lp_solve, made to print every improved solution."""
        timeout = _next_second(self.seconds)
        return LP_SOLVE.path, "-S3", "-i", "-timeout", timeout, "-rpar", str(parameters), str(model)

    def fault(self, ending: Ending) -> None:
        """Whatever was found in time counts."""


@dataclass(frozen=True)
class Iterations:
    """A limit of simplex iterations, with random numbers that are always the same: equal answers wherever it runs.

    `patience` is in seconds; a process that needs more is killed, and nothing that it has found counts.
    """

    iterations: int = 5000
    patience: float = 60.0

    def __post_init__(self) -> None:
        check_whole(self.iterations, "iterations", 1, 2**63 - 1)
        _check_seconds(self.patience, "patience")

    @property
    def deadline(self) -> float:
        """The patience."""
        return self.patience

    def command(self, model: Path, parameters: Path) -> tuple[str, ...]:
        """The driver that counts iterations."""
        return str(driver()), str(self.iterations), _next_second(self.patience), str(model), str(parameters)

    def fault(self, ending: Ending) -> str | None:
        """It was killed: what it had found by then would depend on the machine."""
        return f"killed after {self.patience} s, before {self.iterations} iterations" if ending.timed_out else None


def _check_seconds(seconds: float, name: str) -> None:
    if not 0.0 < seconds <= LONGEST:
        raise ValueError(f"{name} {seconds} must be a number of seconds above 0 and at most {LONGEST}")


def _next_second(seconds: float) -> str:
    return str(math.floor(seconds) + 1)
