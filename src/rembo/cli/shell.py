"""From the arguments of the shell to an exit code: each error is a sentence on standard error."""

import os
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.parser import parser
from rembo.cli.say import remark
from rembo.scenario import ScenarioError
from rembo.study import StorageError

_USAGE = (ScenarioError, UsageError, ValueError, TypeError, ModuleNotFoundError, OSError)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of `rembo`, e.g. main(["tune", "scenario.toml"]); returns its exit code."""
    given = parser().parse_args(arguments)
    try:
        return _command(given)(given)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # who reads has had enough, e.g. head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except StorageError as error:
        return _told(error, ExitCode.STORAGE, given.debug)
    except _USAGE as error:
        return _told(error, ExitCode.USAGE, given.debug)


def _command(given: Namespace) -> Callable[[Namespace], int]:
    module, name = given.command
    command: Callable[[Namespace], int] = getattr(import_module(module), name)
    return command


def _told(error: Exception, code: ExitCode, debug: bool) -> ExitCode:
    if debug:
        traceback.print_exception(error)
    remark(f"rembo: {error}")
    return code
