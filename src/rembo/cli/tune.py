"""`rembo tune` and `rembo resume`: a scenario becomes a study, and is run.

The first configuration is evaluated before there is a study: a scenario whose program gives no objective costs one run
and leaves nothing behind. If it gives one, that is the study's first value.
"""

import os
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rembo.cli.broken import MOST, StopWhenBroken
from rembo.cli.dask import dask_client
from rembo.cli.display import display_for
from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.paste import command_line, folder_beside
from rembo.cli.say import remark, say
from rembo.cli.tuned import is_deterministic, open_study, preview, scenario_of, settled, stored_header
from rembo.cli.watch import Watch, trial_data, write_json
from rembo.optimizer import TrialState
from rembo.scenario import Scenario
from rembo.scenario.evaluation import was_not_started
from rembo.study import End, Reason, Study, open_storage
from rembo.study.evaluation import Evaluation, Outcome
from rembo.study.exchange import IMPORTED
from rembo.study.interruption import Interruption

_EXAMPLES = 3


def tune_command(given: Namespace) -> int:
    """Run a scenario, or go on with it."""
    scenario = Scenario.read(given.scenario)
    storage, name = given.storage or Path(os.path.relpath(scenario.storage)), given.name or scenario.name
    scenario = settled(replace(scenario, storage=storage, name=name), given.seed)
    _warn(scenario)
    if given.dry_run:
        return _dry_run(scenario)
    return _run(scenario, given, given.deterministic or is_deterministic(scenario))


def resume_command(given: Namespace) -> int:
    """Go on with a study that was begun by `tune`."""
    scenario = settled(scenario_of(given.file, given.name), None)
    _warn(scenario)
    return _run(scenario, given, is_deterministic(scenario))


def _warn(scenario: Scenario) -> None:
    for warning in scenario.warnings:
        remark(warning)


def _dry_run(scenario: Scenario) -> int:
    """Show what would be run, and run the first of it."""
    study = preview(scenario)
    for values in [study.ask().x for _ in range(_EXAMPLES)]:
        say(command_line(scenario, values))
    first = _first_outcome(scenario)
    say(f"the first gives {'no objective' if first is None or first.value is None else first.value}")
    return ExitCode.DONE


def _run(scenario: Scenario, given: Namespace, deterministic: bool) -> int:
    """Evaluate the first configuration, if that was not done, and then the rest."""
    begun = _has_begun(scenario)
    if not begun and not given.json and not given.quiet:
        remark("running the program once, to see that it gives an objective ...")
    first = None if begun else _first_outcome(scenario)
    with open_study(scenario, deterministic) as study:
        if first is not None and not study.trials:
            study.finish(study.ask(), first)
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


def _first_outcome(scenario: Scenario) -> Outcome | None:
    """What came of the first configuration, or a UsageError that shows what the program has printed instead.

    None if a failure is to count as a number: how much that is, over all instances, is found when it is run again.
    """
    trial = preview(scenario).ask()
    program = replace(scenario.program, on_failure=None)
    with Interruption(grace=0.0) as interruption:
        try:
            outcome = Evaluation(program, scenario.space)(trial.point, trial.number)
        except KeyboardInterrupt:
            raise SystemExit(128 + (interruption.received or 0)) from None
    if outcome.value is None and not _is_expected(outcome, scenario):
        raise UsageError(
            f"{scenario.file}: the first run gives no objective: {outcome.error}\n"
            f"It was: {command_line(scenario, trial.x)}\n"
            "Correct the command or the objective, and try it with --dry-run; nothing was stored."
        )
    return None if outcome.value is None and scenario.program.on_failure is not None else outcome


def _is_expected(failed: Outcome, scenario: Scenario) -> bool:
    """Whether a first failure is no fault of the scenario."""
    if failed.reason is Reason.TIMEOUT:
        return True
    counts = scenario.program.on_failure is not None and failed.reason is not Reason.NO_NUMBER
    return counts and not was_not_started(failed.error or "")


def _optimize(study: Study, scenario: Scenario, given: Namespace, of: int, deterministic: bool) -> End:
    watched = [trial for trial in study.trials if trial.told is not None]
    with (
        _workers(scenario, given) as workers,
        display_for(study.name, of, given.json, given.quiet) as display,
    ):
        return study.optimize(
            scenario.evaluation(),
            of,
            deterministic=deterministic,
            callbacks=[Watch(display, watched, of), StopWhenBroken()],
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
    finished = sum(trial.told is not None for trial in study.trials)
    remark(f"interrupted: {finished} trials are stored; go on with: {_resumption(scenario)}")


def _resumption(scenario: Scenario) -> str:
    return shlex.join(["rembo", "resume", str(scenario.storage), "--name", scenario.name])


def _tell_result(study: Study, scenario: Scenario, end: End, as_json: bool) -> int:
    """The best trial and its command, or that there is none; and whether the search was given up."""
    counts = Counter(trial.state for trial in study.trials)
    best = None
    if counts[TrialState.COMPLETE]:
        best = {**trial_data(study.best_trial), "command": _best_command(study, scenario)}
    if as_json:
        write_json({"event": "end", "end": end.name, "trials": counts.total(), **_without_value(counts), "best": best})
    elif best is not None:
        say(f"best value {best['value']!r} in trial {best['number']} of {counts.total()}, {_in_words(counts)}")
        say(best["command"])
        if len(scenario.program.instances) > 1:
            say(f"that is the first of {len(scenario.program.instances)} instances")
    return _tell_trouble(study, scenario, end, counts)


def _tell_trouble(study: Study, scenario: Scenario, end: End, counts: Counter[TrialState]) -> int:
    """Say what went wrong with the search as a whole, if anything did; the exit code."""
    last = next((trial.failure for trial in reversed(study.trials) if trial.state is TrialState.FAIL), None)
    if end is End.STOPPED:
        remark(
            f"rembo: given up, since the program could not be started {MOST} times in a row: {last}\n"
            f"Mend it, and go on with: {_resumption(scenario)}",
        )
        return ExitCode.USAGE
    if not counts[TrialState.COMPLETE]:
        how = "" if last is None else f"; the last failure was: {last}"
        remark(f"rembo: none of {counts.total()} trials has succeeded: {_in_words(counts)}{how}")
        return ExitCode.FAILED
    return ExitCode.DONE


def _without_value(counts: Counter[TrialState]) -> dict[str, int]:
    """How many trials gave no value, and why."""
    return {
        "failed": counts[TrialState.FAIL],
        "pruned": counts[TrialState.PRUNED],
        "waiting": counts[TrialState.WAITING] + counts[TrialState.RUNNING],
    }


def _in_words(counts: Counter[TrialState]) -> str:
    """The same in a sentence.

    >>> _in_words(Counter({TrialState.COMPLETE: 3, TrialState.FAIL: 2}))
    '2 failed'
    """
    return ", ".join(f"{n} {name}" for name, n in _without_value(counts).items() if n or name == "failed")


def _best_command(study: Study, scenario: Scenario) -> str:
    return command_line(scenario, study.best_params, folder_beside(scenario.storage, study.name, "best"))
