"""The arguments of all commands."""

import math
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter, _SubParsersAction
from pathlib import Path
from typing import TypeAlias

import rembo

Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"

_ABOUT = "Tune the parameters of a program: Bayesian optimization for few parameters and for very many."
_LAST_PORT = 65535
_START = """\
to start:
  rembo new                       write scenario.toml, to be edited
  rembo tune scenario.toml --dry-run
  rembo tune scenario.toml
"""


def parser() -> ArgumentParser:
    """The parser of `rembo`; what it parses has `command`, the module and the name of a function."""
    root = ArgumentParser("rembo", description=_ABOUT, epilog=_START, formatter_class=RawDescriptionHelpFormatter)
    root.add_argument("--version", action="version", version=f"rembo {rembo.__version__}")
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in _COMMANDS:
        add(commands)
    return root


def _add(commands: Commands, name: str, module: str, about: str) -> ArgumentParser:
    command = commands.add_parser(name, help=about, description=about)
    function = f"{name}_command"
    command.set_defaults(command=(f"rembo.cli.{module}", function))
    command.add_argument("--debug", action="store_true", help="show where an error comes from")
    return command


def _add_new(commands: Commands) -> None:
    command = _add(commands, "new", "files", "write a scenario with comments, to start from")
    command.add_argument("scenario", nargs="?", type=Path, default=Path("scenario.toml"))


def _add_tune(commands: Commands) -> None:
    command = _add(commands, "tune", "tune", "run a scenario, or go on with it")
    command.add_argument("scenario", type=Path, help="a TOML file")
    command.add_argument("--dry-run", action="store_true", help="print three example commands and run the first")
    command.add_argument("--storage", type=Path, metavar="FILE", help="keep the study there")
    command.add_argument("--name", help="of the study")
    command.add_argument("--seed", type=_whole, metavar="N", help="of the search")
    command.add_argument("--deterministic", action="store_true", help="the same trials whatever the number of workers")
    _add_how_to_run(command)


def _add_resume(commands: Commands) -> None:
    command = _add(commands, "resume", "tune", "go on with a study that `rembo tune` has begun")
    _add_study(command)
    _add_how_to_run(command)


def _add_how_to_run(command: ArgumentParser) -> None:
    command.add_argument("--n-trials", type=_positive, metavar="N", help="trials in all, instead of the scenario's")
    where = command.add_mutually_exclusive_group()
    where.add_argument("--workers", type=_positive, metavar="N", help="processes of this machine; 1 for none")
    where.add_argument("--dask", metavar="ADDRESS|local[:N]", help="workers of a Dask cluster, or of one made here")
    loudness = command.add_mutually_exclusive_group()
    loudness.add_argument("--json", action="store_true", help="a line of JSON for each trial, and one for the end")
    loudness.add_argument("--quiet", action="store_true", help="only the result")


def _add_show(commands: Commands) -> None:
    command = _add(commands, "show", "show", "show what a study has found")
    _add_study(command)
    command.add_argument("--json", action="store_true", help="as JSON")
    command.add_argument("--all", action="store_true", help="all parameters of the best trial, also the unchanged ones")
    command.add_argument(
        "--no-importance", action="store_true", help="leave out which parameters matter, which takes time"
    )


def _add_ablate(commands: Commands) -> None:
    command = _add(commands, "ablate", "ablate", "find the few changes from the default that carry the gain")
    _add_study(command)
    command.add_argument("--share", type=_share, default=0.99, metavar="S", help="of the gain to explain; 0.99")
    command.add_argument("--max-evaluations", type=_two_or_more, metavar="N", help="end before more; no limit")
    command.add_argument("--workers", type=_positive, metavar="N", help="processes of this machine; 1 for none")
    command.add_argument("--json", action="store_true", help="as JSON")


def _add_export(commands: Commands) -> None:
    command = _add(commands, "export", "files", "write the trials of a study as a table")
    _add_study(command)
    command.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="a .csv, .jsonl or .parquet")


def _add_import(commands: Commands) -> None:
    command = _add(commands, "import", "past", "begin a study with past evaluations")
    command.add_argument("source", help="a CSV with a column for each parameter, or the URL of an Optuna storage")
    command.add_argument("--scenario", type=Path, metavar="FILE", help="what `rembo tune` is to go on with")
    command.add_argument("--storage", type=Path, metavar="FILE", help="keep the study there")
    command.add_argument("--name", help="of the study")
    command.add_argument("--value", default="value", metavar="COLUMN", help="of the objective in a CSV")
    command.add_argument("--study", metavar="NAME", help="of the Optuna study, if there are several")
    command.add_argument("--seed", type=_whole, metavar="N", help="of the search")


def _add_backup(commands: Commands) -> None:
    command = _add(commands, "backup", "files", "copy a file of studies, also while it is written")
    command.add_argument("file", type=Path, help="the file of the studies")
    command.add_argument("copy", type=Path, help="where there is no file yet")


def _add_verify(commands: Commands) -> None:
    _add_study(_add(commands, "verify", "files", "compute every suggestion of a study once more, and compare"))


def _add_dashboard(commands: Commands) -> None:
    command = _add(commands, "dashboard", "look", "show studies in a browser, live while they run; changes nothing")
    command.add_argument("path", type=Path, help="the file of some studies, or a folder with such files")
    command.add_argument("--host", default="127.0.0.1", help="the address to listen at; any other asks for a token")
    command.add_argument("--port", type=_port, default=8765, metavar="N", help="8765; 0 for a free one")
    command.add_argument("--token-file", type=Path, metavar="FILE", help="ask for the token that stands there")
    command.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="answer to this name, too")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _add_report(commands: Commands) -> None:
    command = _add(commands, "report", "look", "write the page of a study to one file that needs nothing else")
    _add_study(command)
    command.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="a .html")


def _add_demo(commands: Commands) -> None:
    command = _add(commands, "demo", "demo", "minimise a function hidden in a billion dimensions")
    command.add_argument("--n-trials", type=_positive, default=100, metavar="N")
    command.add_argument("--quiet", action="store_true", help="only the result")


def _add_study(command: ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="the file of the study")
    command.add_argument("--name", help="of the study, if there are several in the file")


def _positive(text: str) -> int:
    return _at_least(text, 1)


def _two_or_more(text: str) -> int:
    return _at_least(text, 2)


def _whole(text: str) -> int:
    return _at_least(text, 0)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0.0 < share <= 1.0:
        raise ArgumentTypeError(f"{text!r} must be a share of the gain, above 0 and not above 1")
    return share


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise ArgumentTypeError(f"{text!r} must be a port, a whole number from 0 to {_LAST_PORT}; 0 takes a free one")
    return int(text)


def _at_least(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise ArgumentTypeError(f"{text!r} must be a whole number of at least {least}")
    return int(text)


_COMMANDS = (
    _add_new,
    _add_tune,
    _add_resume,
    _add_show,
    _add_ablate,
    _add_dashboard,
    _add_report,
    _add_export,
    _add_import,
    _add_verify,
    _add_backup,
    _add_demo,
)
