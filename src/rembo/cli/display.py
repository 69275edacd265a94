"""Which display shows a search while it runs, and that it also notes what the library logs."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from rembo.cli.watch import Display, JsonLines, Lines, Silent


@contextmanager
def display_for(title: str, of: int, as_json: bool, quiet: bool) -> Iterator[Display]:
    """The display that suits: JSON or none if asked for, live on a terminal with rich, else plain lines."""
    with _display(title, of, as_json, quiet) as display, _notes_to(display):
        yield display


@contextmanager
def _display(title: str, of: int, as_json: bool, quiet: bool) -> Iterator[Display]:
    if as_json or quiet:
        yield JsonLines() if as_json else Silent()
    elif sys.stderr.isatty() and find_spec("rich") is not None:
        from rembo.cli.live import live_display

        with live_display(title, of) as drawn:
            yield drawn
    else:
        yield Lines()


@contextmanager
def _notes_to(display: Display) -> Iterator[None]:
    """Let a display note what the library logs."""
    handler, log = _Notes(display), logging.getLogger("rembo")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _Notes(logging.Handler):
    def __init__(self, display: Display) -> None:
        super().__init__(logging.WARNING)
        self._display = display

    def emit(self, record: logging.LogRecord) -> None:
        self._display.note(record.getMessage())
