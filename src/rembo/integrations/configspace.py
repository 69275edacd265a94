"""ConfigSpace: its spaces as ours and back, and functions of its configurations, with conditions and forbidden clauses.

Conditions and forbidden clauses become those of a `Space`, so that every configuration that is asked is legal, and the
model knows what is inactive. `Configured` stands between a function of configurations and the search. These are
functions of their own because a `Space` stands first on the data's path, and knows of no other library.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.integrations.searched import Searched
from rembo.scenario.configspace import declared_by, import_configspace
from rembo.scenario.option import constants_of, space_of
from rembo.space import (
    And,
    Bool,
    Categorical,
    Condition,
    Float,
    Greater,
    Integer,
    Is,
    Less,
    Not,
    Or,
    Ordinal,
    Parameter,
    Space,
)
from rembo.study import EvaluationError, Reason

ConfigSpace = import_configspace("rembo.integrations.configspace")


def from_configspace(configspace: Any) -> Space:
    """The space of a ConfigurationSpace: hyperparameters, defaults, conditions and clauses; constants are not in it.

    >>> from_configspace(ConfigSpace.ConfigurationSpace({"rate": (0.0, 1.0), "layers": (1, 8)})).default
    {'layers': 4, 'rate': 0.5}
    """
    return _searched_in(configspace).space


def to_configspace(space: Space, name: str | None = None, seed: int | None = None) -> Any:
    """The ConfigurationSpace of a space; a Bool becomes a categorical of False and True, and a Box has no place in it.

    Nor have conditions that ConfigSpace cannot say: "at least" and "at most" of a Float, and forbidden clauses of
    other than values and comparisons of two parameters.

    >>> to_configspace(Space({"rate": Float(0.0, 1.0)}))["rate"].upper
    1.0
    """
    if not isinstance(space, Space):
        raise TypeError(f"only a Space has names for ConfigSpace, not {space!r}: write Space({{'x': ...}})")
    made = ConfigSpace.ConfigurationSpace(name=name, seed=seed)
    start = space.default or {}
    made.add([_hyperparameter(key, each, start.get(key)) for key, each in space.parameters.items()])
    theirs = _Theirs(space, made)
    made.add([theirs.condition(made[name], condition) for name, condition in space.rules.conditions.items()])
    made.add([theirs.clause(clause) for clause in space.rules.forbidden])
    return made


@dataclass(frozen=True)
class Configured:
    """A function of configurations of ConfigSpace as one of values of `space`: give both to `minimize`.

    >>> from rembo import minimize
    >>> configured = Configured(lambda config: config["rate"], ConfigSpace.ConfigurationSpace({"rate": (0.0, 1.0)}))
    >>> configured.configuration(minimize(configured, configured.space, n_trials=9, seed=0).x)["rate"]
    0.0
    """

    f: Callable[[Any], Any]
    configspace: Any

    @property
    def space(self) -> Space:
        """What is searched: `from_configspace`."""
        return from_configspace(self.configspace)

    def __call__(self, x: Mapping[str, Any]) -> Any:
        """What f gives for the configuration that x stands for."""
        return self.f(self.configuration(x))

    def configuration(self, x: Mapping[str, Any]) -> Any:
        """The valid Configuration that x stands for, or an EvaluationError if it is forbidden."""
        active = _active(self.configspace, _searched_in(self.configspace).complete(x))
        try:
            return ConfigSpace.Configuration(self.configspace, values=active)
        except ConfigSpace.exceptions.ForbiddenValueError as forbidden:
            raise EvaluationError(Reason.ERROR, f"a forbidden configuration: {forbidden}") from None

    def values(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """The value of `space` that stands for a configuration, e.g. as x0: what is inactive takes its default."""
        space = self.space
        return {name: configuration.get(name, default) for name, default in (space.default or {}).items()}


def _searched_in(configspace: Any) -> Searched:
    if not isinstance(configspace, ConfigSpace.ConfigurationSpace):
        cure = "read a file with ConfigurationSpace.from_yaml or from_json"
        raise TypeError(f"a ConfigurationSpace is needed, not {configspace!r}: {cure}")
    found = declared_by(configspace)
    return Searched(space_of(found), constants_of(found.options))


def _active(configspace: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the active hyperparameters: those whose conditions hold, given that their parents are active."""
    vector = np.full(len(configspace), np.nan)
    active = {}
    for name, hyperparameter in configspace.items():  # parents stand before their children
        if all(condition.satisfied_by_vector(vector) for condition in configspace.parent_conditions_of[name]):
            active[name] = values[name]
            vector[configspace.index_of[name]] = hyperparameter.to_vector(values[name])
    return active


def _hyperparameter(name: str, parameter: Parameter, default: Any) -> Any:
    match parameter:
        case Float(low, high, log):
            return ConfigSpace.Float(name, (low, high), log=log, default=default)
        case Integer(low, high, log):
            return ConfigSpace.Integer(name, (low, high), log=log, default=default)
        case Categorical(choices):
            return ConfigSpace.CategoricalHyperparameter(name, list(choices), default_value=_or_first(default, choices))
        case Ordinal(values):
            return ConfigSpace.OrdinalHyperparameter(name, list(values), default_value=_or_first(default, values))
        case Bool():
            return ConfigSpace.CategoricalHyperparameter(name, [False, True], default_value=bool(default))
    raise TypeError(
        f"parameter {name!r} is {parameter!r}, and ConfigSpace has no arrays: write a Float for each number"
    )


def _or_first(default: Any, choices: Any) -> Any:
    return choices[0] if default is None else default


@dataclass(frozen=True)
class _Theirs:
    """Conditions of a space as those of its ConfigurationSpace."""

    space: Space
    configspace: Any

    def condition(self, child: Any, condition: Condition) -> Any:
        """When a child exists."""
        match condition:
            case And(parts):
                return ConfigSpace.AndConjunction(*(self.condition(child, part) for part in parts))
            case Or(parts):
                return ConfigSpace.OrConjunction(*(self.condition(child, part) for part in parts))
            case Is(name, (value,)):
                return ConfigSpace.EqualsCondition(child, self.configspace[name], value)
            case Is(name, values):
                return ConfigSpace.InCondition(child, self.configspace[name], list(values))
            case Less(name, float() | int() as than) if than > self._range(name).low:
                return self._bounded(child, name, self._number(name, than, math.ceil), ConfigSpace.LessThanCondition)
            case Greater(name, float() | int() as than) if than < self._range(name).high:
                value = self._number(name, than, math.floor)
                return self._bounded(child, name, value, ConfigSpace.GreaterThanCondition)
            case Not(part):
                return self.condition(child, self._contrary(part))
        raise _unsayable(condition)

    def clause(self, clause: Condition) -> Any:
        """What is forbidden."""
        match clause:
            case And(parts):
                return ConfigSpace.ForbiddenAndConjunction(*(self.clause(part) for part in parts))
            case Is(name, (value,)):
                return ConfigSpace.ForbiddenEqualsClause(self.configspace[name], value)
            case Is(name, values):
                return ConfigSpace.ForbiddenInClause(self.configspace[name], list(values))
            case Less(name, str() as other):
                return ConfigSpace.ForbiddenLessThanRelation(self.configspace[name], self.configspace[other])
            case Greater(name, str() as other):
                return ConfigSpace.ForbiddenGreaterThanRelation(self.configspace[name], self.configspace[other])
        raise _unsayable(clause)

    def _bounded(self, child: Any, name: str, value: float, kind: Any) -> Any:
        """A bound on a parent; ConfigSpace wants it to be a legal value, also where all values fulfil it."""
        parent, bounds = self.configspace[name], self._range(name)
        if bounds.low <= value <= bounds.high:
            return kind(child, parent, value)
        end = min(max(value, bounds.low), bounds.high)
        return ConfigSpace.OrConjunction(ConfigSpace.EqualsCondition(child, parent, end), kind(child, parent, end))

    def _range(self, name: str) -> Float | Integer:
        """The bounds of a number."""
        parameter = self.space.parameters[name]
        if not isinstance(parameter, (Float, Integer)):
            raise TypeError(f"{name!r} is {parameter!r}, and a bound on it cannot be said in ConfigSpace: use Is")
        return parameter

    def _contrary(self, condition: Condition) -> Condition:
        """The contrary of a condition without a Not."""
        match condition:
            case Not(part):
                return part
            case And(parts):
                return Or(tuple(~part for part in parts))
            case Or(parts):
                return And(tuple(~part for part in parts))
            case Is(name, values):
                others = tuple(value for value in self._values(name, condition) if value not in values)
                return Is(name, *others)
            case Less(name, float() | int() as than) if isinstance(self.space.parameters[name], Integer):
                return Greater(name, math.ceil(than) - 1)
            case Greater(name, float() | int() as than) if isinstance(self.space.parameters[name], Integer):
                return Less(name, math.floor(than) + 1)
        raise _unsayable(~condition)

    def _values(self, name: str, condition: Condition) -> Sequence[Any]:
        match self.space.parameters[name]:
            case Categorical(choices):
                return choices
            case Ordinal(values):
                return values
            case Bool():
                return (False, True)
        raise _unsayable(~condition)

    def _number(self, name: str, than: float, whole: Callable[[float], int]) -> float:
        """A bound as a value of the parameter, which ConfigSpace wants it to be."""
        return whole(than) if isinstance(self.space.parameters[name], Integer) else than


def _unsayable(condition: Condition) -> TypeError:
    return TypeError(f"{condition!r} cannot be said in ConfigSpace: leave it out of the space that is converted")
