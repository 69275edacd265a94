"""BAxUS (Papenmeier et al. 2022), from its package: a trust region in a subspace of axes, whose bins are split.

The package asks for gpytorch 1.8.1 or older, which today's BoTorch does not work with: it runs in an environment of its
own.
"""

import tempfile
import warnings
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import torch
from baxus.baxus import BAxUS
from baxus.benchmarks.benchmark_function import Benchmark

from harness.methods.ask_tell import small_continuum
from harness.methods.cube import on_cube
from harness.methods.method import Objective
from rembo.arrays import Array
from rembo.space import Domain


class BudgetSpentError(Exception):
    """Ends a search: a restart of BAxUS evaluates a whole design, whatever is left of the budget."""


class OnCube(Benchmark):  # type: ignore[misc]  # BAxUS takes nothing else
    """f on [-1,1]^D, so many times."""

    def __init__(self, f: Objective, space: Domain, n_trials: int) -> None:
        super().__init__(space.size, np.ones(space.size), -np.ones(space.size), 0.0)
        self.f, self.space, self.left = f, space, n_trials

    def __call__(self, x: Array) -> float:
        """The value at x, (D,)."""
        if self.left == 0:
            raise BudgetSpentError
        self.left -= 1
        return on_cube(self.f, self.space, np.clip(np.ravel(x), -1.0, 1.0))


@dataclass(frozen=True)
class BAxUSPackage:
    """Its defaults, with the ten first points of its command line."""

    target_dim: int = 10
    first: int = 10
    packages: tuple[str, ...] = ("baxus", "botorch", "gpytorch", "torch")

    def serves(self, space: Domain) -> bool:
        """Spaces of at most 1000 coordinates, each a continuum."""
        return small_continuum(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Until the budget is spent; what BAxUS writes of itself is thrown away."""
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002  # BAxUS draws from it
        benchmark = OnCube(f, space, n_trials)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), suppress(BudgetSpentError):
            warnings.simplefilter("ignore")  # of parts of PyTorch that are going to be removed
            search = BAxUS(benchmark, min(self.target_dim, space.size), self.first, n_trials, verbose=False,
                           run_dir=folder)  # fmt: skip
            search.optimize()
