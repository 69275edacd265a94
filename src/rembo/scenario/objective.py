"""What a run is worth: a number read from what the program wrote, its exit code, or its run time."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Protocol

from rembo.border import is_finite
from rembo.scenario.document import Table
from rembo.scenario.numerals import real
from rembo.scenario.process import Ending
from rembo.study.failure import EvaluationError
from rembo.study.trial import Reason

SOURCES = ("stdout", "stderr", "output_file")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[ed][-+]?\d+)?|(?:nan|inf(?:inity)?)\b)", re.IGNORECASE)
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

    def value(self, ending: Ending) -> float:
        """The last number in the output."""
        text = ending.outputs[self.source]
        numbers = _NUMBER.findall(text)
        return _finite(numbers[-1] if numbers else None, f"no number on {self.source}", text)


@dataclass(frozen=True)
class Pattern:
    """What the group of a regular expression matches, at the last place where it does; ^ and $ are those of a line."""

    pattern: str
    source: str = "stdout"

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
        numbers = re.findall(self.pattern, text, re.MULTILINE)
        return _finite(numbers[-1] if numbers else None, f"{self.pattern!r} gives no number on {self.source}", text)


@dataclass(frozen=True)
class JsonField:
    """A field of an output that is JSON, or whose last line is: `result.cost`, `runs.0.cost`."""

    field: str
    source: str = "stdout"

    def value(self, ending: Ending) -> float:
        """The number in the field."""
        text = ending.outputs[self.source]
        trouble = f"no number in the field {self.field!r} of the JSON on {self.source}"
        return _finite(_field(_json(text), self.field.split(".")), trouble, text)


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


def quoted_end(text: str) -> str:
    """The end of an output, as it is quoted in errors: at most ten lines."""
    return "\n".join(text.rstrip().splitlines()[-10:])[-_QUOTED:] or "(nothing)"


def _read_table(table: Table) -> Objective:
    table.refuse_unknown(["pattern", "json", "from"])
    source = table.choose("from", SOURCES)
    pattern, field = table.find("pattern", str), table.find("json", str)
    with table.at(*(["pattern"] if pattern is not None else [])):
        if pattern is not None and field is not None:
            raise ValueError("objective has a pattern and a json field: keep one of them")
        if pattern is not None:
            return Pattern(pattern, source)
        return LastNumber(source) if field is None else JsonField(field, source)


def _finite(found: Any, trouble: str, text: str) -> float:
    """What was found, as a finite number, or an EvaluationError that quotes the end of the output."""
    try:
        number = real(found) if isinstance(found, str) else found
    except ValueError:
        number = math.nan
    if not is_finite(number) or isinstance(number, bool):
        but = "" if found is None else f" but {found!r}"
        raise EvaluationError(Reason.NO_NUMBER, f"{trouble}{but}; the output ends in:\n{quoted_end(text)}")
    return float(number)


def _json(text: str) -> Any:
    """The JSON that a text is, or else its last line; None if neither is."""
    for candidate in (text, *text.rstrip().splitlines()[-1:]):
        try:
            return json.loads(candidate)
        except ValueError:
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
