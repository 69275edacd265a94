"""CMA-ES on the cube, from the package `cmaes`."""

from dataclasses import dataclass

import numpy as np
from cmaes import CMAwM, SepCMA

from methods.cube import levels, on_cube
from methods.method import Objective
from rembo.arrays import Array
from rembo.space import Domain


@dataclass(frozen=True)
class CMAES:
    """CMA-ES with the package's population size, started at the centre of the cube, restarted at uniform points.

    Coordinates with levels have the package's margin (Hamano et al. 2022), which keeps every level within reach; the
    choices of a category are taken in their order. In many dimensions the covariance is diagonal.
    """

    sigma: float = 0.3
    separable_above: int = 200
    packages: tuple[str, ...] = ("cmaes", "numpy")

    def serves(self, space: Domain) -> bool:
        """Every space whose points fit into memory; levels only where the covariance is full."""
        return space.size <= self.separable_above or not levels(space).any()

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Generation after generation; the last may remain incomplete."""
        rng = np.random.default_rng(seed)
        strategy = self._start(space, np.zeros(space.size), rng)
        generation: list[tuple[Array, float]] = []
        for _ in range(n_trials):
            u, raw = _ask(strategy)
            generation.append((raw, on_cube(f, space, u)))
            if len(generation) < strategy.population_size:
                continue
            strategy.tell(generation)
            generation = []
            if strategy.should_stop():
                strategy = self._start(space, rng.uniform(-1.0, 1.0, space.size), rng)

    def _start(self, space: Domain, mean: Array, rng: np.random.Generator) -> CMAwM | SepCMA:
        seed = int(rng.integers(2**31))
        if space.size > self.separable_above:
            return SepCMA(mean, self.sigma, np.tile([-1.0, 1.0], (space.size, 1)), seed=seed)
        steps = np.divide(2.0, levels(space), out=np.zeros(space.size), where=levels(space) > 0)
        bounds = np.stack([steps / 2.0 - 1.0, 1.0 - steps / 2.0], axis=1)  # from the first level to the last
        return CMAwM(np.clip(mean, *bounds.T), self.sigma, bounds, steps, seed=seed)


def _ask(strategy: CMAwM | SepCMA) -> tuple[Array, Array]:
    """Where to evaluate, and what the strategy wants to be told about."""
    asked = strategy.ask()
    return asked if isinstance(asked, tuple) else (asked, asked)
