"""The options of a program that are tuned: a parameter, the value to start from, and how it is passed.

Every format of parameter files is read into these, and what they have in common is checked here.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rembo.arrays import LARGEST_ARRAY
from rembo.scenario.document import Table
from rembo.scenario.error import suggestion
from rembo.scenario.expression import Known, Ruling, both
from rembo.scenario.template import cut, text_of
from rembo.space import (
    Bool,
    Box,
    Categorical,
    Condition,
    Conditional,
    Float,
    Integer,
    Ordinal,
    Parameter,
    Scalar,
    Space,
    stretch,
)

GIVEN = ("instance", "seed", "parameter_file", "output_file")  # what a run gives to the program beside its options
RESERVED = (*GIVEN, "flag", "file", "parameters")


@dataclass(frozen=True)
class Option:
    """An option by name; without a parameter it is a constant, always `default`.

    `switch` is what stands before the value where `{parameters}` passes all options; `arguments` is what
    `{flag:name}` stands for, by the text of the value. Where its `condition` is not fulfilled, nothing is passed.
    """

    name: str
    parameter: Parameter | None
    default: Any = None
    switch: str | None = None
    arguments: Mapping[str, str] | None = None
    condition: Condition | None = None

    def __post_init__(self) -> None:
        if (
            self.name in RESERVED
            or self.name.startswith(("flag:", "file:"))
            or not re.fullmatch(r"[^\s{}]+", self.name)
        ):
            raise ValueError(f"a parameter cannot be called {self.name!r}, which has a meaning in commands: rename it")
        if self.default is not None and self.parameter is not None:
            self.parameter.encode(self.default)
        if any("\0" in text_of(value) for value in self.samples):
            raise ValueError(f"a value of {self.name!r} has a zero byte, which no program can be given: remove it")
        self.check_arguments()

    @property
    def samples(self) -> tuple[Any, ...]:
        """Values of every type that the option can have; all of them if they are choices."""
        match self.parameter:
            case None:
                return (self.default,)
            case Categorical(choices) | Ordinal(choices):
                return tuple(choices)
            case Bool():
                return (False, True)
            case Box(low=low):
                return ([low],)
            case Scalar() as scalar:
                return (scalar.value(0.0),)
        raise TypeError(f"{self.parameter!r} cannot be passed to a program")

    @property
    def start(self) -> Any:
        """The value to start from: the default, else the middle of numbers and the first of choices."""
        if self.default is not None:
            return self.default
        if not isinstance(self.parameter, Box):
            return self.samples[0]
        return _alike(stretch(0.0, self.parameter.low, self.parameter.high), self.parameter)

    @property
    def flag(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The arguments that each value stands for; a ValueError if the option has none."""
        if self.arguments is None and not isinstance(self.parameter, Bool):
            raise ValueError(
                f"{{flag:{self.name}}} needs what to pass for each value: add "
                f"arguments = {{...}} to {self.name}, or write {{{self.name}}}"
            )
        texts = self.arguments or {"true": f"--{self.name}", "false": ""}
        return tuple((value, tuple(cut(text))) for value, text in texts.items())

    def check_arguments(self) -> None:
        """A ValueError if there are arguments for other values than the option has."""
        if self.arguments is None:
            return
        values = [text_of(value) for value in self.samples]
        if not isinstance(self.parameter, (Bool, Categorical, Ordinal)):
            raise ValueError(f"arguments of {self.name!r} need a bool or a categorical: write {{{self.name}}} instead")
        for value, text in self.arguments.items():
            if not isinstance(text, str):
                raise TypeError(f"arguments of {self.name!r} for {value} must be a text, not {text!r}")
            cut(text)
            if value not in values:
                raise ValueError(f"arguments of {self.name!r} name the value {value!r}: {suggestion(value, values)}")
        missing = [value for value in values if value not in self.arguments]
        if missing:
            raise ValueError(f"arguments of {self.name!r} lack the value {missing[0]!r}: add {missing[0]} = ''")


@dataclass(frozen=True)
class Declared:
    """The options of a program, and the combinations of their values that are forbidden."""

    options: Sequence[Option]
    forbidden: Sequence[Condition] = ()


@dataclass(frozen=True)
class Clause:
    """A condition as a text, and the place of errors in it."""

    text: str
    place: Callable[[], AbstractContextManager[None]]


def declared(
    options: Sequence[Option], conditions: Mapping[str, Sequence[Clause]], forbidden: Sequence[Clause]
) -> Declared:
    """Options with their conditions, all of which must be fulfilled; one that never exists is left out.

    Those that have a condition already keep it.
    """
    known = Known(
        {option.name: option.parameter for option in options if option.parameter is not None}, constants_of(options)
    )
    rulings = {name: [_read(clause, known) for clause in clauses] for name, clauses in conditions.items()}
    for name, clauses in conditions.items():
        with clauses[0].place():
            _check_conditional(name, options)
    ruled = [(option, both(rulings.get(option.name, []))) for option in options]
    kept = [_with_condition(option, ruling) for option, ruling in ruled if ruling is not False]
    refused = [_read_forbidden(clause, known) for clause in forbidden]
    return Declared(kept, [each for each in refused if each is not None])


def _read(clause: Clause, known: Known) -> Ruling:
    with clause.place():
        return known.condition(clause.text)


def _read_forbidden(clause: Clause, known: Known) -> Condition | None:
    """A forbidden clause; None if it is one of constants that never holds."""
    ruling = _read(clause, known)
    with clause.place():
        if ruling is True:
            raise ValueError(f"{clause.text.strip()!r} forbids everything: remove it")
    return None if isinstance(ruling, bool) else ruling


def _with_condition(option: Option, ruling: Ruling) -> Option:
    return option if isinstance(ruling, bool) else replace(option, condition=ruling)


def _check_conditional(name: str, options: Sequence[Option]) -> None:
    if all(option.name != name for option in options):
        raise ValueError(
            f"a condition is on {name!r}, which is no parameter: {suggestion(name, [o.name for o in options])}"
        )


def space_of(given: Declared) -> Space:
    """The space of all options that are not constants, with a default if any of them has one."""
    options = given.options
    searched = [option for option in options if option.parameter is not None]
    name, count = Counter(option.name for option in options).most_common(1)[0] if options else ("", 0)
    if count > 1:
        raise ValueError(f"the parameter {name!r} stands more than once: name each parameter once")
    if not searched:
        raise ValueError("there is no parameter to tune: add one, e.g. rate = {type = 'float', low = 0.0, high = 1.0}")
    started = any(option.default is not None for option in searched)
    start = {option.name: option.start for option in searched} if started else None
    return Space({option.name: _conditional(option) for option in searched}, start, given.forbidden)


def _conditional(option: Option) -> Parameter | Conditional:
    assert option.parameter is not None  # constants are not searched
    return option.parameter if option.condition is None else option.parameter.when(option.condition)


def constants_of(options: Sequence[Option]) -> dict[str, Any]:
    """The values of the options that are never changed."""
    return {option.name: option.default for option in options if option.parameter is None}


def read_options(table: Table) -> Declared:
    """The options in a scenario's own table of parameters; what is forbidden stands elsewhere."""
    entries = {name: _entry(table, name) for name in table.content}
    options = [_read_option(entry, name) for name, entry in entries.items()]
    texts = {name: entry.find("when", str) for name, entry in entries.items()}
    conditions = {name: [Clause(text, partial(entries[name].at, "when"))] for name, text in texts.items() if text}
    return declared(options, conditions, ())


def _entry(table: Table, name: str) -> Table:
    table.need(name, dict)
    return table.table(name)


def _read_option(table: Table, name: str) -> Option:
    kind = table.need("type", str)
    with table.at("type"):
        if kind not in KINDS:
            raise ValueError(f"unknown type {kind!r} of parameter {name!r}: {suggestion(kind, KINDS)}")
    keys, build = KINDS[kind]
    table.refuse_unknown(["type", "default", "switch", "when", *keys])
    with table.at():
        parameter = build(table)
    arguments = table.find("arguments", dict)
    with table.at(*(["arguments"] if arguments else ["default"] if "default" in table.content else [])):
        return Option(name, parameter, _default(table, parameter), table.find("switch", str), arguments)


def _default(table: Table, parameter: Parameter) -> Any:
    default = table.content.get("default")
    if isinstance(parameter, Box) and isinstance(default, (int, float)):
        return _alike(float(default), parameter)
    return default


def _alike(number: float, box: Box) -> list[float]:
    if box.size > LARGEST_ARRAY:
        raise ValueError(f"{box} is too large to start from a list of its numbers: give no default to any parameter")
    return [number] * box.size


def _float(table: Table) -> Parameter:
    return Float(table.need("low", float), table.need("high", float), table.find("log", bool, default=False))


def _integer(table: Table) -> Parameter:
    return Integer(table.need("low", int), table.need("high", int), table.find("log", bool, default=False))


def _categorical(table: Table) -> Parameter:
    return Categorical(table.need("choices", list))


def _ordinal(table: Table) -> Parameter:
    return Ordinal(table.need("values", list))


def _bool(table: Table) -> Parameter:
    return Bool()


def _array(table: Table) -> Parameter:
    return Box(table.need("size", int), table.need("low", float), table.need("high", float))


KINDS: dict[str, tuple[tuple[str, ...], Callable[[Table], Parameter]]] = {
    "float": (("low", "high", "log"), _float),
    "integer": (("low", "high", "log"), _integer),
    "categorical": (("choices", "arguments"), _categorical),
    "ordinal": (("values", "arguments"), _ordinal),
    "bool": (("arguments",), _bool),
    "array": (("size", "low", "high"), _array),
}
