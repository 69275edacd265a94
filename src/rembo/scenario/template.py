"""Texts with fields: `{eps}` a value, `{eps:.3e}` a value in a format, `{flag:presolve}` arguments or none.

A text is parsed once, when the scenario is read; a field becomes text only after the text was cut into arguments, so
that no value can become two of them. Braces that stand for themselves are doubled.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rembo.border import is_finite
from rembo.embedding import Point

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_QUOTING = re.compile(  # what a shell has closed, or else what it has opened; "$( and "` open further quotes inside
    r"""\\.|(?<![^\s;|&()])\#[^\n]*|\$'(?:\\.|[^'\\])*'|'[^']*'|"(?:\\.|[^"\\$`]|\$(?!\())*"|`(?:\\.|[^`\\])*`
    |(?P<open>['"`]|<<|[\\$]\Z)""",
    re.DOTALL | re.VERBOSE,
)
_EVALUATED = re.compile(  # where a shell runs what a value says: unclosed arithmetic and tests, and some commands
    r"\(\((?!.*\)\))|\[\[(?!.*\]\])|\[\Z|(?:^|[\s;|&(])(?:eval|let|trap|declare|typeset|unset)\s[^;|&\n]*\Z", re.DOTALL
)
_PIPE = re.compile(r"(?<![|>])\|(?!\|)")  # neither || nor >|
_BEFORE, _AFTER = re.compile(r"(?:^|[\s(;|&])\Z"), re.compile(r"$|[\s);|&<>]")  # what ends a word of a shell
Context = Mapping[str, Any]


@dataclass(frozen=True)
class Value:
    """A field that stands for one value, as text: `{eps}`, `{eps:.3e}`, `{instance}`, `{file:weights}`."""

    name: str
    format: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The one name that it needs a value of."""
        return (self.name,)

    def texts(self, context: Context) -> tuple[str, ...]:
        """The value as one text."""
        return (text_of(context[self.name], self.format),)


@dataclass(frozen=True)
class Flag:
    """A field that stands for as many arguments as a value's text has: `{flag:presolve}` is `--presolve` or nothing."""

    name: str
    arguments: tuple[tuple[str, tuple[str, ...]], ...]  # by the text of the value

    @property
    def names(self) -> tuple[str, ...]:
        """The one name that it needs a value of."""
        return (self.name,)

    def texts(self, context: Context) -> tuple[str, ...]:
        """The arguments that the value stands for; none where the parameter is inactive."""
        return dict(self.arguments)[text_of(context[self.name])] if self.name in context else ()


@dataclass(frozen=True)
class Options:
    """The field `{parameters}`: all options, each by its words; an option that is inactive is left out."""

    options: tuple[tuple["Text", ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all options."""
        return tuple(name for words in self.options for word in words for name in word.names)

    def texts(self, context: Context) -> tuple[str, ...]:
        """The arguments of all options that have a value."""
        passed = (words for words in self.options if all(word.is_known(context) for word in words))
        return tuple(argument for words in passed for word in words for argument in word.arguments(context))


Field: TypeAlias = Value | Flag | Options
_SEVERAL = (Flag, Options)  # fields that stand for any number of arguments


@dataclass(frozen=True)
class Text:
    """A text with fields."""

    pieces: tuple[str | Field, ...]

    @property
    def fields(self) -> Iterator[Field]:
        """The fields in order."""
        return (piece for piece in self.pieces if not isinstance(piece, str))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all fields."""
        return tuple(name for field in self.fields for name in field.names)

    def is_known(self, context: Context) -> bool:
        """Whether there is a value for each field that stands for one: none of these parameters is inactive."""
        return all(field.name in context for field in self.fields if isinstance(field, Value))

    def filled(self, context: Context, quote: Callable[[str], str] = str) -> str:
        """The text with its fields filled in, each of their texts quoted."""
        return "".join(
            piece if isinstance(piece, str) else " ".join(map(quote, piece.texts(context))) for piece in self.pieces
        )

    def arguments(self, context: Context) -> tuple[str, ...]:
        """What the text is as arguments: one, but for fields that are several; none where a parameter is inactive."""
        if not self.is_known(context):
            return ()
        if len(self.pieces) == 1 and isinstance(self.pieces[0], _SEVERAL):
            return self.pieces[0].texts(context)
        return (self.filled(context),)


def parse_text(text: str, field: Callable[[str], Field]) -> Text:
    """A text with fields, each made by `field` from what stands between its braces.

    >>> parse_text("{{{eps:.1f}}}", lambda name: Value(*name.split(":"))).filled({"eps": 0.25})
    '{0.2}'
    """
    pieces: list[str | Field] = []
    end = 0
    for found in _PIECE.finditer(text):
        if found[0] in ("{", "}"):
            raise ValueError(f"brace without its other half in {text.strip()!r}: double a brace that stands for itself")
        pieces.append(text[end : found.start()])
        pieces.append(found[0][0] if found[1] is None else field(found[1]))
        end = found.end()
    return Text(tuple(piece for piece in (*pieces, text[end:]) if piece != ""))


def parse_word(word: str, field: Callable[[str], Field]) -> Text:
    """One word of a command; a field that can be several arguments or none must be a word of its own."""
    text = parse_text(word, field)
    for each in text.fields:
        if len(text.pieces) > 1:
            _check_single(each, word)
    return text


def cut(text: str) -> list[str]:
    """A text cut into words by the rules of a shell, or a ValueError where a quote is not closed."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error} in {text!r}: close what was opened") from None


def parse_shell(text: str, field: Callable[[str], Field]) -> Text:
    """A command for a shell, with fields only where a quoted variable is taken as it is."""
    parsed = parse_text(text, field)
    for found in _PIECE.finditer(text):
        if found[1] is not None and _is_quoted(text[: found.start()]):
            raise ValueError(
                f"field {found[0]} stands inside quotes, or after a $, a backslash or <<: "
                "values are quoted already, move it out"
            )
        if found[1] is not None and _EVALUATED.search(_QUOTING.sub("", text[: found.start()])):
            raise ValueError(
                f"field {found[0]} stands where the shell would run what the value says, in (( )), [[ ]], [ ], "
                "or after eval and the like: let a program compute with it"
            )
        if found[1] is not None and not _is_word(text, found):
            _check_single(field(found[1]), text)
    return parsed


def has_pipe(command: str) -> bool:
    """Whether a command for a shell has a pipe outside of quotes.

    >>> has_pipe("a | tail -1"), has_pipe("a || b"), has_pipe("echo '|'")
    (True, False, False)
    """
    return _PIPE.search(_QUOTING.sub("", command)) is not None


def text_of(value: Any, format: str = "") -> str:  # noqa: A002  # Python's own word
    """A value as a program reads it: floats to the last bit, `true` or `false`, arrays with commas.

    >>> text_of(0.1), text_of(True), text_of([1.0, 0.5]), text_of(0.25, ".0e")
    ('0.1', 'true', '1.0,0.5', '2e-01')
    """
    if isinstance(value, (list, tuple, np.ndarray, Point)):
        return ",".join(text_of(float(number), format) for number in value)
    if format:
        return f"{value:{format}}"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return repr(float(value)) if is_finite(value) and not _is_whole(value) else str(value)


def names_of(texts: Iterable[Text]) -> set[str]:
    """The names of all fields."""
    return {name for text in texts for name in text.names}


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer))


def _is_word(text: str, found: "re.Match[str]") -> bool:
    """Whether a field of a command for a shell is a word of its own."""
    return bool(_BEFORE.search(text[: found.start()]) and _AFTER.match(text, found.end()))


def _check_single(field: Field, word: str) -> None:
    """A ValueError if a field that is only a part of a word can be several arguments or none."""
    if isinstance(field, _SEVERAL):
        name = "a flag" if isinstance(field, Flag) else "{parameters}"
        raise ValueError(f"{name} must be a word of its own, not a part of {word!r}: put spaces around it")


def _is_quoted(before: str) -> bool:
    """Whether a shell that has read so far would not take a quoted variable as it is."""
    return any(found["open"] for found in _QUOTING.finditer(before))
