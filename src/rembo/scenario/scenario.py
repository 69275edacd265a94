"""The scenario: all that tuning a program needs, read from one TOML file and checked before anything is spent."""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from rembo.border import check_whole, is_finite
from rembo.optimizer import Optimizer
from rembo.scenario.command import Command, read_command
from rembo.scenario.document import Table
from rembo.scenario.evaluation import ProgramEvaluation
from rembo.scenario.method import Method, read_method
from rembo.scenario.objective import ExitCode, Objective, read_objective
from rembo.scenario.option import Clause, Declared, Option, declared, read_options, space_of
from rembo.scenario.parameter_file import read_parameter_file
from rembo.scenario.process import ProgramLimits
from rembo.space import Space

KEYS = (
    "command", "shell", "stdin", "environment", "parameter_file", "parameters", "forbidden",
    "objective", "direction", "exit_codes", "on_failure", "instances", "aggregate",
    "n_trials", "trial_timeout", "trial_memory", "n_workers", "seed", "optimizer", "name", "storage",
)  # fmt: skip
_UNITS = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
_PENALTY = 10.0  # PAR10: how many times the limit a timeout counts


@dataclass(frozen=True)
class Scenario:
    """A program, its parameters, and what makes a run of it good."""

    file: Path
    name: str
    storage: Path
    space: Space
    program: ProgramEvaluation
    method: Method
    direction: str
    n_trials: int
    n_workers: int
    seed: int | None
    warnings: tuple[str, ...] = ()

    @staticmethod
    def read(file: str | Path) -> "Scenario":
        """The scenario in a file; a ScenarioError with file, line and cure if anything in it is wrong."""
        return _read(Table.read(Path(file)))

    @staticmethod
    def new_text() -> str:
        """A scenario with comments, to start from."""
        return files("rembo.scenario").joinpath("new.toml").read_text(encoding="utf-8")

    @property
    def trial_timeout(self) -> float | None:
        """The seconds that one run of the program may take."""
        return self.program.limits.seconds

    @property
    def trial_memory(self) -> int | None:
        """The bytes that each process of a run may take."""
        return self.program.limits.memory

    def evaluation(self) -> ProgramEvaluation:
        """The f to be minimised or maximised: from a dict of values to a number, or an EvaluationError."""
        return self.program

    def optimizer(self) -> Optimizer:
        """A new optimizer, as the scenario asks for it."""
        return self.method.optimizer(self.space, self.seed)

    def commands(self, values: Mapping[str, Any]) -> list[list[str]]:
        """The arguments of the run on each instance for these values; names of temporary files are examples."""
        scratch = Path(tempfile.gettempdir()) / "rembo-run"
        instances = self.program.instances or (None,)
        return [list(self.program.command.arguments(values, instance, scratch)) for instance in instances]


def _read(table: Table) -> Scenario:
    table.refuse_unknown(KEYS)
    folder = table.file.resolve().parent
    given = _read_parameters(table)
    with table.at("forbidden" if "forbidden" in table.content else "parameters"):
        space = space_of(given)
    options = given.options
    command = read_command(table, options, space.rules, folder)
    return Scenario(
        file=table.file,
        name=table.find("name", str, default=table.file.stem),
        storage=folder / table.find("storage", str, default=f"{table.file.stem}.db"),
        space=space,
        program=_read_program(table, command, folder),
        method=read_method(table, space),
        direction=table.choose("direction", ["minimize", "maximize"]),
        n_trials=_whole(table, "n_trials", table.need("n_trials", int), 1),
        n_workers=_whole(table, "n_workers", table.find("n_workers", int, default=1), 1),
        seed=command.seed,
        warnings=tuple(f"{table.file}: {text}" for text in (*_unused(options, command), *_hidden(table, command))),
    )


def _read_parameters(table: Table) -> Declared:
    found = _read_declared(table)
    clauses = [_clause(table, text) for text in table.find("forbidden", list, default=[])]
    more = declared(found.options, {}, clauses)
    return Declared(more.options, [*found.forbidden, *more.forbidden])


def _clause(table: Table, text: Any) -> Clause:
    with table.at("forbidden"):
        if not isinstance(text, str):
            raise TypeError(f"forbidden must be a list of texts, e.g. ['a == 1 and b > 2'], not of {text!r}")
    return Clause(text, partial(table.at, "forbidden"))


def _read_declared(table: Table) -> Declared:
    given = table.need("parameters", dict, str)
    if isinstance(given, dict):
        return read_options(table.table("parameters"))
    with table.at("parameters"):
        return read_parameter_file(table.file.parent / given)


def _read_program(table: Table, command: Command, folder: Path) -> ProgramEvaluation:
    limits = _read_limits(table)
    objective = read_objective(table)
    _check_output_file(table, objective, command)
    return ProgramEvaluation(
        command,
        objective,
        limits,
        _read_instances(table, command, folder),
        _read_penalty(table, limits),
        _read_on_failure(table),
        _read_exit_codes(table, objective),
    )


def _read_limits(table: Table) -> ProgramLimits:
    seconds, memory = table.find("trial_timeout", float), table.find("trial_memory", str, int)
    with table.at("trial_timeout"):
        ProgramLimits(seconds)
    with table.at("trial_memory"):
        return ProgramLimits(seconds, _bytes(memory) if isinstance(memory, str) else memory)


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(\w+)", text.strip())
    if found is None or found[2] not in _UNITS:
        raise ValueError(f"trial_memory {text!r} must be a number and one of {', '.join(_UNITS)}: write e.g. '2 GiB'")
    return int(float(found[1]) * _UNITS[found[2]])


def _read_instances(table: Table, command: Command, folder: Path) -> tuple[str | int, ...]:
    given = table.find("instances", list, str, default=[])
    with table.at("instances"):
        instances = _matching(given, folder) if isinstance(given, str) else given
        for instance in instances:
            _check_instance(instance, folder)
        if "instances" in table.content and not instances:
            raise ValueError("the list of instances is empty: name one, or remove the key")
        if instances and "instance" not in command.names:
            raise ValueError("the instances reach no program: put {instance} into the command")
    with table.at("command"):
        if "instance" in command.names and not instances:
            raise ValueError("{instance} is used and there is none: add e.g. instances = ['first.lp', 'second.lp']")
    return tuple(instances)


def _matching(pattern: str, folder: Path) -> list[str]:
    """The files that a pattern names, in the order of their names."""
    found = sorted(str(path.relative_to(folder)) for path in folder.glob(pattern))
    if not found:
        raise ValueError(f"no instance matches {pattern!r} in {folder}: correct the pattern, e.g. 'instances/*.lp'")
    return found


def _check_instance(instance: Any, folder: Path) -> None:
    if isinstance(instance, bool) or not isinstance(instance, (str, int)):
        raise TypeError(f"an instance must be a file's name or a whole number, not {instance!r}")
    if isinstance(instance, str) and not (folder / instance).exists():
        raise ValueError(f"instance {instance!r} is not there: paths begin at the scenario's folder {folder}")


def _read_penalty(table: Table, limits: ProgramLimits) -> float | None:
    """What a timeout counts under PAR10; nothing under the plain mean."""
    if table.choose("aggregate", ["mean", "par10"]) == "mean":
        return None
    with table.at("aggregate"):
        if limits.seconds is None:
            raise ValueError("par10 counts timeouts as ten times the limit: add e.g. trial_timeout = 60")
        if table.content.get("direction") == "maximize":
            raise ValueError("par10 makes timeouts large, which must not be maximised: use direction = 'minimize'")
    return _PENALTY * limits.seconds


def _read_on_failure(table: Table) -> float | None:
    given = table.find("on_failure", str, float, default="fail")
    with table.at("on_failure"):
        if given != "fail" and not is_finite(given):
            raise ValueError(f"on_failure must be 'fail' or the number that a failed run counts, not {given!r}")
    return None if given == "fail" else float(given)


def _read_exit_codes(table: Table, objective: Objective) -> tuple[int, ...]:
    codes = table.find("exit_codes", list, default=[0])
    with table.at("exit_codes"):
        if isinstance(objective, ExitCode) and "exit_codes" in table.content:
            raise ValueError("the exit code is the objective, so that none of them is a failure: remove exit_codes")
        if not codes:
            raise ValueError("exit_codes is empty, so that every run fails: write e.g. [0, 10, 20]")
        known = tuple(check_whole(code, "exit code", 0, 255) for code in codes)
    return () if isinstance(objective, ExitCode) else known


def _check_output_file(table: Table, objective: Objective, command: Command) -> None:
    with table.at("objective"):
        if objective.source == "output_file" and "output_file" not in command.names:
            raise ValueError(
                "the objective is read from a file that no program writes: put {output_file} into the command"
            )


def _whole(table: Table, key: str, value: int, at_least: int) -> int:
    with table.at(key):
        return check_whole(value, key, at_least)


def _unused(options: Sequence[Option], command: Command) -> list[str]:
    unused = [option.name for option in options if option.name not in command.names and option.parameter is not None]
    return [f"parameter {name!r} is used nowhere: put {{{name}}} into the command" for name in unused]


def _hidden(table: Table, command: Command) -> list[str]:
    """Failures that the shell of the command would hide."""
    return [] if command.shell is None else command.shell.warnings(table.need("command", str))
