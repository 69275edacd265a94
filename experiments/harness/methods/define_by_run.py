"""Samplers of Optuna as its users have conditional parameters: a trial suggests those that exist, parents first."""

from collections.abc import Callable
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

from harness.methods.method import Objective
from rembo.space import Bool, Categorical, Domain, Float, Integer, Space


def tpe(seed: int) -> Any:
    """Optuna's default."""
    import optuna

    return optuna.samplers.TPESampler(seed=seed)


def ours(seed: int) -> Any:
    """Our optimizer inside Optuna."""
    from rembo.integrations.optuna import RemboSampler

    return RemboSampler(seed=seed)


def has_single_values(space: Domain) -> bool:
    """Whether a space has named parameters that others know."""
    kinds = (Bool, Categorical, Float, Integer)
    return isinstance(space, Space) and all(isinstance(each, kinds) for each in space.parameters.values())


@dataclass(frozen=True)
class DefineByRun:
    """A study of Optuna's with a sampler of this seed."""

    sampler: Callable[[int], Any]
    packages: tuple[str, ...] = ("optuna", "rembo")

    def serves(self, space: Domain) -> bool:
        """Named single values."""
        return has_single_values(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Run a study."""
        import optuna

        assert isinstance(space, Space)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(sampler=self.sampler(seed))
        study.optimize(_objective(f, space), n_trials=n_trials)


def _objective(f: Objective, space: Space) -> Callable[[Any], float]:
    conditions = space.rules.conditions
    parents = {name: conditions[name].names if name in conditions else () for name in space.parameters}
    order = list(TopologicalSorter(parents).static_order())

    def objective(trial: Any) -> float:
        x: dict[str, Any] = {}
        for name in order:
            if name not in space.rules.inactive(x):
                x[name] = _suggested(trial, name, space)
        return f({name: x[name] for name in space.parameters if name in x})

    return objective


def _suggested(trial: Any, name: str, space: Space) -> Any:
    match space.parameters[name]:
        case Categorical(choices):
            return trial.suggest_categorical(name, choices)
        case Bool():
            return trial.suggest_categorical(name, [False, True])
        case Integer(low, high, log):
            return trial.suggest_int(name, low, high, log=log)
        case Float(low, high, log):
            return trial.suggest_float(name, low, high, log=log)
    raise TypeError(f"{space.parameters[name]!r} has no suggestion")
