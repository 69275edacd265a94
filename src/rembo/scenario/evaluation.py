"""The f of a scenario: a dict of values in, one number out, or an EvaluationError with the reason."""

import math
import re
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rembo.scenario.command import Command
from rembo.scenario.objective import Objective, quoted_end
from rembo.scenario.process import KEPT, Ending, ProgramLimits, run_program
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason

_NO_MEMORY = re.compile(r"MemoryError|bad_alloc|out of memory|cannot allocate|memory exhausted|alloc\w* failed", re.I)


@dataclass(frozen=True)
class ProgramEvaluation:
    """Runs the program once on each instance and returns the mean; picklable.

    `on_timeout` and `on_failure` are what a run counts that was too slow, or that failed in any way; without them it
    fails the evaluation at once. `exit_codes` are those of success; if there are none, all are.
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
        with tempfile.TemporaryDirectory(prefix="rembo-") as folder:
            scratch = Path(folder)
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
            stand_in = self.on_timeout if failure.reason is Reason.TIMEOUT else None
            stand_in = self.on_failure if stand_in is None else stand_in
            if stand_in is None:
                on = "" if instance is None else f"on {instance}: "
                raise EvaluationError(failure.reason, f"{on}{failure.text}") from None
            return stand_in

    def _check(self, ending: Ending) -> None:
        """An EvaluationError unless the program ended in time and well."""
        if ending.timed_out:
            text = f"not finished after {self.limits.seconds} seconds; its output ends in:\n"
            raise EvaluationError(Reason.TIMEOUT, text + quoted_end(ending.outputs["stdout"]))
        if ending.code >= 0 and (not self.exit_codes or ending.code in self.exit_codes):
            return
        errors = ending.outputs["stderr"]
        out_of_memory = self.limits.memory is not None and _NO_MEMORY.search(errors)
        text = f"{_how_it_ended(ending.code)}; its stderr ends in:\n{quoted_end(errors)}"
        raise EvaluationError(Reason.MEMORY if out_of_memory else Reason.CRASHED, text)


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
