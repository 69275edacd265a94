"""PCS, the parameter files of ParamILS and SMAC, old style and new.

Old: `name {a,b} [a]` and `name [1,10] [5]il`, where i means whole numbers and l a log scale. New: the same with the
kind in a word, `name integer [1,10] [5] log`. Conditions, `name | other in {a, b}` or `name | other == a && third > 2`,
and forbidden combinations, `{a=1, b=2}` or `{a == 1 && b > 2}`, are those of both styles. Single choices become
constants.
"""

import re
from functools import partial
from pathlib import Path

from rembo.scenario.error import located
from rembo.scenario.numerals import real, whole
from rembo.scenario.option import Clause, Declared, Option, declared
from rembo.space import Categorical, Float, Integer, Ordinal

_NAME = r"(?P<name>[^\s{}\[\]|]+)"
_CHOICES = re.compile(
    rf"{_NAME}\s*(?:\s(?P<kind>categorical|ordinal))?\s*\{{(?P<choices>[^{{}}]*)\}}\s*\[(?P<default>[^\[\]]*)\]"
)
_RANGE = re.compile(
    rf"{_NAME}\s*(?:\s(?P<kind>integer|real))?\s*\[(?P<low>[^\[\],]*),(?P<high>[^\[\],]*)\]\s*"
    r"\[(?P<default>[^\[\]]*)\]\s*(?P<flags>log|[il]*)"
)
_CONDITION = re.compile(rf"{_NAME}\s*\|(?!\|)(?P<condition>.*)")
_HEADING = re.compile(r"(conditionals?|forbiddens?)\s*:?", re.IGNORECASE)


def read_pcs(file: Path, text: str) -> Declared:
    """The options of a PCS file, or a ScenarioError with the line that is not understood."""
    options: list[Option] = []
    conditions: dict[str, list[Clause]] = {}
    forbidden: list[Clause] = []
    for number, line in enumerate(text.splitlines(), start=1):
        code, place = line.partition("#")[0].strip(), partial(located, file, number)
        if not code or _HEADING.fullmatch(code):
            continue
        with place():
            if code.startswith("{"):
                forbidden.append(Clause(_forbidden(code), place))
            elif found := _CONDITION.fullmatch(code):
                conditions.setdefault(found["name"], []).append(Clause(found["condition"], place))
            else:
                options.append(_option(code))
    return declared(options, conditions, forbidden)


def _forbidden(code: str) -> str:
    """A forbidden combination as a condition: commas join the equalities of the old style."""
    if not code.endswith("}"):
        raise ValueError(f"not a forbidden combination: {code!r}; write {{a=1, b=2}} or {{a == 1 && b > 2}}")
    inside = code[1:-1]
    return inside if "{" in inside or "[" in inside else inside.replace(",", " && ")


def _option(code: str) -> Option:
    if found := _CHOICES.fullmatch(code):
        return _choice(found)
    if found := _RANGE.fullmatch(code):
        return _number(found)
    raise ValueError(
        f"not a parameter of a PCS file: {code!r}; write: name {{a, b}} [a], or: name integer [1, 9] [5] log"
    )


def _choice(found: re.Match[str]) -> Option:
    name, default = found["name"], found["default"].strip()
    values = [choice.strip() for choice in found["choices"].split(",")]
    if len(values) > 1:
        return Option(name, (Ordinal if found["kind"] == "ordinal" else Categorical)(values), default, f"-{name} ")
    if default != values[0]:
        raise ValueError(f"{default!r} is not the only choice {values[0]!r} of {name!r}: correct the default")
    return Option(name, None, default, f"-{name} ")


def _number(found: re.Match[str]) -> Option:
    log = found["flags"] == "log" or "l" in found["flags"]
    is_whole = found["kind"] == "integer" or "i" in found["flags"]
    parameter: Integer | Float
    if is_whole:
        parameter = Integer(whole(found["low"]), whole(found["high"]), log)
        return Option(found["name"], parameter, whole(found["default"]), f"-{found['name']} ")
    parameter = Float(real(found["low"]), real(found["high"]), log)
    return Option(found["name"], parameter, real(found["default"]), f"-{found['name']} ")
