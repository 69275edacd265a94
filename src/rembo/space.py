"""Search spaces: what the user's function takes, seen as the cube [-1,1]^D.

First step of the path. A parameter turns a position u in [-1,1] into a legal value (the paper's s(x), Section 3.2:
scale and round) and back; a `Space` names several of them. Alike coordinates are one entry whatever their number, so
that `Box(10**9)` costs as much memory as `Box(2)`.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from rembo.arrays import Array, Indices
from rembo.border import check_whole, is_finite

MOST_LEVELS = 2**40  # beyond this, neighbouring integers are no longer told apart by a position in [-1,1]


class Coordinates(Protocol):
    """A point of [-1,1]^D of which a space reads the coordinates it needs, and no others."""

    def __getitem__(self, index: Indices) -> Array: ...

    def part(self, start: int, stop: int) -> "Coordinates":
        """Coordinates start to stop - 1 as a point of their own."""

    def scaled(self, low: float, high: float) -> Any:
        """The same point with [-1,1] stretched to [low, high]."""


class Parameter(ABC):
    """One entry of a space: `size` alike coordinates, each with `levels` values (0: a continuum)."""

    size: int

    @property
    def levels(self) -> int:
        """How many values a coordinate has; 0 for a continuum."""
        return 0

    @property
    def ordered(self) -> bool:
        """Whether nearby positions stand for similar values."""
        return True

    @abstractmethod
    def decode(self, x: Coordinates) -> Any:
        """The value that f gets at x in [-1,1]^size."""

    @abstractmethod
    def encode(self, value: Any) -> Array:
        """A position in [-1,1]^size that decodes to `value`, or a ValueError."""

    def code(self, u: Array) -> Array:
        """s(u): the number of the level that each position falls on, any shape; every level has an equal share."""
        return level_at(u, self.levels)

    def snap(self, u: Array) -> Array:
        """Each position moved to the middle of its level's share; a continuum is left as it is."""
        return u if self.levels == 0 else middle_of(self.code(u), self.levels)


class Scalar(Parameter):
    """A parameter of one coordinate."""

    size = 1

    @abstractmethod
    def value(self, u: float) -> Any:
        """The value at position u in [-1,1]."""

    @abstractmethod
    def position(self, value: Any) -> float:
        """A position in [-1,1] of a legal value."""

    def decode(self, x: Coordinates) -> Any:
        """The value at the only coordinate of x."""
        return self.value(float(x[np.zeros(1, dtype=np.int64)][0]))

    def encode(self, value: Any) -> Array:
        """The position of `value`, as a vector of one."""
        return np.array([self.position(value)])


@dataclass(frozen=True)
class Float(Scalar):
    """A real number between low and high; with log=True its logarithm is searched evenly.

    >>> round(Float(1e-5, 1e-1, log=True).value(0.0), 9)
    0.001
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        _check_bounds(self)

    def value(self, u: float) -> float:
        """The number at position u in [-1,1]."""
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        if abs(u) >= 1.0:
            return float(self.high if u > 0.0 else self.low)
        stretched = stretch(u, low, high)
        return float(min(max(math.exp(stretched) if self.log else stretched, self.low), self.high))

    def position(self, value: Any) -> float:
        """Where in [-1,1] the number lies."""
        number = _check_inside(value, self)
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        return float(unstretch(math.log(number) if self.log else number, low, high))


@dataclass(frozen=True)
class Integer(Scalar):
    """A whole number from low to high, both included; with log=True small numbers get larger shares.

    >>> [Integer(1, 3).value(u) for u in (-1.0, 0.0, 1.0)]
    [1, 2, 3]
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, check_whole(getattr(self, name), f"{self}: {name}"))
        _check_bounds(self)
        if self.log and self.high > MOST_LEVELS:
            raise ValueError(f"{self}: on a log scale high must be at most {MOST_LEVELS}: use Float")
        if self.levels > MOST_LEVELS:
            raise ValueError(f"{self} has {self.levels} values, at most {MOST_LEVELS} can be told apart: use Float")

    @property
    def levels(self) -> int:
        """How many whole numbers lie between the bounds."""
        return self.high - self.low + 1

    def code(self, u: Array) -> Array:
        """How many values lie below the one at u."""
        if not self.log:
            return super().code(u)
        low, high = self._log_bounds
        return np.asarray(np.clip(np.rint(np.exp(stretch(u, low, high))), self.low, self.high) - self.low)

    def snap(self, u: Array) -> Array:
        """Each position moved to that of its value."""
        if not self.log:
            return super().snap(u)
        return np.asarray(unstretch(np.log(self.code(u) + self.low), *self._log_bounds))

    def value(self, u: float) -> int:
        """The whole number at position u in [-1,1]."""
        return self.low + int(self.code(np.array(u)))

    def position(self, value: Any) -> float:
        """The middle of the value's share of [-1,1]."""
        number = _check_inside(check_whole(value, f"the value of {self}"), self)
        if self.log:
            return float(unstretch(np.log(float(number)), *self._log_bounds))
        return float((2.0 * (number - self.low) + 1.0) / self.levels - 1.0)

    @property
    def _log_bounds(self) -> tuple[float, float]:
        return math.log(self.low - 0.5), math.log(self.high + 0.5)  # so that the first and last get whole shares


@dataclass(frozen=True)
class Categorical(Scalar):
    """One of several choices without an order; each gets an equal share of [-1,1].

    >>> Categorical(["adam", "sgd", "lbfgs"]).value(-0.9)
    'adam'
    """

    choices: Sequence[Hashable]

    def __post_init__(self) -> None:
        if isinstance(self.choices, (str, set, frozenset)) or not isinstance(self.choices, Iterable):
            raise TypeError(f"Categorical choices must be a list, not {self.choices!r}: write Categorical(['a', 'b'])")
        object.__setattr__(self, "choices", tuple(self.choices))
        if len(self.choices) < 2:
            raise ValueError(f"{self} needs at least 2 choices: leave a fixed parameter out of the space")
        try:
            counts = Counter(self.choices)
        except TypeError as unhashable:
            raise TypeError(f"Categorical choices must be hashable, e.g. strings or tuples: {unhashable}") from None
        choice, count = counts.most_common(1)[0]
        if count > 1:
            raise ValueError(f"Categorical choice {choice!r} stands more than once: name each choice once")

    @property
    def levels(self) -> int:
        """The number of choices."""
        return len(self.choices)

    @property
    def ordered(self) -> bool:
        """Choices have no order."""
        return False

    def value(self, u: float) -> Any:
        """The choice whose share of [-1,1] holds u."""
        return self.choices[int(self.code(np.array(u)))]

    def position(self, value: Any) -> float:
        """The middle of the choice's share of [-1,1]."""
        if value not in self.choices:
            raise ValueError(f"{value!r} is none of the choices {list(self.choices)}")
        return (2.0 * self.choices.index(value) + 1.0) / self.levels - 1.0


@dataclass(frozen=True)
class Bool(Scalar):
    """False on the lower half of [-1,1], True on the upper."""

    @property
    def levels(self) -> int:
        """Two."""
        return 2

    @property
    def ordered(self) -> bool:
        """False and True are two choices."""
        return False

    def value(self, u: float) -> bool:
        """Whether u lies in the upper half."""
        return bool(self.code(np.array(u)))

    def position(self, value: Any) -> float:
        """The middle of the half that stands for `value`."""
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"the value of a Bool must be True or False, not {value!r}")
        return 0.5 if value else -0.5


@dataclass(frozen=True)
class Box(Parameter):
    """`size` alike real numbers between low and high, as one array: f gets a Point, which is read, not made.

    >>> Box(10**9).size
    1000000000
    """

    size: int
    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check_whole(self.size, "Box size", 1, 2**63 - 1))
        _check_bounds(self)

    def decode(self, x: Coordinates) -> Any:
        """The point x in the box's own units; nothing is computed before it is read."""
        return x.scaled(self.low, self.high)

    def encode(self, value: Any) -> Array:
        """Where in [-1,1]^size an array of `size` numbers lies."""
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError) as unlike:
            wanted = f"a value of {self} must be an array of {self.size} numbers"
            raise type(unlike)(f"{wanted}, not {value!r}: {unlike}") from None
        if numbers.shape != (self.size,):
            raise ValueError(f"a value of {self} must have shape ({self.size},), not {numbers.shape}")
        outside = ~((self.low <= numbers) & (numbers <= self.high))
        if outside.any():
            first = int(np.argmax(outside))
            raise ValueError(f"coordinate {first} is {numbers[first]}, outside [{self.low}, {self.high}]")
        return np.asarray(unstretch(numbers, self.low, self.high))


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
    """Named parameters; f gets a dict of their values. `default` is the configuration to start from, if there is one.

    >>> Space({"rate": Float(0.0, 1.0), "layers": Integer(1, 8), "weights": Box(1000)}).size
    1002
    """

    def __init__(
        self,
        parameters: Mapping[str, Parameter] | Iterable[tuple[str, Parameter]],
        default: Mapping[str, Any] | None = None,
    ) -> None:
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
        self.parameters: dict[str, Parameter] = dict(pairs)
        starts = np.cumsum([0, *(parameter.size for _, parameter in pairs)], dtype=object)
        self.parts = tuple(Part(parameter, int(start)) for (_, parameter), start in zip(pairs, starts, strict=False))
        self.size = self.parts[-1].stop
        if self.size >= 2**63:
            raise ValueError(f"{self.size} coordinates are more than 2**63 - 1")
        scalars = [part.start for part in self.parts if isinstance(part.parameter, Scalar)]
        self._scalars = np.array(scalars, dtype=np.int64)
        if default is not None:
            self.encode(default)
        self.default = None if default is None else dict(default)

    def decode(self, x: Coordinates) -> dict[str, Any]:
        """The dict that f gets at x; all coordinates of single numbers are read at once."""
        positions = iter(x[self._scalars].tolist() if len(self._scalars) else ())
        return {name: _decode_part(part, x, positions) for name, part in zip(self.parameters, self.parts, strict=True)}

    def encode(self, value: Any) -> Array:
        """A position in [-1,1]^D that decodes to the dict `value`, or a ValueError."""
        if not isinstance(value, Mapping) or set(value) != set(self.parameters):
            given = sorted(map(str, value)) if isinstance(value, Mapping) else repr(value)
            raise ValueError(f"a value of this space must be a dict of {sorted(self.parameters)}, not {given}")
        return np.concatenate([parameter.encode(value[name]) for name, parameter in self.parameters.items()])

    def changes(self, value: Mapping[str, Any]) -> list[str]:
        """The names of the parameters whose value is not the default's, in order; all where there is no default."""
        if self.default is None:
            return list(self.parameters)
        return [name for name, default in self.default.items() if not _same(value[name], default)]

    def __repr__(self) -> str:
        return f"Space({self.parameters})" if self.default is None else f"Space({self.parameters}, {self.default})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space) or list(self.parameters.items()) != list(other.parameters.items()):
            return False
        if self.default is None or other.default is None:
            return self.default is other.default
        return bool(np.array_equal(self.encode(self.default), other.encode(other.default)))

    __hash__ = None  # type: ignore[assignment]  # a dict inside: compared, never hashed


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


def check_domain(space: object) -> Domain:
    """The space itself, or a TypeError that says what a space is."""
    if isinstance(space, (Parameter, Space)):
        return space
    raise TypeError(f"space must be a Box, a Space or a single parameter, not {space!r}: e.g. rembo.Box(100)")


def level_at(u: Array, levels: int | Indices) -> Array:
    """Which of so many equal shares of [-1,1] each position falls on, any shape."""
    return np.clip(np.floor((u + 1.0) * (levels / 2.0)), 0, levels - 1)


def middle_of(level: Array | Indices, levels: int | Indices) -> Array:
    """The middle of a share of [-1,1]; the inverse of `level_at`."""
    return np.asarray((2.0 * level + 1.0) / levels - 1.0)


def stretch(u: Any, low: float | Array, high: float | Array) -> Any:
    """[-1,1] onto [low, high], exact at 0 and, for [-1,1] itself, everywhere."""
    return (low / 2.0 + high / 2.0) + (high / 2.0 - low / 2.0) * u


def unstretch(value: Any, low: float, high: float) -> Any:
    """[low, high] onto [-1,1]; the inverse of stretch."""
    half = high / 2.0 - low / 2.0
    u = (value - (low / 2.0 + high / 2.0)) / (half or math.inf)
    return np.clip(u, -1.0, 1.0) if isinstance(u, np.ndarray) else min(max(u, -1.0), 1.0)


def _decode_part(part: Part, x: Coordinates, positions: Iterator[float]) -> Any:
    if isinstance(part.parameter, Scalar):
        return part.parameter.value(next(positions))
    return part.parameter.decode(x.part(part.start, part.stop))


def _same(value: Any, default: Any) -> bool:
    """Whether two values of a parameter are equal; arrays are compared number by number."""
    if isinstance(value, Hashable) and isinstance(default, Hashable):
        return bool(value == default)
    return np.array_equal(np.asarray(value), np.asarray(default))


def _check_entry(name: object, parameter: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a parameter's name must be a string, not {name!r}")
    if not isinstance(parameter, Parameter):
        kinds = "Float, Integer, Categorical, Bool or Box"
        raise TypeError(f"parameter {name!r} must be a {kinds}, not {parameter!r}")


def _check_bounds(parameter: Float | Integer | Box) -> None:
    low, high = parameter.low, parameter.high
    if not all(is_finite(bound) for bound in (low, high)):
        raise ValueError(f"{parameter}: both bounds must be finite numbers")
    if low >= high:
        cure = "swap them" if low > high else "leave a fixed parameter out of the space"
        raise ValueError(f"{parameter}: low {low} must be below high {high}; {cure}")
    if getattr(parameter, "log", False) and low <= 0:
        raise ValueError(f"{parameter}: a log scale needs low above 0, not {low}; raise low or drop log=True")


def _check_inside(value: Any, parameter: Float | Integer) -> Any:
    if not is_finite(value) or not parameter.low <= value <= parameter.high:
        raise ValueError(f"{value!r} does not lie in {parameter}")
    return value
