"""A TOML file whose tables know their lines, so that every mistake is told with the place where it stands.

tomllib keeps no lines. The line of a key is found when it is needed: the shortest beginning of the file that is TOML
and has the key ends with that key's value.
"""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rembo.scenario.error import ScenarioError, suggestion

_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True)
class Table:
    """A table of a TOML file: its values by key, checked for their kind."""

    file: Path
    text: str
    path: tuple[str, ...]
    content: Mapping[str, Any]

    @staticmethod
    def read(file: Path) -> "Table":
        """The whole file as a table, or a ScenarioError with the line where it is not TOML."""
        try:
            text = file.read_text(encoding="utf-8")
            return Table(file, text, (), tomllib.loads(text))
        except OSError as error:
            raise ScenarioError(file, None, f"cannot be read ({error.strerror}): correct the file's name") from None
        except UnicodeDecodeError:
            raise ScenarioError(file, None, "is not a text in UTF-8: save it as one") from None
        except RecursionError:
            raise ScenarioError(
                file, None, "has lists or tables that are nested too deeply: use fewer levels"
            ) from None
        except tomllib.TOMLDecodeError as error:
            raise ScenarioError(file, _line_of_syntax_error(text, str(error)), f"not TOML: {error}") from None

    @contextmanager
    def at(self, *keys: str) -> Iterator[None]:
        """Whatever is found wrong inside is told with the line of a key of this table, looked up only then."""
        try:
            yield
        except (ValueError, TypeError) as error:
            raise ScenarioError(self.file, line_of(self.text, (*self.path, *keys)), str(error)) from None

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """A ScenarioError at the first key that is none of the known ones."""
        known = list(known)
        for key in self.content:
            if key not in known:
                with self.at(key):
                    raise ValueError(f"unknown key {key!r}: {suggestion(key, known)}")

    def find(self, key: str, *kinds: type, default: Any = None) -> Any:
        """The value of a key, the default if it is not there; a ScenarioError if it is of another kind."""
        if key not in self.content:
            return default
        value = self.content[key]
        if isinstance(value, int) and not isinstance(value, bool) and float in kinds and int not in kinds:
            return float(value)
        if type(value) not in kinds:
            with self.at(key):
                wanted = " or ".join(_KINDS[kind] for kind in kinds)
                raise TypeError(f"{key} must be {wanted}, not {value!r}")
        return value

    def need(self, key: str, *kinds: type) -> Any:
        """The value of a key that must be there."""
        if key not in self.content:
            with self.at():
                of = f" of {'.'.join(self.path)}" if self.path else ""
                raise ValueError(f"missing key {key!r}{of}: add {key} = ..., {' or '.join(_KINDS[k] for k in kinds)}")
        return self.find(key, *kinds)

    def choose(self, key: str, choices: Iterable[str]) -> str:
        """The value of a key that is one of a few words, the first of them if it is not there."""
        words = list(choices)
        word = self.find(key, str, default=words[0])
        if word not in words:
            with self.at(key):
                raise ValueError(f"{key} must be one of {', '.join(map(repr, words))}, not {word!r}")
        return str(word)

    def table(self, key: str) -> "Table":
        """A table inside this one, an empty one if it is not there."""
        return Table(self.file, self.text, (*self.path, key), self.find(key, dict, default={}))


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """The line where the value of a key begins, or that of the innermost table around it that is there.

    >>> line_of("n_trials = 3\\n[objective]\\njson = 'cost'", ("objective", "json"))
    3
    """
    lines = text.splitlines(keepends=True)
    while path and not _has(tomllib.loads(text), path):
        path = path[:-1]
    if not path:
        return None
    last = bisect_left(range(len(lines)), True, key=lambda number: _has(_beginning(lines, number)[1], path))
    return _beginning(lines, last - 1)[0] + 1


def _beginning(lines: list[str], number: int) -> tuple[int, dict[str, Any]]:
    """The longest beginning of at most so many lines that is TOML, and what it says."""
    for count in range(number, 0, -1):
        try:
            return count, tomllib.loads("".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue  # it ends inside a value of several lines
    return 0, {}


def _has(content: Any, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True


def _line_of_syntax_error(text: str, message: str) -> int:
    found = re.search(r"at line (\d+)", message)
    return int(found[1]) if found else max(1, len(text.splitlines()))
