"""Optuna's samplers, through its ask and tell, with its own defaults."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna

import rembo
from methods.cube import on_cube
from methods.method import Objective
from rembo.space import Domain, Parameter

optuna.logging.set_verbosity(optuna.logging.WARNING)


@dataclass(frozen=True)
class TPE:
    """The tree-structured Parzen estimator (Bergstra et al. 2011), multivariate as Optuna 5 has it by default."""

    packages: tuple[str, ...] = ("optuna", "numpy")

    def serves(self, space: Domain) -> bool:
        """Every space whose points fit into memory."""
        return True

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Ask, evaluate, tell."""
        _minimize(optuna.samplers.TPESampler(seed=seed), f, space, n_trials)


@dataclass(frozen=True)
class GaussianProcess:
    """Optuna's Gaussian process with log-EI; it is not told that f is deterministic and learns a noise level."""

    packages: tuple[str, ...] = ("optuna", "torch", "scipy")

    def serves(self, space: Domain) -> bool:
        """Every space whose points fit into memory."""
        return True

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Ask, evaluate, tell."""
        import torch

        torch.set_num_threads(1)
        _minimize(optuna.samplers.GPSampler(seed=seed), f, space, n_trials)


def _minimize(sampler: optuna.samplers.BaseSampler, f: Objective, space: Domain, n_trials: int) -> None:
    study = optuna.create_study(sampler=sampler)
    named = space.parameters if isinstance(space, rembo.Space) else {"x": space}
    distributions = {label: each for name, parameter in named.items() for label, each in _flat(name, parameter).items()}
    for _ in range(n_trials):
        trial = study.ask(distributions)
        values = {name: _gathered(name, parameter, trial.params) for name, parameter in named.items()}
        u = space.encode(values if isinstance(space, rembo.Space) else values["x"])
        study.tell(trial, on_cube(f, space, u))


def _flat(name: str, parameter: Parameter) -> dict[str, optuna.distributions.BaseDistribution]:
    """The parameter in Optuna's words; a box is as many numbers as it has coordinates."""
    match parameter:
        case rembo.Box(size, low, high):
            number = optuna.distributions.FloatDistribution(low, high)
            return {f"{name}[{index}]": number for index in range(size)}
        case rembo.Float(low, high, log):
            return {name: optuna.distributions.FloatDistribution(low, high, log=log)}
        case rembo.Integer(low, high, log):
            return {name: optuna.distributions.IntDistribution(low, high, log=log)}
        case rembo.Bool():
            return {name: optuna.distributions.CategoricalDistribution([False, True])}
        case rembo.Categorical(choices):
            return {name: optuna.distributions.CategoricalDistribution(choices)}
    raise TypeError(f"Optuna has no distribution for {parameter}")


def _gathered(name: str, parameter: Parameter, drawn: dict[str, Any]) -> Any:
    """The parameter's value from Optuna's draws."""
    if isinstance(parameter, rembo.Box):
        return np.array([drawn[f"{name}[{index}]"] for index in range(parameter.size)])
    return drawn[name]
