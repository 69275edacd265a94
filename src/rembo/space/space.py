"""A `Space`: named parameters, when they exist and what is forbidden, and where to start if that is known."""

import difflib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rembo.arrays import Array
from rembo.space.condition import Condition, Conditional
from rembo.space.parameter import Coordinates, Parameter, Scalar, Written
from rembo.space.rules import Rules
from rembo.space.shown import shown


@dataclass(frozen=True)
class Part:
    """A parameter and the number of its first coordinate in the space's cube."""

    parameter: Parameter
    start: int

    @property
    def stop(self) -> int:
        """One past the number of its last coordinate."""
        return self.start + self.parameter.size


class Space:
    """Named parameters; f gets a dict of their values.

    Parameters
    ----------
    parameters
        A dict of names and parameters, or pairs of them. A parameter may have a condition on others,
        `Float(0.0, 1.0).when(Is("solver", "sgd"))`: where it is not fulfilled, f does not get that parameter.
    default
        The configuration to start from, if there is one. f gets it exactly as it is written, real numbers as floats. A
        parameter that it leaves out takes the middle of its range, a Categorical its first choice, a Bool False.
    forbidden
        Conditions that no configuration may fulfil, e.g. `[Is("solver", "lbfgs") & Is("penalty", "l1")]`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is none, a condition names none, or the default is no value of the space; the message names the
        parameter.

    Examples
    --------
    >>> from rembo import Box, Float, Integer
    >>> Space({"rate": Float(0.0, 1.0), "layers": Integer(1, 8), "weights": Box(1000)}).size
    1002
    >>> Space({"rate": Float(0.0, 1.0), "layers": Integer(1, 9)}, default={"rate": 0.1}).default
    {'rate': 0.1, 'layers': 5}
    """

    def __init__(
        self,
        parameters: Mapping[str, Parameter | Conditional] | Iterable[tuple[str, Parameter | Conditional]],
        default: Mapping[str, Any] | None = None,
        forbidden: Iterable[Condition] = (),
    ) -> None:
        self.declared: dict[str, Parameter | Conditional] = _named(parameters)
        self.parameters: dict[str, Parameter] = {
            name: each.parameter if isinstance(each, Conditional) else each for name, each in self.declared.items()
        }
        conditions = {name: each.condition for name, each in self.declared.items() if isinstance(each, Conditional)}
        self.rules = Rules.of(self.parameters, conditions, forbidden)
        starts = np.cumsum([0, *(each.size for each in self.parameters.values())], dtype=object)
        self.parts = tuple(
            Part(each, int(start)) for each, start in zip(self.parameters.values(), starts, strict=False)
        )
        self.size = self.parts[-1].stop
        if self.size >= 2**63:
            raise ValueError(f"{self.size} coordinates are more than 2**63 - 1")
        scalars = [part.start for part in self.parts if isinstance(part.parameter, Scalar)]
        self._scalars = np.array(scalars, dtype=np.int64)
        self.default: dict[str, Any] | None = None
        self._written: tuple[Written | None, ...] = (None,) * len(self.parts)
        if default is not None:
            self.default = self.completed(default)
            self.encode(self.default)
            self._written = tuple(each.written(self.default[name]) for name, each in self.parameters.items())
        self._start = self._legal_start() if self.rules.forbidden else None

    def decode(self, x: Coordinates) -> dict[str, Any]:
        """The dict that f gets at x; all coordinates of single numbers are read at once.

        Inactive parameters are not in it. Where x stands for a forbidden configuration, it is one near that.
        """
        positions = iter(x[self._scalars].tolist() if len(self._scalars) else ())
        parts = zip(self.parameters, self.parts, self._exact(x), strict=True)
        values = {name: _decode_part(part, written, x, positions) for name, part, written in parts}
        return self.rules.active(self.rules.legal(values, self._start))

    @property
    def has_rules(self) -> bool:
        """Whether a parameter has a condition, or a combination is forbidden: then x says more than a position does."""
        return bool(self.rules.conditions or self.rules.forbidden)

    def active(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a configuration that f gets: the values of the parameters whose conditions are fulfilled.

        Parameters
        ----------
        value
            Values by name, those of inactive parameters included or not.

        Returns
        -------
        dict
            In the same order.
        """
        return self.rules.active(value)

    def _exact(self, x: Coordinates) -> tuple[Written | None, ...]:
        """For each parameter the numbers that are read as they were written: the point's own, or the default's."""
        if x.given is None:
            return self._written
        return tuple(x.given.part(part.start, part.stop) for part in self.parts)

    def encode(self, value: Any) -> Array:
        """A position in [-1,1]^D that decodes to the dict `value`, or an error that names the parameter.

        Inactive parameters may be left out.
        """
        given = self._check_names(value)
        whole = self.completed(given) if self.rules.conditions else dict(given)
        positions = [_position_of(name, each, whole[name]) for name, each in self.parameters.items() if name in whole]
        inactive = self.rules.inactive(given)
        missing = [name for name in self.parameters if name not in given and name not in inactive]
        if missing:
            raise ValueError(f"{self._wanted}, not {shown(list(given))}: {shown(missing)} missing")
        clause = self.rules.violated(self.rules.active(given))
        if clause is not None:
            raise ValueError(f"{shown(dict(given))} is forbidden by {clause!r}")
        return np.concatenate(positions)

    def completed(self, value: Any) -> dict[str, Any]:
        """A dict of some of the parameters' values with the default's, or else the middle, for each of the others.

        Parameters
        ----------
        value
            Values by name; an unknown name is a ValueError that suggests the nearest one.

        Returns
        -------
        dict
            A value for each parameter, in their order. Values are not checked: `encode` does.
        """
        known = {**(self.default or {}), **self._check_names(value)}
        known |= {name: each.middle for name, each in self.parameters.items() if name not in known}
        return {name: known[name] for name in self.parameters}

    def changes(self, value: Mapping[str, Any]) -> list[str]:
        """The names of a value's parameters where it is not the default's, in order; all where there is no default."""
        default = self.default or {}
        given = (name for name in self.parameters if name in value)
        return [name for name in given if name not in default or not _same(value[name], default[name])]

    def __repr__(self) -> str:
        default = "" if self.default is None else f", default={shown(self.default)}"
        forbidden = f", forbidden={list(self.rules.forbidden)!r}" if self.rules.forbidden else ""
        return f"Space({shown(self.declared)}{default}{forbidden})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space) or list(self.declared.items()) != list(other.declared.items()):
            return False
        if self.rules.forbidden != other.rules.forbidden:
            return False
        if self.default is None or other.default is None:
            return self.default is other.default
        return not self.changes(other.default)

    __hash__ = None  # type: ignore[assignment]  # a dict inside: compared, never hashed

    def _legal_start(self) -> dict[str, Any]:
        """The default, or a configuration near the middle that is not forbidden."""
        return self.rules.legal(self.completed({}), None)

    @property
    def _wanted(self) -> str:
        return f"a value of this space must be a dict of {shown(sorted(self.parameters))}"

    def _check_names(self, value: Any) -> Mapping[str, Any]:
        """The value, or a ValueError if it is no dict or names something else."""
        if not isinstance(value, Mapping):
            raise ValueError(f"{self._wanted}, not {shown(value)}")
        unknown = next((name for name in value if name not in self.parameters), None)
        if unknown is not None:
            near = difflib.get_close_matches(str(unknown), self.parameters, n=1)
            cure = f"did you mean {near[0]!r}?" if near else "leave it out"
            raise ValueError(f"{self._wanted}, not {shown(list(value))}: {unknown!r} is unknown, {cure}")
        return value


Domain: TypeAlias = Parameter | Space


def parts_of(space: Domain) -> tuple[Part, ...]:
    """The parameters of a space with the coordinates they stand for; a parameter alone is a space of one."""
    return space.parts if isinstance(space, Space) else (Part(space, 0),)


def coordinate_name(space: Domain, index: int) -> str:
    """What a coordinate is called: `rate`, `weights[17]`, or `x[17]` where the space itself has no name."""
    names = list(space.parameters) if isinstance(space, Space) else ["x"]
    parts = parts_of(space)
    number = int(np.searchsorted([part.start for part in parts], index, side="right")) - 1
    part = parts[number]
    return names[number] if isinstance(part.parameter, Scalar) else f"{names[number]}[{index - part.start}]"


def _named(parameters: Any) -> dict[str, Parameter | Conditional]:
    """The parameters by name, or an error that says which entry is none."""
    if not isinstance(parameters, Iterable):
        raise TypeError(f"a Space is made from a dict of names and parameters, not from {parameters!r}")
    pairs = list(parameters.items() if isinstance(parameters, Mapping) else parameters)
    if not pairs:
        raise ValueError("a Space needs at least one parameter, e.g. Space({'rate': Float(0.0, 1.0)})")
    for name, parameter in pairs:
        _check_entry(name, parameter)
    name, count = Counter(name for name, _ in pairs).most_common(1)[0]
    if count > 1:
        raise ValueError(f"the name {name!r} stands more than once: name each parameter once")
    return dict(pairs)


def _check_entry(name: object, parameter: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a parameter's name must be a string, not {name!r}")
    if not isinstance(parameter, (Parameter, Conditional)):
        kinds = "Float, Integer, Categorical, Ordinal, Bool, Box or Bounds"
        raise TypeError(f"parameter {name!r} must be a {kinds}, not {parameter!r}")


def _decode_part(part: Part, written: Written | None, x: Coordinates, positions: Iterator[float]) -> Any:
    if isinstance(part.parameter, Scalar):
        return part.parameter.value_at(next(positions), written)
    return part.parameter.decode(x.part(part.start, part.stop), written)


def _position_of(name: str, parameter: Parameter, value: Any) -> Array:
    try:
        return parameter.encode(value)
    except (TypeError, ValueError) as refused:
        raise type(refused)(f"parameter {name!r}: {refused}") from None


def _same(value: Any, default: Any) -> bool:
    """Whether two values of a parameter are equal; arrays are compared number by number."""
    if isinstance(value, Hashable) and isinstance(default, Hashable):
        return bool(value == default)
    return np.array_equal(np.asarray(value), np.asarray(default))
