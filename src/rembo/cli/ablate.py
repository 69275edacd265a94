"""`rembo ablate`: which few changes from the default to the best configuration carry the gain.

Every evaluation is a trial of a study NAME-ablation in the same file, stored as soon as it is finished. When it is
started again, an ablation goes the same way and evaluates nothing twice, nor what the tuned study has evaluated.
"""

import math
import shlex
import signal
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rembo.ablation import Ablation, AblationStep, Change, Flip, ablate
from rembo.ablation.ablate import Function
from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.paste import command_line, folder_beside
from rembo.cli.say import remark, say
from rembo.cli.tuned import check_unchanged, scenario_of, settled
from rembo.cli.watch import write_json
from rembo.embedding import Point
from rembo.optimizer import RandomSearch, TrialState
from rembo.scenario import Scenario
from rembo.space import Domain, Space
from rembo.study import Study, StudyTrial, open_storage
from rembo.study.direction import best_first
from rembo.study.interruption import Interruption
from rembo.study.opening import the_only
from rembo.study.storage import ABLATION, StoredStudy

_OVER = (TrialState.COMPLETE, TrialState.FAIL)
_GRACE = 5.0  # seconds that evaluations have to finish after a signal


def ablate_command(given: Namespace) -> int:
    """Ablate a study that `rembo tune` has begun, or go on with that."""
    storage = open_storage(given.file)
    tuned = storage.read(the_only(storage, given.name, given.file))
    scenario = settled(scenario_of(given.file, tuned.header.name), None)
    check_unchanged(tuned.header, scenario)
    best = _best(tuned, given.file)
    with Interruption(_GRACE) as interruption, _study(tuned, given.file) as study:
        rounds = Rounds(study, given.workers or scenario.n_workers, interruption, aloud=not given.json)
        try:
            found = _ablated(tuned, best, scenario, rounds, given)
        except KeyboardInterrupt:
            _tell_how_to_go_on(study, given)
            if interruption.received == signal.SIGTERM:
                raise SystemExit(ExitCode.TERMINATED) from None
            raise
    tell = _tell_json if given.json else _tell
    tell(found, best, scenario)
    return ExitCode.DONE


class Rounds:
    """Evaluates rounds of configurations as trials of a study; each configuration once, by whatever process.

    After a signal, which the interruption keeps from disturbing anything, what runs may finish and nothing is started.
    """

    def __init__(self, study: Study, n_workers: int, interruption: Interruption, aloud: bool) -> None:
        self._study, self._n_workers, self._interruption, self._aloud = study, n_workers, interruption, aloud
        self._numbers = {trial.point[:].tobytes(): trial.number for trial in study.trials}

    def __call__(self, f: Function, configurations: Sequence[Any]) -> list[float | None]:
        """The values of the configurations, None where f failed."""
        numbers = [self._number(x) for x in configurations]
        waiting = sum(trial.told is None for trial in self._study.trials)
        if waiting and self._interruption.received is None:
            workers = min(self._n_workers, waiting)
            asked = len(self._study.trials)
            self._study.optimize(f, asked, n_workers=workers, callbacks=[self._notice], progress=False)
        if self._interruption.received is not None:
            raise KeyboardInterrupt
        trials = self._study.trials
        return [trials[number].value for number in numbers]

    def _number(self, x: Any) -> int:
        """The trial of a configuration, which waits to be evaluated if it is new."""
        key = self._study.space.encode(x).tobytes()
        if key not in self._numbers:
            self._numbers[key] = self._study.enqueue(x).number
        return self._numbers[key]

    def _notice(self, study: Study, trial: StudyTrial) -> None:
        outcome = f"failed: {trial.failure}" if trial.value is None else f"{trial.value:.10g}"
        if self._aloud:
            remark(f"evaluation {trial.number + 1}: {outcome}")
        if self._interruption.received is not None:
            raise StopIteration


def _study(tuned: StoredStudy, file: Path) -> Study:
    """The study that keeps the evaluations of the ablation; its optimizer is never asked."""
    header = tuned.header
    never = RandomSearch(header.space, seed=0)
    return Study(
        header.space, optimizer=never, storage=file, name=f"{header.name}{ABLATION}", direction=header.direction
    )


def _ablated(tuned: StoredStudy, best: StudyTrial, scenario: Scenario, rounds: Rounds, given: Namespace) -> Ablation:
    return ablate(
        scenario.evaluation(),
        tuned.header.space,
        _default(tuned.header.space),
        best.x,
        direction=tuned.header.direction,
        share=given.share,
        max_evaluations=given.max_evaluations,
        known=[(trial.x, trial.value) for trial in tuned.trials if trial.state in _OVER],
        evaluate=rounds,
    )


def _best(tuned: StoredStudy, file: Path) -> StudyTrial:
    """The best trial, if there is a way from the default to it."""
    name, space = tuned.header.name, tuned.header.space
    in_python = "in Python, rembo.ablate goes from any configuration to any other"
    if _default(space) is None:
        raise UsageError(f"{file}: study {name!r} has no default configuration to start from: {in_python}")
    best = next(iter(best_first(tuned.trials, tuned.header.direction)), None)
    if best is None:
        raise UsageError(f"{file}: study {name!r} has no value yet: go on with rembo resume {file}")
    if isinstance(space, Space) and not space.changes(best.x):
        raise UsageError(
            f"{file}: the best configuration of study {name!r} is its default, so that there is no gain to explain: "
            f"go on with rembo resume {file} --n-trials N"
        )
    return best


def _default(space: Domain) -> dict[str, Any] | None:
    return space.default if isinstance(space, Space) else None


def _tell_how_to_go_on(study: Study, given: Namespace) -> None:
    finished = sum(trial.told is not None for trial in study.trials)
    go_on = shlex.join(["rembo", "ablate", str(given.file), "--name", study.name.removesuffix(ABLATION)])
    remark(f"interrupted: {finished} evaluations are stored; go on with: {go_on}")


def _tell(found: Ablation, best: StudyTrial, scenario: Scenario) -> None:
    say(f"study {scenario.name!r}, from the default configuration to trial {best.number}:")
    say(found)
    if found.steps:
        say(f"the default with the changes above:\n{_command(found, scenario)}")


def _tell_json(found: Ablation, best: StudyTrial, scenario: Scenario) -> None:
    write_json(
        {
            "study": scenario.name,
            "trial": best.number,
            "direction": found.direction,
            "start_value": found.start_value,
            "goal_value": found.goal_value,
            "steps": [_step_data(step) for step in found.steps],
            "rest": _step_data(found.rest),
            "flips": [_flip_data(flip) for flip in found.flips],
            "explained": found.explained,
            "evaluations": found.evaluations,
            "complete": found.complete,
            "command": _command(found, scenario),
        }
    )


def _step_data(step: AblationStep) -> dict[str, Any]:
    return {"changes": [_change_data(change) for change in step.changes], "value": step.value, "share": step.share}


def _flip_data(flip: Flip) -> dict[str, Any]:
    """A flip as JSON, which has no infinite number: where it fails, value and loss are null."""
    return {"name": flip.change.name, "value": flip.value, "loss": None if math.isinf(flip.loss) else flip.loss}


def _change_data(change: Change) -> dict[str, Any]:
    return {"name": change.name, "before": _plain(change.before), "after": _plain(change.after)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, Point) else value


def _command(found: Ablation, scenario: Scenario) -> str:
    """The run of the default with the changes of the steps alone; files that it needs are kept beside the study."""
    carried = {change.name: change.after for step in found.steps for change in step.changes}
    folder = folder_beside(scenario.storage, scenario.name, "ablated")
    return command_line(scenario, scenario.space.active({**(scenario.space.default or {}), **carried}), folder)
