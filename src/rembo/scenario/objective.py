"""What a run is worth: a number read from what the program wrote, its exit code, or its run time."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from rembo.border import is_finite
from rembo.scenario.document import Table
from rembo.scenario.numerals import PLAIN, SEPARATORS, Notation
from rembo.scenario.process import Ending
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason

SOURCES = ("stdout", "stderr", "output_file")
_QUOTED = 500  # characters of an output in an error


class Objective(Protocol):
    """The value of a run that ended well."""

    @property
    def source(self) -> str | None:
        """Which output it is read from."""

    def value(self, ending: Ending) -> float:
        """A finite number, or an EvaluationError for the reason NO_NUMBER."""


@dataclass(frozen=True)
class LastNumber:
    """The last number in an output; a final `nan` is no number."""

    source: str = "stdout"
    notation: Notation = PLAIN

    def value(self, ending: Ending) -> float:
        """The last number in the output."""
        text = ending.outputs[self.source]
        trouble = f"no number on {self.source}"
        found = self.notation.last(text)
        if found is not None:
            _check(lambda: self.notation.check(text, *found.span()), trouble, text)
        return _finite(found and found[0], self.notation, trouble, text)


@dataclass(frozen=True)
class Pattern:
    """What the group of a regular expression matches, at the last place where it does; ^ and $ are those of a line."""

    pattern: str
    source: str = "stdout"
    notation: Notation = PLAIN

    def __post_init__(self) -> None:
        try:
            groups = re.compile(self.pattern).groups
        except re.error as error:
            raise ValueError(f"{self.pattern!r} is not a regular expression ({error}): correct it") from None
        if groups != 1:
            raise ValueError(f"{self.pattern!r} has {groups} groups and must have 1: put () around the number alone")

    def value(self, ending: Ending) -> float:
        """The number in the group."""
        text = ending.outputs[self.source]
        trouble = f"{self.pattern!r} gives no number on {self.source}"
        *_, found = (None, *re.finditer(self.pattern, text, re.MULTILINE))
        if found is not None:
            _check(lambda: self.notation.check(text, *found.span(1), self._beside), trouble, text)
        return _finite(found and found[1], self.notation, trouble, text)

    @property
    def _beside(self) -> str:
        """The separators that stand before or after the group: whoever writes them there knows of them."""
        return "".join(each for each in SEPARATORS if f"{each}(" in self.pattern or f"){each}" in self.pattern)


@dataclass(frozen=True)
class JsonField:
    """A field of an output that is JSON, or whose last line is: `result.cost`, `runs.0.cost`."""

    field: str
    source: str = "stdout"
    notation: Notation = PLAIN

    def value(self, ending: Ending) -> float:
        """The number in the field."""
        text = ending.outputs[self.source]
        trouble = f"no number in the field {self.field!r} of the JSON on {self.source}"
        found = _field(_json(text), self.field.split("."))
        if isinstance(found, str):
            _check(lambda: self.notation.check(found, 0, len(found)), trouble, text)
        return _finite(found, self.notation, trouble, text)


@dataclass(frozen=True)
class ExitCode:
    """The program's exit code."""

    @property
    def source(self) -> None:
        """It is read from no output."""

    def value(self, ending: Ending) -> float:
        """The exit code."""
        return float(ending.code)


@dataclass(frozen=True)
class RunTime:
    """Seconds of wall-clock time from the start of the program to its end."""

    @property
    def source(self) -> None:
        """It is read from no output."""

    def value(self, ending: Ending) -> float:
        """The seconds."""
        return ending.seconds


WORDS: dict[str, Objective] = {"last_number": LastNumber(), "exit_code": ExitCode(), "run_time": RunTime()}


def read_objective(table: Table) -> Objective:
    """The objective of a scenario: a word, or a table with a pattern or a JSON field, and where to read it."""
    if isinstance(table.find("objective", str, dict), dict):
        return _read_table(table.table("objective"))
    return WORDS[table.choose("objective", WORDS)]


def with_end(sentence: str, name: str, output: str) -> str:
    """A sentence of an error with the end of an output, at most ten lines.

    >>> with_end("no number", "stdout", "")
    'no number; stdout is empty'
    """
    end = "\n".join(output.rstrip().splitlines()[-10:])[-_QUOTED:]
    return f"{sentence}; {name} ends in:\n{end}" if end else f"{sentence}; {name} is empty"


def _read_table(table: Table) -> Objective:
    table.refuse_unknown(["pattern", "json", "from", "thousands"])
    source = table.choose("from", SOURCES)
    with table.at("thousands"):
        notation = Notation(table.find("thousands", str, default=""))
    pattern, field = table.find("pattern", str), table.find("json", str)
    with table.at(*(["pattern"] if pattern is not None else [])):
        if pattern is not None and field is not None:
            raise ValueError("objective has a pattern and a json field: keep one of them")
        if pattern is not None:
            return Pattern(pattern, source, notation)
        return LastNumber(source, notation) if field is None else JsonField(field, source, notation)


def _check(check: Callable[[], None], trouble: str, text: str) -> None:
    """What a check says against a number, as an EvaluationError."""
    try:
        check()
    except ValueError as error:
        raise _no_number(f"{trouble}: {error}", text) from None


def _finite(found: Any, notation: Notation, trouble: str, text: str) -> float:
    """What was found, as a finite number, or an EvaluationError that quotes the end of the output."""
    try:
        number = notation.value(found) if isinstance(found, str) else found
    except ValueError:
        number = math.nan
    if not is_finite(number) or isinstance(number, bool):
        raise _no_number(trouble if found is None else f"{trouble} but {found!r}", text)
    return float(number)


def _no_number(trouble: str, text: str) -> EvaluationError:
    return EvaluationError(Reason.NO_NUMBER, with_end(trouble, "the output", text))


def _json(text: str) -> Any:
    """The JSON that a text is, or else its last line; None if neither is."""
    for candidate in (text, *text.rstrip().splitlines()[-1:]):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue  # the last line may be JSON where the whole is not
    return None


def _field(content: Any, path: list[str]) -> Any:
    """What stands at a path of keys and places in lists; None if there is no such thing."""
    for key in path:
        if isinstance(content, dict) and key in content:
            content = content[key]
        elif isinstance(content, list) and key.isdigit() and int(key) < len(content):
            content = content[int(key)]
        else:
            return None
    return content
