"""BoTorch's default: a Gaussian process with a prior that grows with the dimension, and log expected improvement.

`SingleTaskGP` as it comes: values are standardised, and length scales have the prior of Hvarfner et al. (2024), whose
mode grows with the root of D. Coordinates are those of the unit cube.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.exceptions import BotorchWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from linear_operator.utils.warnings import NumericalWarning
from torch.quasirandom import SobolEngine

from harness.methods.ask_tell import small_continuum
from harness.methods.cube import on_cube
from harness.methods.method import Objective
from rembo.space import Domain


@dataclass(frozen=True)
class BoTorchDefault:
    """One point at a time; the first ones are Sobol' points, 2 D of them and at most a fifth of the budget."""

    restarts: int = 10
    raw_samples: int = 512
    fewest: int = 5
    packages: tuple[str, ...] = ("botorch", "gpytorch", "torch")

    def serves(self, space: Domain) -> bool:
        """Spaces of at most 1000 coordinates, each a continuum."""
        return small_continuum(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Fit, maximise, evaluate."""
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        many = min(n_trials, max(self.fewest, min(2 * space.size, n_trials // 5)))
        U = SobolEngine(space.size, scramble=True, seed=seed).draw(many, dtype=torch.double)
        values = torch.tensor([_value(f, space, u) for u in U], dtype=torch.double)
        for _ in range(n_trials - many):
            u = self._next(U, values)
            U, values = torch.vstack([U, u]), torch.cat([values, values.new_tensor([_value(f, space, u)])])

    def _next(self, U: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Where log expected improvement is highest, (D,); BoTorch maximises, so values are negated."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BotorchWarning)  # fits are retried
            warnings.simplefilter("ignore", NumericalWarning)  # and jitter is added as a matter of routine
            warnings.simplefilter("ignore", RuntimeWarning)  # an ascent that stopped early is one of several
            model = SingleTaskGP(U, -values[:, None])
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            score = LogExpectedImprovement(model, best_f=-values.min())
            bounds = torch.stack([torch.zeros(U.shape[1]), torch.ones(U.shape[1])]).double()
            found, _ = optimize_acqf(score, bounds, 1, self.restarts, self.raw_samples)
        return found[0]


def _value(f: Objective, space: Domain, u: torch.Tensor) -> float:
    return on_cube(f, space, np.asarray(2.0 * u - 1.0))
