"""irace's parameter files: a line is a name, a switch in quotes, a type (c, i, r, o; with `,log`), and a domain.

Conditions stand after a `|`, forbidden combinations below `[forbidden]`, both as expressions of R, of which comparisons
and their joining are understood. Bounds that depend on other parameters are refused with their line. `digits` is read
over, for values are passed to the last bit.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rembo.scenario.error import located
from rembo.scenario.numerals import real, whole
from rembo.scenario.option import Clause, Declared, Option, declared
from rembo.space import Categorical, Float, Integer, Ordinal

_TEXT = r""""[^"]*"|'[^']*'"""
_LINE = re.compile(
    rf"""(?P<name>[^\s"'()|]+)\s+(?P<switch>{_TEXT})\s+(?P<kind>[ciro])(?P<log>,log)?\s*"""
    rf"""\((?P<domain>(?:{_TEXT}|[^"'()])*)\)\s*(?P<condition>\|.*)?"""
)
_VALUE = re.compile(rf"""\s*(?P<value>{_TEXT}|[^,"']*)\s*(?:,|$)""")
_CODE = re.compile(rf"""(?:{_TEXT}|[^#"'])*""")  # what stands before a comment


def read_irace(file: Path, text: str) -> Declared:
    """The options of a parameter file of irace, or a ScenarioError with the line that is not understood."""
    options: list[Option] = []
    conditions: dict[str, list[Clause]] = {}
    forbidden: list[Clause] = []
    section = "parameters"
    for number, code in _lines(text):
        place = partial(located, file, number)
        with place():
            if code in ("[forbidden]", "[global]"):
                section = code
            elif section == "[forbidden]":
                forbidden.append(Clause(code, place))
            elif section == "[global]":
                _check_global(code)
            else:
                found = _parsed(code)
                options.append(_option(found))
                if found["condition"]:
                    conditions[found["name"]] = [Clause(found["condition"][1:], place)]
    return declared(options, conditions, forbidden)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        found = _CODE.match(line)
        code = found[0].strip() if found else ""
        if code:
            yield number, code


def _check_global(code: str) -> None:
    if not re.fullmatch(r"digits\s*=\s*\d+", code):
        raise ValueError(f"only digits = ... is known in [global], not {code!r}: remove it")


def _parsed(code: str) -> re.Match[str]:
    found = _LINE.fullmatch(code)
    if found is None:
        raise ValueError(f'not a parameter of irace: {code!r}; write: name "--switch " i,log (1, 100)')
    return found


def _option(found: re.Match[str]) -> Option:
    name = found["name"]
    values = [value["value"].strip().strip("\"'") for value in _VALUE.finditer(found["domain"])][:-1]
    switch = found["switch"][1:-1]
    if found["kind"] in "co" and len(values) == 1:
        return Option(name, None, values[0], switch)
    return Option(name, _parameter(name, found["kind"], values, found["log"] is not None), switch=switch)


def _parameter(name: str, kind: str, values: list[str], log: bool) -> Categorical | Ordinal | Float | Integer:
    if kind in "co":
        return Categorical(values) if kind == "c" else Ordinal(values)
    if len(values) != 2:
        raise ValueError(f"the domain of {name!r} must be (lowest, highest), not ({', '.join(values)})")
    low, high = values
    return Integer(whole(low), whole(high), log) if kind == "i" else Float(real(low), real(high), log)
