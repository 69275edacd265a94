"""irace's parameter files: a line is a name, a switch in quotes, a type (c, i, r, o; with `,log`), and a domain.

Conditions, forbidden combinations and bounds that depend on other parameters are refused with their line. Ordinal
parameters become choices; `digits` is read over, for values are passed to the last bit.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from rembo.scenario.error import located
from rembo.scenario.numerals import real, whole
from rembo.scenario.option import Option
from rembo.space import Categorical, Float, Integer

_TEXT = r""""[^"]*"|'[^']*'"""
_LINE = re.compile(
    rf"""(?P<name>[^\s"'()|]+)\s+(?P<switch>{_TEXT})\s+(?P<kind>[ciro])(?P<log>,log)?\s*"""
    rf"""\((?P<domain>(?:{_TEXT}|[^"'()])*)\)\s*(?P<condition>\|.*)?"""
)
_VALUE = re.compile(rf"""\s*(?P<value>{_TEXT}|[^,"']*)\s*(?:,|$)""")
_CODE = re.compile(rf"""(?:{_TEXT}|[^#"'])*""")  # what stands before a comment


def read_irace(file: Path, text: str) -> list[Option]:
    """The options of a parameter file of irace, or a ScenarioError with the line that is not understood."""
    options = []
    section = "parameters"
    for number, code in _lines(text):
        with located(file, number):
            if code in ("[forbidden]", "[global]"):
                section = code
            elif section == "parameters":
                options.append(_option(code))
            else:
                _check_line_of(section, code)
    return options


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        found = _CODE.match(line)
        code = found[0].strip() if found else ""
        if code:
            yield number, code


def _check_line_of(section: str, code: str) -> None:
    if section == "[forbidden]":
        raise ValueError(
            f"forbidden combinations are not known here, {code!r}: remove it, and let the program fail there"
        )
    if not re.fullmatch(r"digits\s*=\s*\d+", code):
        raise ValueError(f"only digits = ... is known in [global], not {code!r}: remove it")


def _option(code: str) -> Option:
    found = _LINE.fullmatch(code)
    if found is None:
        raise ValueError(f'not a parameter of irace: {code!r}; write: name "--switch " i,log (1, 100)')
    name = found["name"]
    if found["condition"]:
        raise ValueError(
            f"conditions are not known here, {found['condition']!r}: remove it, "
            f"if the program ignores {name!r} where it does not apply"
        )
    values = [value["value"].strip().strip("\"'") for value in _VALUE.finditer(found["domain"])][:-1]
    switch = found["switch"][1:-1]
    if found["kind"] in "co" and len(values) == 1:
        return Option(name, None, values[0], switch)
    return Option(name, _parameter(name, found["kind"], values, found["log"] is not None), switch=switch)


def _parameter(name: str, kind: str, values: list[str], log: bool) -> Categorical | Float | Integer:
    if kind in "co":
        return Categorical(values)
    if len(values) != 2:
        raise ValueError(f"the domain of {name!r} must be (lowest, highest), not ({', '.join(values)})")
    low, high = values
    return Integer(whole(low), whole(high), log) if kind == "i" else Float(real(low), real(high), log)
