"""The rules of a space: which parameters exist in a configuration, and which configurations are forbidden."""

import difflib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

from rembo.border import is_finite
from rembo.space.condition import TRUE, Comparison, Condition, Is, Reading
from rembo.space.parameter import Parameter, Scalar

_ALL = 32  # values of a parameter that are all tried in a repair; of one with more, those that matter
_REPAIRS = 64  # changes that a forbidden configuration may need


@dataclass(frozen=True)
class Rules:
    """What conditions and forbidden clauses say of configurations, which are dicts of values.

    A parameter is active if its condition is fulfilled, of which inactive parameters do not decide. A configuration is
    forbidden if its active parameters fulfil a forbidden clause. Parameters come in an order in which those that a
    condition names stand before those that have it.
    """

    parameters: Mapping[str, Parameter]
    conditions: Mapping[str, Condition]
    forbidden: Sequence[Condition] = ()

    @classmethod
    def of(
        cls, parameters: Mapping[str, Parameter], conditions: Mapping[str, Condition], forbidden: Iterable[Condition]
    ) -> "Rules":
        """The rules of a space, or an error that names the condition that cannot be."""
        for name, condition in conditions.items():
            _check(condition, parameters, f"the condition of {name!r}, {condition!r},")
        clauses = tuple(forbidden) if isinstance(forbidden, Iterable) else (None,)
        for clause in clauses:
            if not isinstance(clause, Condition):
                example = "[Is('solver', 'sgd') & Is('loss', 'l1')]"
                raise TypeError(f"forbidden takes a list of conditions, e.g. {example}, not {forbidden!r}")
            _check(clause, parameters, f"the forbidden clause {clause!r}")
        return cls(parameters, {name: conditions[name] for name in _in_order(conditions)}, clauses)

    def inactive(self, values: Mapping[str, Any]) -> set[str]:
        """The parameters that do not exist where others have these values; one that is missing decides nothing."""
        readings, found = _readings(self.decisive, values), set()
        for name, condition in self.conditions.items():
            if condition.truth(readings) != TRUE:
                found.add(name)
                if name in readings:
                    readings[name] = Reading(readings[name].parameter, math.nan)
        return found

    def active(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the parameters that exist."""
        inactive = self.inactive(values)
        return {name: value for name, value in values.items() if name not in inactive}

    def holds(self, condition: Condition, active: Mapping[str, Any]) -> bool:
        """Whether active values fulfil a condition on parameters of the space, one of its own or another."""
        return condition.truth(_readings(self._scalars(condition.names), active)) == TRUE

    def violated(self, active: Mapping[str, Any]) -> Condition | None:
        """The first forbidden clause that active values fulfil."""
        if not self.forbidden:
            return None
        readings = _readings(self.decisive, active)
        return next((clause for clause in self.forbidden if clause.truth(readings) == TRUE), None)

    def legal(self, values: Mapping[str, Any], start: Mapping[str, Any] | None) -> dict[str, Any]:
        """Values that are not forbidden: these, or others that differ in as few parameters as a quick search finds.

        The same values give the same ones, always. Where the search finds none, those of `start`, which is legal.
        """
        values = dict(values)
        tried: set[tuple[str, Any]] = set()
        for _ in range(_REPAIRS):
            clause = self.violated(self.active(values))
            if clause is None:
                return values
            changes = [each for each in self._changes(clause, values) if each not in tried]
            if not changes:
                break
            name, value = min(changes, key=lambda each: self._violations({**values, each[0]: each[1]}))
            tried.add((name, values[name]))
            values[name] = value
        if start is None:
            raise ValueError(
                f"no configuration was found that is not forbidden, e.g. by {self.violated(self.active(values))!r}: "
                "give one as default"
            )
        return {name: start[name] if name in self._ruled else value for name, value in values.items()}

    def grouped(self, known: Collection[str]) -> list[tuple[Condition, list[str]]]:
        """The distinct conditions of known parameters, in order, each with the parameters that have it.

        A condition that names a parameter that is not known, directly or in turn, is left out.
        """
        told, found = set(known), dict[Condition, list[str]]()
        for name, condition in self.conditions.items():
            if name in told and told.issuperset(condition.names):
                found.setdefault(condition, []).append(name)
            else:
                told.discard(name)
        return list(found.items())

    @cached_property
    def decisive(self) -> dict[str, Scalar]:
        """The parameters that conditions and forbidden clauses name."""
        return self._scalars([name for rule in (*self.conditions.values(), *self.forbidden) for name in rule.names])

    @cached_property
    def _ruled(self) -> frozenset[str]:
        """The parameters that decide whether a configuration is forbidden."""
        return frozenset(name for clause in self.forbidden for name in self._deciding(clause))

    def _deciding(self, clause: Condition) -> list[str]:
        """The parameters that a clause names, and those on which it depends whether they exist."""
        found: dict[str, None] = {}
        left = list(clause.names)
        while left:
            name = left.pop(0)
            left += self.conditions[name].names if name in self.conditions and name not in found else ()
            found[name] = None
        return list(found)

    def _edges(self, name: str, values: Mapping[str, Any]) -> Iterator[float]:
        """The numbers with which rules compare a parameter."""
        for rule in (*self.forbidden, *self.conditions.values()):
            for comparison in rule.comparisons:
                if name in comparison.names:
                    yield from _numbers_beside(name, comparison, values)

    def _scalars(self, names: Iterable[str]) -> dict[str, Scalar]:
        """The parameters of these names, each once; conditions name no arrays."""
        return {name: each for name in names if isinstance(each := self.parameters[name], Scalar)}

    def _violations(self, values: Mapping[str, Any]) -> int:
        readings = _readings(self.decisive, self.active(values))
        return sum(clause.truth(readings) == TRUE for clause in self.forbidden)

    def _changes(self, clause: Condition, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Other values, one at a time, of the parameters that decide whether a clause is fulfilled.

        The nearest come first: all of a parameter's if they are few, else those at which some rule may change.
        """
        for name in self._deciding(clause):
            parameter = self.decisive[name]
            if 0 < parameter.levels <= _ALL:
                others = [parameter.value(float(u)) for u in parameter.middles]
            else:
                others = [each for edge in self._edges(name, values) for each in _around(parameter, edge)]
            now = parameter.number(values[name])
            for other in sorted(others, key=lambda each: abs(parameter.number(each) - now)):
                if other != values[name]:
                    yield name, other


def _readings(parameters: Mapping[str, Scalar], values: Mapping[str, Any]) -> dict[str, Reading]:
    """What parameters say at some values, of which some may be missing."""
    return {
        name: Reading(each, each.number(values[name]) if name in values else math.nan)
        for name, each in parameters.items()
    }


def _numbers_beside(name: str, comparison: Comparison, values: Mapping[str, Any]) -> Iterator[float]:
    if isinstance(comparison, Is):
        yield from (float(value) for value in comparison.values)
        return
    other = comparison.than if comparison.name == name else comparison.name
    yield float(values[other] if isinstance(other, str) else other)


def _around(parameter: Scalar, edge: float) -> Iterator[Any]:
    """A number and its neighbours, those that are values of the parameter."""
    steps = (edge, math.nextafter(edge, -math.inf), math.nextafter(edge, math.inf))
    whole = (math.floor(edge), math.ceil(edge), math.floor(edge) - 1, math.ceil(edge) + 1)
    for number in whole if parameter.levels else steps:
        with suppress(ValueError):  # it lies outside
            parameter.position(number)
            yield number


def _check(condition: Condition, parameters: Mapping[str, Parameter], what: str) -> None:
    """Refuse a condition on what is no parameter, or no value of it."""
    for name in condition.names:
        if name not in parameters:
            near = difflib.get_close_matches(str(name), parameters, n=1)
            raise ValueError(f"{what} names {name!r}, which is unknown{f': did you mean {near[0]!r}?' if near else ''}")
        if not isinstance(parameters[name], Scalar):
            raise TypeError(f"{what} names {name!r}, an array: conditions compare single values")
    for comparison in condition.comparisons:
        _check_comparison(comparison, parameters, what)


def _check_comparison(comparison: Comparison, parameters: Mapping[str, Parameter], what: str) -> None:
    named = {name: each for name in comparison.names if isinstance(each := parameters[name], Scalar)}
    if isinstance(comparison, Is):
        parameter = named[comparison.name]
        if not parameter.levels:
            raise TypeError(f"{what} compares {comparison.name!r}, a real number, by Is: use Less and Greater")
        for value in comparison.values:
            try:
                parameter.number(value)
            except (TypeError, ValueError) as refused:
                raise type(refused)(f"{what} cannot be fulfilled: {comparison.name!r}: {refused}") from None
        return
    words = next((name for name, parameter in named.items() if not parameter.numeric), None)
    if words is not None:
        raise TypeError(f"{what} compares {words!r}, whose values are no numbers: use Is")
    if not isinstance(comparison.than, str) and not is_finite(comparison.than):
        raise ValueError(
            f"{what} compares {comparison.name!r} with {comparison.than!r}: give a finite number or a name"
        )


def _in_order(conditions: Mapping[str, Condition]) -> list[str]:
    """The conditional parameters, each after those that its condition names."""
    sorter = TopologicalSorter({name: condition.names for name, condition in conditions.items()})
    try:
        return [name for name in sorter.static_order() if name in conditions]
    except CycleError as cycle:
        around = " needs ".join(map(repr, cycle.args[1]))
        raise ValueError(f"no parameter can exist in a circle of conditions: {around}") from None
