"""The methods that rembo brings: its default, random search, and ParamILS."""

from dataclasses import dataclass

import rembo
from methods.cube import is_discrete
from methods.method import Objective
from rembo.space import Domain


@dataclass(frozen=True)
class Default:
    """What `rembo.minimize` does when it is told nothing else."""

    packages: tuple[str, ...] = ("rembo", "numpy", "scipy")

    def serves(self, space: Domain) -> bool:
        """Every space."""
        return True

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Let rembo choose its optimizer."""
        rembo.minimize(f, space, n_trials, seed=seed, progress=False)


@dataclass(frozen=True)
class Random:
    """Uniformly drawn points."""

    packages: tuple[str, ...] = ("rembo",)

    def serves(self, space: Domain) -> bool:
        """Every space."""
        return True

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Evaluate the first n_trials points of the seed's sample."""
        rembo.minimize(f, space, n_trials, optimizer=rembo.RandomSearch(space, seed=seed), progress=False)


@dataclass(frozen=True)
class LocalSearch:
    """ParamILS for one instance (Hutter et al. 2009), on spaces whose parameters all have finitely many values."""

    packages: tuple[str, ...] = ("rembo",)

    def serves(self, space: Domain) -> bool:
        """Discrete spaces alone: a continuum would first have to be cut into levels."""
        return is_discrete(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Iterated local search in the one-exchange neighbourhood."""
        from rembo.baselines import ParamILS

        rembo.minimize(f, space, n_trials, optimizer=ParamILS(space, seed=seed), progress=False)
