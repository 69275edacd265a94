"""How far a search is, for people: a progress bar, by tqdm where it is installed, on a terminal; and times in words."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Literal, Protocol

from rembo.extras import absent


class Bar(Protocol):
    """Something that can be told of one more trial."""

    def advance(self, best: float | None) -> None:
        """One trial is finished; `best` is the best value so far, if there is one."""


@contextmanager
def progress_bar(n_trials: int, progress: bool | Literal["auto"], done: int = 0) -> Iterator[Bar]:
    """A bar of n_trials steps, some of them done: shown if True, hidden if False, "auto" on a terminal."""
    if progress not in (True, False, "auto"):
        raise ValueError(f"progress must be True, False or 'auto', not {progress!r}")
    terminal = sys.stderr is not None and sys.stderr.isatty()  # a program without a console has no standard error
    shown = terminal and find_spec("tqdm") is not None if progress == "auto" else progress
    if not shown:
        yield _Silent()
        return
    try:
        from tqdm import tqdm
    except ModuleNotFoundError as missing:
        raise absent("the progress bar needs tqdm", "tqdm") from missing
    with tqdm(total=n_trials, initial=done, unit="trial", dynamic_ncols=True) as drawn:
        yield _Drawn(drawn)


class _Silent:
    def advance(self, best: float | None) -> None:
        """Draws nothing."""


class _Drawn:
    def __init__(self, bar: "tqdm") -> None:  # type: ignore[name-defined]  # noqa: F821
        self._bar = bar

    def advance(self, best: float | None) -> None:
        if best is not None:
            self._bar.set_postfix_str(f"best {best:.6g}", refresh=False)
        self._bar.update()


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(0.0123), duration(75.0), duration(7300.0)
    ('12 ms', '75 s', '2.0 h')
    """
    if seconds < 1.0:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 120.0:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200.0 else f"{seconds / 3600:.1f} h"
