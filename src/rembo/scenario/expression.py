"""Conditions as texts: `solver == "sgd" and layers > 2`, in rembo's scenarios and in the files of irace and SMAC.

One grammar for all of them. `and`, `&` and `&&` are the same, and so are `or`, `|` and `||`, and `not` and `!`; `in`
and irace's `%in%` take `["a", "b"]`, `c("a", "b")` or `{a, b}`. A word without quotes is a parameter on the left of a
comparison; on the right it is a value, or another parameter where numbers are compared.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any, TypeAlias

from rembo.scenario.error import suggestion
from rembo.scenario.numerals import real
from rembo.scenario.template import text_of
from rembo.space import Categorical, Condition, Greater, Integer, Is, Less, Ordinal, Parameter, Scalar

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*"|'[^']*')|(?P<sign>%in%|&&|\|\||==|!=|<=|>=|[&|!<>=()\[\]{},])"""
    r"""|(?P<word>[^\s&|!<>=()\[\]{},"'%]+))"""
)
_AND, _OR, _NOT, _IN = ("&", "&&", "and"), ("|", "||", "or"), ("!", "not"), ("in", "%in%")
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!=", "=": "="}
_CLOSING = {"(": ")", "[": "]", "{": "}"}

Ruling: TypeAlias = Condition | bool
"""A condition, or what it always is where it is about constants alone."""


@dataclass(frozen=True)
class Known:
    """What conditions may be about: parameters, and the values of those that never change."""

    parameters: Mapping[str, Parameter]
    constants: Mapping[str, Any]

    def condition(self, text: str) -> Ruling:
        """What a text says, or a ValueError."""
        return _Reader(text, self).all()

    def equal(self, name: str, values: Sequence[str]) -> Ruling:
        """That a parameter has one of these values, which are given as texts."""
        if name in self.constants:
            return text_of(self.constants[name]) in values
        parameter = self._parameter(name)
        if not parameter.levels:
            numbers = [real(value) for value in values]
            return either([~Less(name, number) & ~Greater(name, number) for number in numbers])
        return Is(name, *(_value(name, parameter, text) for text in values))

    def compared(self, name: str, sign: str, other: str) -> Ruling:
        """That a number lies below another one, or above it; the other may be a parameter."""
        if name in self.constants:
            return self._constant_compared(name, sign, other)
        parameter = self._parameter(name)
        if isinstance(parameter, Ordinal) and not parameter.numeric:
            return self._ordinal_compared(name, parameter, sign, other)
        than: float | str = other if other in self.parameters else self._number(other)
        match sign:
            case "<":
                return Less(name, than)
            case ">":
                return Greater(name, than)
            case "<=":
                return ~Greater(name, than)
        return ~Less(name, than)

    def _constant_compared(self, name: str, sign: str, other: str) -> Ruling:
        number = real(str(self.constants[name]))
        if other in self.parameters:
            return self.compared(other, _FLIPPED[sign], text_of(number))
        than = self._number(other)
        return {"<": number < than, ">": number > than, "<=": number <= than, ">=": number >= than}[sign]

    def _ordinal_compared(self, name: str, parameter: Ordinal, sign: str, other: str) -> Ruling:
        """That a word stands before another one, or behind it."""
        place = parameter.values.index(_value(name, parameter, other))
        kept = {"<": slice(place), "<=": slice(place + 1), ">": slice(place + 1, None), ">=": slice(place, None)}[sign]
        return Is(name, *parameter.values[kept]) if parameter.values[kept] else False

    def _number(self, text: str) -> float:
        return real(str(self.constants.get(text, text)))

    def _parameter(self, name: str) -> Scalar:
        parameter = self.parameters.get(name)
        if parameter is None:
            known = [*self.parameters, *self.constants]
            raise ValueError(f"a condition names {name!r}, which is no parameter: {suggestion(name, known)}")
        if not isinstance(parameter, Scalar):
            raise ValueError(f"a condition names {name!r}, an array: conditions compare single values")
        return parameter


def either(conditions: Sequence[Ruling]) -> Ruling:
    """One of several, or more."""
    if any(each is True for each in conditions):
        return True
    left = [each for each in conditions if isinstance(each, Condition)]
    return reduce(or_, left) if left else False


def both(conditions: Sequence[Ruling]) -> Ruling:
    """All of several."""
    if any(each is False for each in conditions):
        return False
    left = [each for each in conditions if isinstance(each, Condition)]
    return reduce(and_, left) if left else True


def invert(condition: Ruling) -> Ruling:
    """Not this one."""
    return not condition if isinstance(condition, bool) else ~condition


def _value(name: str, parameter: Scalar, text: str) -> Any:
    """The value that a text stands for, as the program is told it."""
    if not isinstance(parameter, Integer):
        values = _listed(parameter)
        found = [value for value in values if text in (text_of(value), str(value))]
        if not found:
            raise ValueError(f"{name!r} is never {text!r}: {suggestion(text, [text_of(value) for value in values])}")
        return found[0]
    number = real(text)
    if not number.is_integer():
        raise ValueError(f"{name!r} is never {text!r}: its values are whole numbers")
    return int(number)


def _listed(parameter: Scalar) -> Sequence[Any]:
    match parameter:
        case Categorical(values) | Ordinal(values):
            return values
    return (False, True)


@dataclass(frozen=True)
class _Word:
    """A piece of a text; quoted ones are values."""

    text: str
    quoted: bool = False


class _Reader:
    """Reads a condition from left to right."""

    def __init__(self, text: str, known: Known) -> None:
        self._text, self._known = text, known
        self._left = list(_words(text))

    def all(self) -> Ruling:
        """The whole text."""
        found = self._any()
        if self._left:
            raise self._unlike(f"{self._left[0].text!r} is not expected")
        return found

    def _any(self) -> Ruling:
        return either(self._separated(self._both, _OR))

    def _both(self) -> Ruling:
        return both(self._separated(self._one, _AND))

    def _separated(self, part: Callable[[], Ruling], signs: tuple[str, ...]) -> list[Ruling]:
        found = [part()]
        while self._takes(*signs):
            found.append(part())
        return found

    def _one(self) -> Ruling:
        if self._takes(*_NOT):
            return invert(self._one())
        if self._takes("("):
            found = self._any()
            self._need(")")
            return found
        return self._comparison()

    def _comparison(self) -> Ruling:
        left = self._next()
        sign = self._next().text
        if sign in _IN:
            return self._known.equal(left.text, self._list())
        if sign not in _FLIPPED:
            raise self._unlike(f"{sign!r} is no comparison")
        right = self._next()
        if left.quoted or (left.text not in self._names and right.text in self._names):
            left, sign, right = right, _FLIPPED[sign], left
        if sign in ("==", "=", "!="):
            equal = self._known.equal(left.text, [right.text])
            return invert(equal) if sign == "!=" else equal
        return self._known.compared(left.text, sign, right.text)

    def _list(self) -> list[str]:
        self._takes("c")
        opening = self._next().text
        if opening not in _CLOSING:
            raise self._unlike(f"a list is expected, not {opening!r}")
        found = []
        while not self._takes(_CLOSING[opening]):
            found.append(self._next().text)
            self._takes(",")
        return found

    @property
    def _names(self) -> set[str]:
        return {*self._known.parameters, *self._known.constants}

    def _takes(self, *texts: str) -> bool:
        """Whether one of these comes next; if so, go past it."""
        if self._left and not self._left[0].quoted and self._left[0].text in texts:
            del self._left[0]
            return True
        return False

    def _need(self, text: str) -> None:
        if not self._takes(text):
            raise self._unlike(f"{text!r} is missing")

    def _next(self) -> _Word:
        if not self._left:
            raise self._unlike("it ends too early")
        return self._left.pop(0)

    def _unlike(self, why: str) -> ValueError:
        return ValueError(
            f'not a condition: {self._text.strip()!r}, {why}; write e.g. solver == "sgd" and layers > 2, without sums'
        )


def _words(text: str) -> Iterator[_Word]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"not a condition: {text.strip()!r}, near {text[at:].strip()[:10]!r}")
        quoted = found["text"]
        yield _Word(quoted[1:-1], True) if quoted is not None else _Word(found["sign"] or found["word"])
        at = found.end()
