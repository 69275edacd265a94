"""SMAC on a space with conditions and forbidden clauses, as its users have it: by a ConfigurationSpace."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.methods.define_by_run import has_single_values
from harness.methods.method import Objective
from rembo.space import Bool, Domain, Integer, Space


@dataclass(frozen=True)
class ConditionalSMAC:
    """Its facade for hyper-parameters, with its defaults."""

    packages: tuple[str, ...] = ("smac", "rembo")

    def serves(self, space: Domain) -> bool:
        """Named single values."""
        return has_single_values(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Optimise a scenario, whose files are thrown away."""
        from smac import HyperparameterOptimizationFacade, Scenario

        from rembo.integrations.configspace import to_configspace

        assert isinstance(space, Space)
        seed %= 2**31

        def evaluate(config: Mapping[str, Any], seed: int = 0) -> float:
            return f({name: _plain(space, name, config[name]) for name in space.parameters if name in config})

        with tempfile.TemporaryDirectory() as folder:
            scenario = Scenario(
                to_configspace(space, seed=seed), folder, deterministic=True, n_trials=n_trials, seed=seed
            )
            HyperparameterOptimizationFacade(scenario, evaluate, logging_level=False, overwrite=True).optimize()


def _plain(space: Space, name: str, value: Any) -> Any:
    """A value as one of Python's own."""
    match space.parameters[name]:
        case Bool():
            return bool(value)
        case Integer():
            return int(value)
    return value.item() if hasattr(value, "item") else value
