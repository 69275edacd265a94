"""The live display of a search on a terminal, by rich: the one place where it is loaded."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rembo.cli.watch import Progress
from rembo.legible import legible
from rembo.progress import duration
from rembo.study import StudyTrial

_PER_SECOND = 4


@contextmanager
def live_display(title: str, of: int) -> Iterator["LiveDisplay"]:
    """A display of two lines that stays at the bottom of the terminal while notes pass above it."""
    console = Console(stderr=True)
    display = LiveDisplay(console, title, Progress(0, of))
    with Live(
        console=console,
        get_renderable=display.lines,
        refresh_per_second=_PER_SECOND,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield display


class LiveDisplay:
    """A bar, and under it the best value, the time an evaluation takes, the share of suggesting, and what is left."""

    def __init__(self, console: Console, title: str, progress: Progress) -> None:
        self._console, self._title = console, title
        self._progress, self._at = progress, time.monotonic()

    def show(self, progress: Progress, trial: StudyTrial) -> None:
        """Draw it from now on."""
        self._progress, self._at = progress, time.monotonic()

    def note(self, text: str) -> None:
        """A line above the bar."""
        self._console.print(Text(legible(text), style="yellow"))

    def lines(self) -> RenderableType:
        """What is drawn now; the time that is left runs on between trials."""
        passed = time.monotonic() - self._at
        now = replace(self._progress, seconds_left=max(0.0, self._progress.seconds_left - passed))
        return Group(self._bar(now), _facts(now))

    def _bar(self, now: Progress) -> Table:
        line = Table.grid(padding=(0, 2))
        failed = Text(f"{now.failed} failed", style="red") if now.failed else Text("")
        bar = ProgressBar(total=now.of, completed=now.done, width=40)
        line.add_row(Text(self._title, style="bold"), bar, Text(f"{now.done}/{now.of} trials"), failed)
        return line


def _facts(now: Progress) -> Text:
    if now.evaluation_seconds is None:
        return Text("the first evaluations are running", style="dim")
    best = "no value yet" if now.best is None else f"best {now.best:.6g}"
    each = f"{duration(now.evaluation_seconds)} per evaluation"
    parts = (best, each, f"{now.suggesting:.0%} of the time suggesting", f"{duration(now.seconds_left)} left")
    return Text("   ".join(parts))
