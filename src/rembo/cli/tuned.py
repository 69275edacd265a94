"""A study that a scenario has begun: its header keeps the scenario, and only the same scenario may go on with it.

What is kept is the scenario's content and that of the files it names, without what may change from run to run: how
many trials, how many workers, and where the study lies.
"""

import os
import time
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rembo.cli.ending import UsageError
from rembo.optimizer import Growing, Optimizer
from rembo.scenario import Scenario
from rembo.study import Study, open_storage
from rembo.study.codec import decode, describe, differences, encode
from rembo.study.direction import Direction
from rembo.study.opening import the_only
from rembo.study.storage import Header
from rembo.version import __version__

_MAY_CHANGE = ("n_trials", "n_workers", "name", "storage")
_SCENARIO, _DETERMINISTIC = "scenario", "deterministic"


def stored_header(file: Path, name: str | None) -> Header | None:
    """The header of a study that is there; None if there is none."""
    if not file.exists():
        return None
    storage = open_storage(file)
    return storage.read(name).header if name in storage.names() else None


def scenario_of(file: Path, name: str | None) -> Scenario:
    """The scenario that has begun a study, read anew from where it was."""
    storage = open_storage(file)
    header = storage.read(the_only(storage, name, file)).header
    path = file.absolute().parent / _kept(header, file)["file"]
    if not path.exists():
        go_on = f"rembo tune SCENARIO --storage {file} --name {header.name}"
        raise UsageError(f"the scenario of study {header.name!r} is no longer at {path}: go on with {go_on}")
    return replace(Scenario.read(os.path.relpath(path)), storage=file, name=header.name)


def settled(scenario: Scenario, seed: int | None) -> Scenario:
    """The scenario with its seed: the one asked for, or that of the study that is there, or the scenario's own."""
    header = stored_header(scenario.storage, scenario.name)
    stored = None if header is None else _optimizer_of(header).seed
    if seed is not None and stored not in (None, seed):
        raise UsageError(
            f"study {scenario.name!r} has the seed {stored}, not {seed}: leave --seed out, or give a --name"
        )
    chosen = next((each for each in (stored, seed, scenario.seed) if each is not None), None)
    final = scenario.method.optimizer(scenario.space, chosen).seed
    command = replace(scenario.program.command, seed=final)
    return replace(scenario, seed=final, program=replace(scenario.program, command=command))


def open_study(scenario: Scenario, deterministic: bool = False, optimizer: Optimizer | None = None) -> Study:
    """The scenario's study in its file, begun if it is not there; a UsageError if another scenario has begun it."""
    header = stored_header(scenario.storage, scenario.name)
    if header is None:
        header = _header(scenario, deterministic, optimizer or scenario.optimizer())
        open_storage(scenario.storage).begin(header).close()
    check_unchanged(header, scenario)
    return Study(
        header.space,
        optimizer=_optimizer_of(header),
        storage=scenario.storage,
        name=header.name,
        direction=header.direction,
        x0=_start(scenario),
    )


def is_deterministic(scenario: Scenario) -> bool:
    """Whether the study that is there was begun with --deterministic."""
    header = stored_header(scenario.storage, scenario.name)
    return header is not None and bool(header.user_attrs.get(_DETERMINISTIC))


def preview(scenario: Scenario) -> Study:
    """The study as it will begin, in memory."""
    return Study(scenario.space, optimizer=scenario.optimizer(), direction=direction_of(scenario), x0=_start(scenario))


def direction_of(scenario: Scenario) -> Direction:
    """The direction as a study takes it."""
    return "maximize" if scenario.direction == "maximize" else "minimize"


def _start(scenario: Scenario) -> Any:
    """Where to begin, for optimizers that do not begin at the default by themselves and that can represent it."""
    optimizer, default = scenario.optimizer(), scenario.space.default
    if default is None or isinstance(optimizer, Growing):
        return None
    try:
        optimizer.adopt(default)
    except ValueError:
        return None
    return default


def _header(scenario: Scenario, deterministic: bool, optimizer: Optimizer) -> Header:
    return Header(
        scenario.name,
        direction_of(scenario),
        scenario.space,
        describe(optimizer, "optimizer"),
        time.time(),
        __version__,
        {
            _SCENARIO: {"file": _relative(scenario.file, scenario.storage), **_content(scenario.file)},
            _DETERMINISTIC: deterministic,
        },
    )


def _relative(file: Path, storage: Path) -> str:
    """Seen from the study's file, so that both can be moved together."""
    return os.path.relpath(file.absolute(), storage.absolute().parent)


def _content(file: Path) -> dict[str, Any]:
    """What a scenario says, its keys in an order of their own, and the texts of the files that say more."""
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    template = content.get("parameter_file", {}).get("template")
    named = [name for name in (content["parameters"], template) if isinstance(name, str)]
    return {
        "content": {key: content[key] for key in sorted(content) if key not in _MAY_CHANGE},
        "files": {name: (file.parent / name).read_text(encoding="utf-8") for name in named},
    }


def _kept(header: Header, file: Path) -> Mapping[str, Any]:
    kept: Mapping[str, Any] | None = header.user_attrs.get(_SCENARIO)
    if kept is None:
        raise UsageError(
            f"{file}: study {header.name!r} was begun by no scenario, so its f is unknown here: "
            "go on with it in Python, by Study.load and optimize, or by rembo.ablate"
        )
    return kept


def check_unchanged(header: Header, scenario: Scenario) -> None:
    """A UsageError unless the scenario says what it said when the study was begun."""
    kept, now = _kept(header, scenario.storage), _content(scenario.file)
    found = [line for part in now for line in differences(encode(kept[part]), encode(now[part]))]
    if found:
        raise UsageError(
            f"study {header.name!r} in {scenario.storage} was begun by another scenario: {'; '.join(found)}. "
            f"Undo the change in {scenario.file}, or begin a new study with --name"
        )


def _optimizer_of(header: Header) -> Optimizer:
    optimizer = decode(header.optimizer)
    if not isinstance(optimizer, Optimizer):
        raise UsageError(f"study {header.name!r} does not say which optimizer it has: give another --name")
    return optimizer
