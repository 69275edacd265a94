"""What is wrong with a scenario, where it stands, and what to do about it.

Parts of a scenario check themselves with a ValueError or a TypeError, as everywhere in the library; `located` adds the
file and the line, which only the reader of a file knows.
"""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class ScenarioError(Exception):
    """A mistake in a scenario or in a file that it names: `scenario.toml:12: unknown key ...`; picklable."""

    def __init__(self, file: Path | str, line: int | None, text: str) -> None:
        super().__init__(str(file), line, text)
        self.file = str(file)
        self.line = line
        self.text = text

    def __str__(self) -> str:
        return f"{self.file}: {self.text}" if self.line is None else f"{self.file}:{self.line}: {self.text}"


@contextmanager
def located(file: Path | str, line: int | None) -> Iterator[None]:
    """Whatever is found wrong inside is told with this place."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ScenarioError(file, line, str(error)) from None


def suggestion(name: str, known: Iterable[str]) -> str:
    """The known name nearest to one that is not, as the end of a sentence; all of them if none is near.

    >>> suggestion("n_trial", ["n_trials", "seed"])
    "did you mean 'n_trials'?"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names) or 'none'}"


def read_text(file: Path, asked_by: str) -> str:
    """The text of a file that a scenario names, or a ValueError that says which key names it."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{asked_by} {str(file)!r} cannot be read ({error.strerror}): correct the name") from None
    except UnicodeDecodeError:
        raise ValueError(f"{asked_by} {str(file)!r} is not a text in UTF-8: save it as one") from None
