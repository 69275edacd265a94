"""The f of a scenario: a dict of values in, one number out, or an EvaluationError with the reason."""

import math
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rembo.scenario.command import Command
from rembo.scenario.objective import Objective, with_end
from rembo.scenario.process import KEPT, Ending, ProgramLimits, run_program
from rembo.scratch import scratch_folder
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason

_NO_MEMORY = re.compile(
    r"MemoryError|bad_alloc|out of memory|cannot allocate|memory exhausted|alloc\w{0,32} failed", re.I
)
_NOT_STARTED = re.compile(r"(?:on .*: )?the program (?:cannot be started|ended with exit code 12[67]\b)")  # by a shell
_SIGPIPE = 128 + 13  # as a shell reports it


@dataclass(frozen=True)
class ProgramEvaluation:
    """Runs the program once on each instance and returns the mean; picklable.

    `on_timeout` and `on_failure` are what a run counts that was too slow, or that failed in any way; without them it
    fails the evaluation at once, as a program that cannot be started always does. `exit_codes` are those of success;
    if there are none, all are.
    """

    command: Command
    objective: Objective
    limits: ProgramLimits
    instances: Sequence[str | int] = ()
    on_timeout: float | None = None
    on_failure: float | None = None
    exit_codes: tuple[int, ...] = (0,)

    def __call__(self, values: Mapping[str, Any]) -> float:
        """The mean over the instances."""
        costs = [self._cost(values, instance) for instance in self.instances or (None,)]
        return math.fsum(costs) / len(costs)

    def run(self, values: Mapping[str, Any], instance: str | int | None = None) -> Ending:
        """One run of the program, whatever its end; its files are gone when this returns."""
        with scratch_folder() as scratch:
            try:
                ending = run_program(self.command.invocation(values, instance, scratch), self.limits)
            except OSError as error:
                raise EvaluationError(Reason.CRASHED, f"the program cannot be started: {error}") from error
            written = _tail(scratch / "output")
        return replace(ending, outputs={**ending.outputs, "output_file": written})

    def _cost(self, values: Mapping[str, Any], instance: str | int | None) -> float:
        try:
            ending = self.run(values, instance)
            self._check(ending)
            return self.objective.value(ending)
        except EvaluationError as failure:
            stand_in = self._stand_in(failure)
            if stand_in is None:
                on = "" if instance is None else f"on {instance}: "
                raise EvaluationError(failure.reason, f"{on}{failure.text}") from None
            return stand_in

    def _stand_in(self, failure: EvaluationError) -> float | None:
        """What a failed run counts, if it counts anything."""
        if was_not_started(failure.text):
            return None
        if failure.reason is Reason.TIMEOUT and self.on_timeout is not None:
            return self.on_timeout
        return self.on_failure

    def _check(self, ending: Ending) -> None:
        """An EvaluationError unless the program ended in time and well."""
        if ending.timed_out:
            text = f"not finished after {self.limits.seconds} seconds"
            raise EvaluationError(Reason.TIMEOUT, with_end(text, "its output", ending.outputs["stdout"]))
        if ending.code >= 0 and (not self.exit_codes or ending.code in self.exit_codes):
            return
        errors = ending.outputs["stderr"]
        out_of_memory = self.limits.memory is not None and _NO_MEMORY.search(errors)
        text = with_end(f"{_how_it_ended(ending.code)}{self._hint(ending.code)}", "its stderr", errors)
        raise EvaluationError(Reason.MEMORY if out_of_memory else Reason.CRASHED, text)

    def _hint(self, code: int) -> str:
        """What a user of pipes may not know."""
        if self.command.shell is None or code != _SIGPIPE:
            return ""
        return " (SIGPIPE: a later part of the pipe, e.g. head, ended before it had read all; let it read to the end)"


def was_not_started(error: str) -> bool:
    """Whether the text of a failure says that the program did not run at all, for which no value is to blame.

    >>> was_not_started("on a.lp: the program ended with exit code 127; its stderr ends in: ...")
    True
    """
    return _NOT_STARTED.match(error) is not None


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"the program ended with exit code {code}"
    known = {each.value: each.name for each in signal.Signals}
    return f"the program was ended by signal {known.get(-code, -code)}"


def _tail(file: Path) -> str:
    """The end of a file that the program may have written."""
    if not file.is_file():
        return ""
    with open(file, "rb") as output:
        output.seek(max(0, file.stat().st_size - KEPT))
        return output.read().decode("utf-8", errors="replace")
