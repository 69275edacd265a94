"""The shell that runs a command, if the scenario asks for one: bash, unless it names another.

Values are no part of the command's text. They are arguments of the shell, which keeps them in variables, and the text
has the variables in quotes: whatever a value is, it is never read as a command.

A pipe's exit code is that of its last part, so that `./program | tail -1` succeeds where the program fails. With the
option pipefail it is that of the part that failed. Bash has it; older versions of dash, the /bin/sh of Debian, do not.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rembo.scenario.document import Table
from rembo.scenario.template import Context, Text, has_pipe

_VARIABLE = "rembo_"  # and a number
_PIPEFAIL = "set -o pipefail; "
_TRIAL = f"{_PIPEFAIL}(exit 42) | true"  # ends with 42 only where the option works
_PATIENCE = 10.0  # seconds for a shell to show what it can


@dataclass(frozen=True)
class Shell:
    """A shell by name or path, and whether a pipe fails in it when any of its parts does."""

    program: str
    pipefail: bool

    def arguments(self, command: Text, context: Context) -> tuple[str, ...]:
        """The arguments that let it run a command with the values of its fields.

        >>> from rembo.scenario.template import Value
        >>> Shell("bash", pipefail=False).arguments(Text(("echo ", Value("x"))), {"x": "$(id)"})
        ('bash', '-c', 'rembo_1=${1}; shift 1; echo "${rembo_1}"', 'bash', '$(id)')
        """
        values: list[str] = []

        def variable(value: str) -> str:
            values.append(value)
            return f'"${{{_VARIABLE}{len(values)}}}"'

        text = command.filled(context, variable)
        kept = [f"{_VARIABLE}{number}=${{{number}}}" for number in range(1, len(values) + 1)]
        keeping = f"{' '.join(kept)}; shift {len(values)}; " if values else ""
        return self.program, "-c", f"{_PIPEFAIL if self.pipefail else ''}{keeping}{text}", self.program, *values

    def warnings(self, command: str) -> list[str]:
        """What is worth knowing before it runs a command."""
        if self.pipefail or not has_pipe(command):
            return []
        return [
            f"{self.program} has no pipefail, so that the command counts as a success if only the last part of its "
            "pipe succeeds: set shell = true, which is bash, or write to a file and read that"
        ]


def read_shell(table: Table, folder: Path) -> Shell | None:
    """The shell of a scenario: `true` is bash, a text is the name or the path of another; None for no shell."""
    given = table.find("shell", bool, str, default=False)
    if given is False:
        return None
    with table.at("shell"):
        if given is True:
            _check_found("bash", "install it, or name another, e.g. shell = '/bin/sh'")
            return Shell("bash", pipefail=True)
        program = str(folder / given) if "/" in given else given
        _check_found(program, "correct its name, or set shell = true, which is bash")
        return Shell(program, _has_pipefail(program))


def _check_found(program: str, cure: str) -> None:
    if shutil.which(program) is None:
        raise ValueError(f"the shell {program!r} is not found: {cure}")


def _has_pipefail(program: str) -> bool:
    """Whether a shell knows the option, found by trying it; a ValueError if the shell cannot be run."""
    try:
        tried = subprocess.run(
            [program, "-c", _TRIAL], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"the shell {program!r} cannot be run ({error}): name another, e.g. '/bin/sh'") from None
    return tried.returncode == 42
