"""`rembo tune` and `rembo resume`: a scenario becomes a study, and is run.

The first configuration is evaluated before there is a study: a scenario whose program gives no objective costs one run
and leaves nothing behind. If it gives one, that is the study's first value.
"""

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rembo.cli.dask import dask_client
from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.paste import command_line
from rembo.cli.tuned import is_deterministic, open_study, preview, scenario_of, settled, stored_header
from rembo.cli.watch import Watch, display_for, trial_data, write_json
from rembo.scenario import Scenario
from rembo.study import End, EvaluationError, Reason, Study, open_storage
from rembo.study.exchange import IMPORTED
from rembo.study.interruption import Interruption

_EXAMPLES = 3


def tune_command(given: Namespace) -> int:
    """Run a scenario, or go on with it."""
    scenario = Scenario.read(given.scenario)
    storage, name = given.storage or Path(os.path.relpath(scenario.storage)), given.name or scenario.name
    scenario = settled(replace(scenario, storage=storage, name=name), given.seed)
    for warning in scenario.warnings:
        print(warning, file=sys.stderr)
    if given.dry_run:
        return _dry_run(scenario)
    return _run(scenario, given, given.deterministic or is_deterministic(scenario))


def resume_command(given: Namespace) -> int:
    """Go on with a study that was begun by `tune`."""
    scenario = settled(scenario_of(given.file, given.name), None)
    return _run(scenario, given, is_deterministic(scenario))


def _dry_run(scenario: Scenario) -> int:
    """Show what would be run, and run the first of it."""
    study = preview(scenario)
    for values in [study.ask().x for _ in range(_EXAMPLES)]:
        print(command_line(scenario, values))
    value = _first_value(scenario)
    print(f"the first gives {'no objective in time' if value is None else value}")
    return ExitCode.DONE


def _run(scenario: Scenario, given: Namespace, deterministic: bool) -> int:
    """Evaluate the first configuration, if that was not done, and then the rest."""
    begun = _has_begun(scenario)
    if not begun and not given.json and not given.quiet:
        print("running the program once, to see that it gives an objective ...", file=sys.stderr)
    first = None if begun else _first_value(scenario)
    with open_study(scenario, deterministic) as study:
        if first is not None and not study.trials:
            study.tell(study.ask(), first)
        of = (given.n_trials or scenario.n_trials) + sum(IMPORTED in trial.user_attrs for trial in study.trials)
        try:
            end = _optimize(study, scenario, given, of, deterministic)
        except (KeyboardInterrupt, SystemExit):
            _tell_how_to_go_on(scenario, study)
            raise
        return _tell_result(study, scenario, end, given.json)


def _has_begun(scenario: Scenario) -> bool:
    """Whether the program was run for the study before."""
    if stored_header(scenario.storage, scenario.name) is None:
        return False
    trials = open_storage(scenario.storage).read(scenario.name).trials
    return any(IMPORTED not in trial.user_attrs for trial in trials)


def _first_value(scenario: Scenario) -> float | None:
    """The objective of the first configuration, or a UsageError that shows what the program has printed instead.

    None if that is no fault of the scenario: after a timeout, and where failures are to count as a number.
    """
    values = preview(scenario).ask().x
    with Interruption(grace=0.0) as interruption:
        try:
            return replace(scenario.program, on_failure=None)(values)
        except EvaluationError as failure:
            if failure.reason is Reason.TIMEOUT or _is_expected(failure, scenario):
                return None
            line = command_line(scenario, values)
            raise UsageError(
                f"{scenario.file}: the first run gives no objective: {failure.text}\nIt was: {line}\n"
                "Correct the command or the objective, and try it with --dry-run; nothing was stored."
            ) from None
        except KeyboardInterrupt:
            raise SystemExit(128 + (interruption.received or 0)) from None


def _is_expected(failure: EvaluationError, scenario: Scenario) -> bool:
    return scenario.program.on_failure is not None and failure.reason is not Reason.NO_NUMBER


def _optimize(study: Study, scenario: Scenario, given: Namespace, of: int, deterministic: bool) -> End:
    finished = [trial for trial in study.trials if trial.told is not None]
    failed = sum(trial.value is None for trial in finished)
    with (
        _workers(scenario, given) as workers,
        display_for(study.name, of, given.json, given.quiet) as display,
    ):
        return study.optimize(
            scenario.evaluation(),
            of,
            deterministic=deterministic,
            callbacks=[Watch(display, len(finished), of, failed)],
            progress=False,
            **workers,
        )


@contextmanager
def _workers(scenario: Scenario, given: Namespace) -> Iterator[dict[str, Any]]:
    """Where to evaluate, as `Study.optimize` takes it."""
    if given.dask is None:
        yield {"n_workers": given.workers or scenario.n_workers}
        return
    with dask_client(given.dask, scenario.n_workers) as client:
        yield {"executor": client}


def _tell_how_to_go_on(scenario: Scenario, study: Study) -> None:
    go_on = shlex.join(["rembo", "resume", str(scenario.storage), "--name", study.name])
    finished = sum(trial.told is not None for trial in study.trials)
    print(f"interrupted: {finished} trials are stored; go on with: {go_on}", file=sys.stderr)


def _tell_result(study: Study, scenario: Scenario, end: End, as_json: bool) -> int:
    """The best trial and its command; or that there is none."""
    failed = [trial for trial in study.trials if trial.told is not None and trial.value is None]
    succeeded = any(trial.value is not None for trial in study.trials)
    best = {**trial_data(study.best_trial), "command": _best_command(study, scenario)} if succeeded else None
    if as_json:
        write_json({"event": "end", "end": end.name, "trials": len(study.trials), "failed": len(failed), "best": best})
    elif best is not None:
        print(f"best value {best['value']!r} in trial {best['number']} of {len(study.trials)}, {len(failed)} failed")
        print(best["command"])
        if len(scenario.program.instances) > 1:
            print(f"that is the first of {len(scenario.program.instances)} instances")
    if not succeeded:
        print(f"rembo: all {len(failed)} trials failed, the last one with {failed[-1].failure}", file=sys.stderr)
    return ExitCode.DONE if succeeded else ExitCode.FAILED


def _best_command(study: Study, scenario: Scenario) -> str:
    folder = scenario.storage.absolute().parent / f"{study.name}-best"
    return command_line(scenario, study.best_params, folder)
