"""Optimizers with rembo's ask and tell as methods: those of the library, and its baselines.

Each function here makes an optimizer for a space and a seed; a baseline is imported when it is made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import rembo
from harness.methods.method import Objective
from harness.methods.panels import RUNS
from rembo.optimizer.optimizer import derived_seed
from rembo.space import Domain, parts_of

Maker: TypeAlias = Callable[[Domain, int], rembo.Optimizer]


def anything(space: Domain) -> bool:
    """Every space is served."""
    return True


def discrete(space: Domain) -> bool:
    """Only spaces of which no coordinate is a continuum are served."""
    return all(part.parameter.levels for part in parts_of(space))


def small(space: Domain, most: int = 1000) -> bool:
    """Only spaces of at most so many dimensions are served."""
    return space.size <= most


def small_continuum(space: Domain) -> bool:
    """Only small spaces of which every coordinate is a continuum are served."""
    return small(space) and not any(part.parameter.levels for part in parts_of(space))


@dataclass(frozen=True)
class AskTell:
    """A new optimizer for each search, asked and told as often as it may."""

    make: Maker
    packages: tuple[str, ...] = ("rembo", "numpy", "scipy")
    suits: Callable[[Domain], bool] = anything

    def serves(self, space: Domain) -> bool:
        """What the optimizer is suited for."""
        return self.suits(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Ask, evaluate, tell; an f that raises ends the search, as it would be no result."""
        optimizer = self.make(space, seed)
        for _ in range(n_trials):
            trial = optimizer.ask()
            optimizer.tell(trial, f(trial.x))


def default(space: Domain, seed: int) -> rembo.Optimizer:
    """What `rembo.minimize` uses when it is told nothing."""
    return rembo.Growing(space, seed=seed)


def random_search(space: Domain, seed: int) -> rembo.Optimizer:
    """Uniformly drawn points."""
    return rembo.RandomSearch(space, seed=seed)


def bayes_opt(space: Domain, seed: int) -> rembo.Optimizer:
    """Standard Bayesian optimization (Algorithm 1)."""
    return rembo.BayesOpt(space, seed=seed)


def embedded(space: Domain, seed: int, d: int, k: int = 1, **parts: Any) -> rembo.Optimizer:
    """REMBO (Algorithm 2) in d dimensions, k interleaved runs; `parts` are `Rembo`'s other arguments."""
    return rembo.Rembo(space, d, runs=k, seed=seed, **parts)


def released(space: Domain, seed: int, d: int, k: int = 1) -> rembo.Optimizer:
    """REMBO as the authors' released code has it."""
    return rembo.protocols.released(space, d, runs=k, seed=seed)


def hd_bo(space: Domain, seed: int) -> rembo.Optimizer:
    """Variable selection, then GP-UCB (Chen et al. 2012)."""
    from rembo.baselines.hd_bo import HDBO

    return HDBO(space, seed=seed)


def si_bo(space: Domain, seed: int, d: int) -> rembo.Optimizer:
    """Subspace identification, then GP-UCB in d dimensions (Djolonga et al. 2013)."""
    from rembo.baselines.si_bo import SIBO

    return SIBO(space, d, seed=seed)


def param_ils(space: Domain, seed: int) -> rembo.Optimizer:
    """ParamILS for one instance (Hutter et al. 2009)."""
    from rembo.baselines import ParamILS

    return ParamILS(space, seed=seed)


def cma_es(space: Domain, seed: int) -> rembo.Optimizer:
    """CMA-ES on the cube, from the package `cmaes`."""
    from rembo.baselines import CMAES

    return CMAES(space, seed=seed)


def tpe(space: Domain, seed: int) -> rembo.Optimizer:
    """The tree-structured Parzen estimator (Bergstra et al. 2011), from Optuna."""
    from rembo.baselines import TPE

    return TPE(space, seed=seed)


def optuna_gp(space: Domain, seed: int) -> rembo.Optimizer:
    """Optuna's Gaussian process."""
    from rembo.baselines import OptunaGP

    return OptunaGP(space, seed=seed)


def smac(space: Domain, seed: int, n_trials: int) -> rembo.Optimizer:
    """SMAC3 (Lindauer et al. 2022), told how many evaluations are planned."""
    from rembo.baselines import SMAC

    return SMAC(space, n_trials=n_trials, seed=seed)


def interleaved(space: Domain, seed: int, make: Maker, k: int) -> rembo.Optimizer:
    """k optimizers of one kind that take turns (Section 3.1), each with a seed of its own."""
    return rembo.Interleaved([make(space, derived_seed(seed, run)) for run in range(k)])


def in_turns(make: Maker, packages: tuple[str, ...] = AskTell.packages) -> AskTell:
    """As many optimizers of one kind as the paper lets take turns, on a space of moderate size."""
    return AskTell(partial(interleaved, make=make, k=RUNS), packages, small)


def smac_for(n_trials: int) -> AskTell:
    """SMAC3 for so many evaluations."""
    return AskTell(partial(smac, n_trials=n_trials), ("rembo", "smac"), small)


@dataclass(frozen=True)
class PlannedSMAC:
    """SMAC3, told of each search how many evaluations it has."""

    packages: tuple[str, ...] = ("rembo", "smac")

    def serves(self, space: Domain) -> bool:
        """Every space of at most 1000 dimensions."""
        return small(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Ask, evaluate, tell."""
        smac_for(n_trials).minimize(f, space, n_trials, seed)


def rembo_with(d: int, k: int = 1, **parts: Any) -> AskTell:
    """REMBO with these settings."""
    return AskTell(partial(embedded, d=d, k=k, **parts))


def rembo_released(d: int, k: int = 1) -> AskTell:
    """REMBO as the authors' released code has it, in d dimensions and k runs."""
    return AskTell(partial(released, d=d, k=k))
