"""lp_solve as a black box: a configuration of its 47 parameters in, the gap of what it finds out (Section 4.3).

Neither the exit code nor the objective that lp_solve reports is believed: the last solution that it has printed is
checked, and measured against the proven optimum. Files have no names, and so none can be left behind.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rembo.problems.lpsolve.corridor import Corridor
from rembo.problems.lpsolve.flow import model_text
from rembo.problems.lpsolve.limits import Limit
from rembo.problems.lpsolve.optimum import largest_utility
from rembo.problems.lpsolve.parameters import SPACE, parameter_text
from rembo.problems.lpsolve.solution import last_solution
from rembo.scenario.process import Ending, Invocation, ProgramLimits, run_program
from rembo.space import Space

NO_SOLUTION = 1.0  # the gap of a run that finds nothing valid
_ANSWERS = {0: "optimal", 1: "suboptimal", 2: "infeasible", 3: "unbounded", 5: "numerical failure", 6: "stopped"}
_NOT_BEGUN = re.compile("Unable to (read|open)|error while loading")  # files that it lacks, or shared libraries


@dataclass(frozen=True)
class Outcome:
    """How a run went: its gap to the optimum, and why; `code` is minus the signal's number if one ended it."""

    gap: float
    reason: str
    parcels: frozenset[int]
    code: int
    seconds: float
    killed: bool


@dataclass(frozen=True)
class LpSolve:
    """The gap that lp_solve leaves on a corridor within a limit: 1 - utility / optimum, and 1 without a solution."""

    corridor: Corridor
    limit: Limit

    @property
    def space(self) -> Space:
        """The parameters of lp_solve, with its own defaults."""
        return SPACE

    @property
    def optimum(self) -> float:
        """No gap; whether a configuration gets there, nobody knows."""
        return 0.0

    @cached_property
    def model(self) -> str:
        """The corridor as lp_solve reads it."""
        return model_text(self.corridor)

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The gap of a configuration."""
        return self.run(x).gap

    def run(self, configuration: Mapping[str, Any]) -> Outcome:
        """One run of lp_solve, whatever its end; an error if lp_solve is not there or cannot read what it is given."""
        with _nameless(self.model) as model, _nameless(parameter_text(configuration)) as parameters:
            invocation = Invocation(self.limit.command(model, parameters), Path("/"), os.environ)
            ending = run_program(invocation, ProgramLimits(self.limit.deadline))
        if _NOT_BEGUN.search(ending.outputs["stderr"]):
            raise RuntimeError(f"lp_solve has not begun: {ending.outputs['stderr'].strip()}")
        return self._judge(ending)

    def _judge(self, ending: Ending) -> Outcome:
        found, fault = last_solution(ending.outputs["stdout"], self.corridor), self.limit.fault(ending)
        if found is None:
            return _outcome(ending, NO_SOLUTION, fault or _silence(ending))
        fault = fault or found.fault(self.corridor)
        if fault is not None:
            return _outcome(ending, NO_SOLUTION, fault)
        parcels = found.parcels(self.corridor)
        utility, largest = self.corridor.utility(parcels), largest_utility(self.corridor)
        assert utility <= largest, f"a corridor of utility {utility} refutes the optimum {largest} of {self.corridor}"
        gap = (largest - utility) / max(1, largest)  # where nothing can be bought, nothing is lost
        return _outcome(ending, gap, f"utility {utility} of {largest}", parcels)


def _outcome(ending: Ending, gap: float, reason: str, parcels: frozenset[int] = frozenset()) -> Outcome:
    return Outcome(gap, reason, parcels, ending.code, ending.seconds, ending.timed_out)


def _silence(ending: Ending) -> str:
    """Why no solution was printed, as far as the exit code tells."""
    if ending.timed_out:
        return "no solution is found in time"
    return f"no solution is printed: {_ANSWERS.get(ending.code, f'exit code {ending.code}')}"


@contextmanager
def _nameless(text: str) -> Iterator[Path]:
    """A file in memory, and a path by which another process can open it as long as this one has it open."""
    with open(os.memfd_create("rembo"), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        yield Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
