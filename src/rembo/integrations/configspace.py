"""ConfigSpace: its spaces as ours and back, and functions of its configurations, with conditions and forbidden clauses.

A space here has no conditions: every parameter always has a value. `Configured` stands between: what is inactive is
dropped before f sees it, and takes its default where a configuration comes in. A forbidden combination is refused, as
a failed evaluation with its reason; the search learns to avoid the place. These are functions of their own because a
`Space` stands first on the data's path, and knows of no other library.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rembo.integrations.searched import Fixed, Searched
from rembo.scenario.configspace import default_of, import_configspace, parameter_of
from rembo.space import Bool, Categorical, Float, Integer, Parameter, Space
from rembo.study import EvaluationError, Reason

ConfigSpace = import_configspace("rembo.integrations.configspace")


def from_configspace(configspace: Any) -> Space:
    """The space of a ConfigurationSpace's hyperparameters with their defaults; constants and conditions are not in it.

    >>> from_configspace(ConfigSpace.ConfigurationSpace({"rate": (0.0, 1.0), "layers": (1, 8)})).default
    {'layers': 4, 'rate': 0.5}
    """
    return _searched_in(configspace).space


def to_configspace(space: Space, name: str | None = None, seed: int | None = None) -> Any:
    """The ConfigurationSpace of a space; a Bool becomes a choice of False and True, and a Box has no place in it.

    >>> to_configspace(Space({"rate": Float(0.0, 1.0)}))["rate"].upper
    1.0
    """
    if not isinstance(space, Space):
        raise TypeError(f"only a Space has names for ConfigSpace, not {space!r}: write Space({{'x': ...}})")
    made = ConfigSpace.ConfigurationSpace(name=name, seed=seed)
    start = space.default or {}
    made.add([_hyperparameter(key, each, start.get(key)) for key, each in space.parameters.items()])
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
    defaults = {name: default_of(each) for name, each in configspace.items()}
    entries = {name: parameter_of(each) or Fixed(defaults[name]) for name, each in configspace.items()}
    return Searched.of(entries, defaults)


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
        case Bool():
            return ConfigSpace.CategoricalHyperparameter(name, [False, True], default_value=bool(default))
    raise TypeError(
        f"parameter {name!r} is {parameter!r}, and ConfigSpace has no arrays: write a Float for each number"
    )


def _or_first(default: Any, choices: Any) -> Any:
    return choices[0] if default is None else default
