"""`rembo import`: a new study that knows past evaluations, from a CSV or from an Optuna study."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.say import say
from rembo.cli.tuned import direction_of, open_study, settled, stored_header
from rembo.optimizer import Growing
from rembo.scenario import Scenario
from rembo.study import Study, default_optimizer
from rembo.study.exchange import Imported, OptunaPast, PastTrial, best_of, import_trials, read_csv, read_optuna


def import_command(given: Namespace) -> int:
    """Begin a study with past evaluations, and say what became of them."""
    if given.scenario is None:
        past = _optuna_past(given)
        study = _new_study(past, given)
        trials: Sequence[PastTrial] = past.trials
    else:
        scenario = _scenario(given)
        trials = _past_of(scenario, given)
        study = _scenario_study(scenario, trials)
    with study:
        _tell(import_trials(study, trials), study, given)
    return ExitCode.DONE


def _scenario(given: Namespace) -> Scenario:
    read = Scenario.read(given.scenario)
    scenario = replace(read, storage=given.storage or read.storage, name=given.name or read.name)
    if stored_header(scenario.storage, scenario.name) is not None:
        raise UsageError(f"{scenario.storage} has a study {scenario.name!r} already: give a --name for a new one")
    return settled(scenario, given.seed)


def _past_of(scenario: Scenario, given: Namespace) -> Sequence[PastTrial]:
    if "://" not in given.source:
        return read_csv(given.source, scenario.space, given.value)
    past = read_optuna(given.source, given.study, scenario.space)
    if past.direction != scenario.direction:
        raise UsageError(f"{given.source} has a study to {past.direction}, {given.scenario} is to {scenario.direction}")
    return past.trials


def _scenario_study(scenario: Scenario, past: Sequence[PastTrial]) -> Study:
    """The scenario's study; the default optimizer is centred on the best past configuration."""
    optimizer = scenario.optimizer()
    best = best_of(past, scenario.space, direction_of(scenario))
    if isinstance(optimizer, Growing) and best is not None:
        optimizer = default_optimizer(scenario.space, scenario.seed, best)
    return open_study(scenario, optimizer=optimizer)


def _optuna_past(given: Namespace) -> OptunaPast:
    if "://" not in given.source:
        raise UsageError(f"{given.source} does not say what is searched: give a --scenario with the parameters")
    if given.storage is None:
        raise UsageError("without a scenario nothing says where to keep the study: give a --storage")
    return read_optuna(given.source, given.study)


def _new_study(past: OptunaPast, given: Namespace) -> Study:
    name = given.name or given.study or "study"
    if stored_header(given.storage, name) is not None:
        raise UsageError(f"{given.storage} has a study {name!r} already: give a --name for a new one")
    optimizer = default_optimizer(past.space, given.seed, best_of(past.trials, past.space, past.direction))
    return Study(past.space, optimizer=optimizer, storage=given.storage, name=name, direction=past.direction)


def _tell(imported: Imported, study: Study, given: Namespace) -> None:
    say(f"study {study.name!r} knows {imported.told} past evaluations")
    if imported.unrepresented:
        say(f"{imported.unrepresented} more lie where the search has no points yet; it starts from the best of all")
    if imported.outside:
        say(f"{imported.outside} more lie outside the parameters' ranges, or lack a parameter")
    if given.scenario is not None:
        say(f"go on with: rembo tune {given.scenario} --name {study.name}")
