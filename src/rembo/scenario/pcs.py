"""PCS, the parameter files of ParamILS and SMAC, old style and new.

Old: `name {a,b} [a]` and `name [1,10] [5]il`, where i means whole numbers and l a log scale. New: the same with the
kind in a word, `name integer [1,10] [5] log`. Conditions and forbidden combinations are refused with their line.
Ordinal parameters become choices, single choices become constants.
"""

import re
from pathlib import Path

from rembo.scenario.error import located
from rembo.scenario.numerals import real, whole
from rembo.scenario.option import Option
from rembo.space import Categorical, Float, Integer

_NAME = r"(?P<name>[^\s{}\[\]|]+)"
_CHOICES = re.compile(
    rf"{_NAME}\s*(?:\s(?:categorical|ordinal))?\s*\{{(?P<choices>[^{{}}]*)\}}\s*\[(?P<default>[^\[\]]*)\]"
)
_RANGE = re.compile(
    rf"{_NAME}\s*(?:\s(?P<kind>integer|real))?\s*\[(?P<low>[^\[\],]*),(?P<high>[^\[\],]*)\]\s*"
    r"\[(?P<default>[^\[\]]*)\]\s*(?P<flags>log|[il]*)"
)
_HEADING = re.compile(r"(conditionals?|forbiddens?)\s*:?", re.IGNORECASE)


def read_pcs(file: Path, text: str) -> list[Option]:
    """The options of a PCS file, or a ScenarioError with the line that is not understood."""
    options = []
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.partition("#")[0].strip()
        if code and not _HEADING.fullmatch(code):
            with located(file, number):
                options.append(_option(code))
    return options


def _option(code: str) -> Option:
    if "|" in code:
        raise ValueError(
            f"conditions are not known here, {code!r}: remove it, if the program ignores what does not apply"
        )
    if code.startswith("{"):
        raise ValueError(
            f"forbidden combinations are not known here, {code!r}: remove it, and let the program fail there"
        )
    if found := _CHOICES.fullmatch(code):
        return _choice(found["name"], found["choices"].split(","), found["default"])
    if found := _RANGE.fullmatch(code):
        return _number(found)
    raise ValueError(
        f"not a parameter of a PCS file: {code!r}; write: name {{a, b}} [a], or: name integer [1, 9] [5] log"
    )


def _choice(name: str, choices: list[str], default: str) -> Option:
    values = [choice.strip() for choice in choices]
    parameter = Categorical(values) if len(values) > 1 else None
    if parameter is None and default.strip() != values[0]:
        raise ValueError(f"{default.strip()!r} is not the only choice {values[0]!r} of {name!r}: correct the default")
    return Option(name, parameter, default.strip(), f"-{name} ")


def _number(found: re.Match[str]) -> Option:
    log = found["flags"] == "log" or "l" in found["flags"]
    is_whole = found["kind"] == "integer" or "i" in found["flags"]
    parameter: Integer | Float
    if is_whole:
        parameter = Integer(whole(found["low"]), whole(found["high"]), log)
        return Option(found["name"], parameter, whole(found["default"]), f"-{found['name']} ")
    parameter = Float(real(found["low"]), real(found["high"]), log)
    return Option(found["name"], parameter, real(found["default"]), f"-{found['name']} ")
