"""The command of a scenario: from values to arguments, environment and files; through a shell only if asked."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rembo.border import check_whole
from rembo.scenario.document import Table
from rembo.scenario.error import located, read_text, suggestion
from rembo.scenario.option import GIVEN, Option, constants_of
from rembo.scenario.process import Invocation
from rembo.scenario.shell import Shell, read_shell
from rembo.scenario.template import (
    Context,
    Field,
    Flag,
    Options,
    Text,
    Value,
    cut,
    names_of,
    parse_shell,
    parse_text,
    parse_word,
    text_of,
)
from rembo.space import Bool, Box, Condition, Rules

LONGEST_ARRAY = 5000  # numbers in one argument: the kernel takes 128 kB
_FILE = "file:"
_SHELL_WORDS = frozenset(["|", "||", "&", "&&", ";", "<<", ">", ">>", "2>", "2>&1", "&>", "<"])


@dataclass(frozen=True)
class ParameterFile:
    """A file that is written for each run from the lines of a template, but for those of inactive parameters."""

    name: str
    lines: tuple[Text, ...]

    def filled(self, context: Context) -> str:
        """What is written."""
        return "".join(line.filled(context) for line in self.lines if line.is_known(context))


@dataclass(frozen=True)
class Command:
    """How values become a run of the program; a constant may have a condition on them, by the rules of their space."""

    folder: Path
    words: tuple[Text, ...]
    rules: Rules
    shell: Shell | None = None
    stdin: Text | None = None
    environment: Mapping[str, Text] = field(default_factory=dict)
    parameter_file: ParameterFile | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    seed: int | None = None

    @property
    def names(self) -> set[str]:
        """The names of all that the command passes to the program."""
        return {name.removeprefix(_FILE) for name in self._names}

    def arguments(self, values: Mapping[str, Any], instance: Any, scratch: Path) -> tuple[str, ...]:
        """The arguments of a run whose files lie in the folder `scratch`."""
        return self._arguments(self._context(values, instance, scratch))

    def invocation(self, values: Mapping[str, Any], instance: Any, scratch: Path) -> Invocation:
        """A run with its files, which are written to the folder `scratch`."""
        context = self._context(values, instance, scratch)
        self._write_files(context)
        known = {name: text for name, text in self.environment.items() if text.is_known(context)}
        environment = {name: text.filled(context) for name, text in known.items()}
        stdin = None if self.stdin is None else self.folder / self.stdin.filled(context)
        return Invocation(self._arguments(context), self.folder, {**os.environ, **environment}, stdin, scratch)

    @property
    def _texts(self) -> Iterator[Text]:
        yield from self.words
        yield from self.environment.values()
        yield from () if self.stdin is None else (self.stdin,)
        yield from () if self.parameter_file is None else self.parameter_file.lines

    @property
    def _names(self) -> set[str]:
        return names_of(self._texts)

    def _arguments(self, context: Context) -> tuple[str, ...]:
        if self.shell is not None:
            return self.shell.arguments(self.words[0], context)
        return tuple(argument for word in self.words for argument in word.arguments(context))

    def _context(self, values: Mapping[str, Any], instance: Any, scratch: Path) -> dict[str, Any]:
        arrays = sorted(name for name in self._names if name.startswith(_FILE))
        name = "" if self.parameter_file is None else self.parameter_file.name
        given = dict(zip(GIVEN, (instance, self.seed, scratch / "parameters" / name, scratch / "output"), strict=True))
        active = {name for name in arrays if name.removeprefix(_FILE) in values}
        files = {array: scratch / f"array-{number}" for number, array in enumerate(arrays) if array in active}
        absent = {name for name, condition in self.conditions.items() if not self.rules.holds(condition, values)}
        constants = {name: value for name, value in self.constants.items() if name not in absent}
        return {**constants, **values, **given, **files}

    def _write_files(self, context: Context) -> None:
        for name, path in context.items():
            if name.startswith(_FILE):
                with open(path, "w", encoding="utf-8") as array:
                    array.writelines(f"{float(number)!r}\n" for number in context[name.removeprefix(_FILE)])
        if self.parameter_file is not None:
            context["parameter_file"].parent.mkdir()
            context["parameter_file"].write_text(self.parameter_file.filled(context), encoding="utf-8")


def read_command(table: Table, options: Sequence[Option], rules: Rules, folder: Path) -> Command:
    """The command of a scenario, with all that it names checked."""
    conditions = {option.name: option.condition for option in options if option.condition is not None}
    fields = Fields({option.name: option for option in options})
    shell = read_shell(table, folder)
    words, redirected = _read_words(table, fields, shell)
    command = Command(
        folder,
        words,
        rules,
        shell,
        _read_stdin(table, fields, redirected),
        _read_environment(table.table("environment"), fields),
        _read_parameter_file(table.table("parameter_file"), fields),
        constants_of(options),
        {
            option.name: conditions[option.name]
            for option in options
            if not option.parameter and option.name in conditions
        },
        _read_seed(table),
    )
    _check_program(table, command)
    _check_given(table, command)
    _check_stdin(table, command)
    _check_conditional(table, command, conditions.keys())
    return command


@dataclass(frozen=True)
class Fields:
    """What may stand between braces."""

    options: Mapping[str, Option]

    def word(self, source: str) -> Field:
        """A field of a command, where `{parameters}` stands for each option after its switch."""
        if source != "parameters":
            return self.short(source)
        return Options(tuple(tuple(self._passed(option)) for option in self.options.values()))

    def short(self, source: str) -> Value | Flag:
        """A field of an argument or a variable, where a long array has no room."""
        made = self.any(source)
        option = self.options.get(made.name)
        if option is not None and isinstance(option.parameter, Box) and option.parameter.size > LONGEST_ARRAY:
            raise ValueError(
                f"{option.parameter.size} numbers are too many for one argument, which takes {LONGEST_ARRAY}: "
                f"pass the name of a file with {{{_FILE}{made.name}}}"
            )
        return made

    def any(self, source: str) -> Value | Flag:
        """The field with this text between its braces, or a ValueError that says what is known."""
        if source in self.options or source in GIVEN:
            return Value(source)
        if source == "parameters":
            raise ValueError("{parameters} stands only in commands: list the parameters here one by one")
        head, _, tail = source.partition(":")
        if head == "flag":
            return Flag(tail, self._option(tail).flag)
        if head == "file":
            return self._array_file(tail)
        name, _, form = source.rpartition(":") if source.rpartition(":")[0] in self.options else (head, "", tail)
        return Value(name, _check_format(self._option(name), form))

    def _passed(self, option: Option) -> list[Text]:
        """The words that pass an option; a switch that ends in a space is a word of its own."""
        if option.switch is None and (option.arguments is not None or isinstance(option.parameter, Bool)):
            return [Text((Flag(option.name, option.flag),))]
        switch = f"--{option.name}=" if option.switch is None else option.switch
        words = cut(switch)
        glued = words[-1:] if not switch[-1:].isspace() else []
        return [*(Text((word,)) for word in words[: len(words) - len(glued)]), Text((*glued, self.short(option.name)))]

    def _option(self, name: str) -> Option:
        if name not in self.options:
            raise ValueError(f"unknown name {{{name}}}: {suggestion(name, [*self.options, *GIVEN])}")
        return self.options[name]

    def _array_file(self, name: str) -> Value:
        if not isinstance(self._option(name).parameter, Box):
            raise ValueError(f"{{{_FILE}{name}}} needs an array, which {name!r} is not: write {{{name}}}")
        return Value(f"{_FILE}{name}")


def _check_format(option: Option, form: str) -> str:
    for sample in option.samples:
        try:
            text_of(sample, form)
        except ValueError as error:
            raise ValueError(f"{{{option.name}:{form}}} is no format for {sample!r} ({error}): correct it") from None
    return form


def _read_words(table: Table, fields: Fields, shell: Shell | None) -> tuple[tuple[Text, ...], str | None]:
    """The words of the command, and the file that stands after a `<`, if one does."""
    source = table.need("command", str)
    with table.at("command"):
        if shell is not None:
            return (parse_shell(source, fields.word),), None
        words = cut(source)
        redirected = words[-1] if words[-2:-1] == ["<"] else None
        kept = words if redirected is None else words[:-2]
        _check_words(kept)
        return tuple(parse_word(word, fields.word) for word in kept), redirected


def _check_words(words: list[str]) -> None:
    """A ValueError if there is no program, or at a word that only a shell would understand."""
    if not words:
        raise ValueError("the command is empty: write the program and its arguments")
    for word in words:
        if word in _SHELL_WORDS:
            raise ValueError(f"{word!r} means nothing without a shell: remove it, or set shell = true")


def _read_stdin(table: Table, fields: Fields, redirected: str | None) -> Text | None:
    key = "command" if redirected is not None else "stdin"
    given = table.find("stdin", str)
    with table.at(key):
        if redirected is not None and given is not None:
            raise ValueError("the command has a < and there is a key stdin: keep one of them")
        source = given if redirected is None else redirected
        return None if source is None else parse_text(source, fields.any)


def _read_seed(table: Table) -> int | None:
    seed = table.find("seed", int)
    with table.at("seed"):
        return None if seed is None else check_whole(seed, "seed", 0)


def _read_environment(table: Table, fields: Fields) -> dict[str, Text]:
    texts = {}
    for name in table.content:
        value = table.find(name, str, int, float)
        with table.at(name):
            if not name or "=" in name:
                raise ValueError(f"no environment variable can be called {name!r}: rename it")
            texts[name] = parse_text(value if isinstance(value, str) else text_of(value), fields.short)
    return texts


def _read_parameter_file(table: Table, fields: Fields) -> ParameterFile | None:
    if not table.content:
        return None
    table.refuse_unknown(["template"])
    path = table.file.parent / table.need("template", str)
    with table.at("template"):
        lines = read_text(path, "template").splitlines(keepends=True)
    parsed: list[Text] = []
    for number, line in enumerate(lines, start=1):
        with located(path, number):
            parsed.append(parse_text(line, fields.any))
    return ParameterFile(path.name, tuple(parsed))


def _check_program(table: Table, command: Command) -> None:
    """The program must be there and executable, as far as its name is known."""
    first = command.words[0]
    if command.shell is not None or any(first.fields):
        return
    name = first.filled({})
    with table.at("command"):
        path = command.folder / name
        if "/" not in name and "PATH" not in command.environment and shutil.which(name) is None:
            cure = f"write ./{name}" if path.is_file() else "install it, or write its path"
            raise ValueError(f"program {name!r} is not found: {cure}")
        if "/" in name and not path.is_file():
            raise ValueError(f"program {name!r} is not there: paths begin at the scenario's folder {command.folder}")
        if "/" in name and not os.access(path, os.X_OK):
            raise ValueError(f"program {name!r} is not executable: chmod +x {path}")


def _check_given(table: Table, command: Command) -> None:
    """What a run gives must be there if it is used, and used if it is there."""
    with table.at("command"):
        if "seed" in command.names and command.seed is None:
            raise ValueError("{seed} is used and there is no seed: add e.g. seed = 1")
        if "parameter_file" in command.names and command.parameter_file is None:
            raise ValueError("{parameter_file} is used and there is none: add [parameter_file] with a template")
    with table.at("parameter_file"):
        if command.parameter_file is not None and "parameter_file" not in command.names:
            raise ValueError("the parameter file reaches no program: put {parameter_file} into the command")


def _check_stdin(table: Table, command: Command) -> None:
    with table.at("stdin" if "stdin" in table.content else "command"):
        if command.stdin is None or any(command.stdin.fields):
            return
        name = command.stdin.filled({})
        if not (command.folder / name).is_file():
            raise ValueError(f"input {name!r} is not there: paths begin at the scenario's folder {command.folder}")


def _check_conditional(table: Table, command: Command, conditional: Set[str]) -> None:
    """Refuse to pass a parameter that may be inactive where it cannot be left out."""
    with table.at("command"):
        for before, word in zip(("", *command.words), command.words, strict=False):
            name = next(
                (each.name for each in word.fields if isinstance(each, Value) and each.name in conditional), None
            )
            if name is None:
                continue
            cure = f"write {{parameters}}, {{flag:{name}}}, or one word, e.g. --{name}={{{name}}}"
            if command.shell is not None:
                raise ValueError(f"{name!r} may be inactive, and a shell cannot leave its word out: {cure}")
            if len(word.pieces) == 1 and isinstance(before, Text) and _is_switch(before):
                raise ValueError(f"{name!r} may be inactive, and what stands before it would be left alone: {cure}")
    with table.at("stdin" if "stdin" in table.content else "command"):
        if command.stdin is not None and not conditional.isdisjoint(command.stdin.names):
            raise ValueError("the input is named after a parameter that may be inactive: name it after another one")


def _is_switch(word: Text) -> bool:
    return len(word.pieces) == 1 and isinstance(word.pieces[0], str) and word.pieces[0].startswith("-")
