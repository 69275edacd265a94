"""A run of a program as a line for the shell, ready to paste: folder, environment, arguments, input and all."""

import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rembo.scenario import Scenario
from rembo.scenario.process import Invocation
from rembo.scratch import scratch_folder


def command_line(scenario: Scenario, values: Mapping[str, Any], keep: Path | None = None) -> str:
    """The run with these values, on the first instance if there are several.

    Files that are written for the run are copied to the folder `keep`; without one, their names are examples.
    """
    command, instances = scenario.program.command, scenario.program.instances
    instance = instances[0] if instances else None
    with scratch_folder() as scratch:
        made = command.invocation(values, instance, scratch)
        made = replace(made, environment={name: made.environment[name] for name in command.environment})
        if keep is None or str(scratch) not in _line(made):
            return _line(made)
        shutil.copytree(scratch, keep, dirs_exist_ok=True)
    return _line(replace(_moved(made, str(scratch), str(keep)), arguments=command.arguments(values, instance, keep)))


def folder_beside(storage: Path, name: str, ending: str) -> Path:
    """The folder for the files of a study's command, beside its file; no name of a study leads out of there.

    >>> folder_beside(Path("/data/tune.db"), "../x", "best").name
    '..%2Fx-best'
    """
    safe = re.sub(r'[/\\:*?"<>|%]', lambda found: f"%{ord(found[0]):02X}", name)
    return storage.absolute().parent / f"{safe}-{ending}"


def _moved(made: Invocation, old: str, new: str) -> Invocation:
    environment = {name: value.replace(old, new) for name, value in made.environment.items()}
    stdin = None if made.stdin is None else Path(str(made.stdin).replace(old, new))
    return replace(made, environment=environment, stdin=stdin)


def _line(made: Invocation) -> str:
    variables = [f"{name}={shlex.quote(value)}" for name, value in made.environment.items()]
    redirected = [] if made.stdin is None else ["<", shlex.quote(str(made.stdin))]
    return " ".join(["cd", shlex.quote(str(made.folder)), "&&", *variables, shlex.join(made.arguments), *redirected])
