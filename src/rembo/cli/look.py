"""`rembo dashboard` and `rembo report`: a study to look at, in a browser or in a file."""

import os
from argparse import Namespace
from contextlib import suppress
from pathlib import Path

from rembo.cli.ending import ExitCode, UsageError
from rembo.cli.say import say
from rembo.study import open_storage
from rembo.study.opening import the_only
from rembo.study.sqlite import SQLite

TOKEN_VARIABLE = "REMBO_DASHBOARD_TOKEN"


def dashboard_command(given: Namespace) -> int:
    """Show studies until Ctrl-C, which is how this ends."""
    from rembo.dashboard.server.access import Access
    from rembo.dashboard.server.serve import bind, open_browser, server_of

    token = _token(given)
    bound = bind(given.host, given.port)
    say(f"rembo dashboard: {given.path} at {bound.url} (Ctrl-C ends it)")
    if not given.no_browser:
        open_browser(bound.url)
    with suppress(KeyboardInterrupt):
        server_of(given.path, Access.to(given.host, token, given.allow_host)).run(sockets=[bound.socket])
    return ExitCode.DONE


def report_command(given: Namespace) -> int:
    """Write a study's page to a file."""
    from rembo.dashboard.report import write_report

    storage = open_storage(given.file)
    assert isinstance(storage, SQLite)  # given.file is a path
    write_report(storage, the_only(storage, given.name, given.file), given.output)
    say(f"wrote {given.output} ({given.output.stat().st_size / 1e6:.1f} MB)")
    return ExitCode.DONE


def _token(given: Namespace) -> str | None:
    """The token that is given; a new one, printed once, where others could reach the server without; else none."""
    from rembo.dashboard.server.serve import check_token, is_loopback, new_token

    if given.token_file is not None:
        return check_token(_only_line(given.token_file))
    if TOKEN_VARIABLE in os.environ:
        return check_token(os.environ[TOKEN_VARIABLE])
    if is_loopback(given.host):
        return None
    token = new_token()
    say(f"the page asks for this token: {token}")
    return token


def _only_line(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").split()
    if len(lines) != 1:
        raise UsageError(f"{file} must hold one token and nothing else, not {len(lines)} words")
    return lines[0]
