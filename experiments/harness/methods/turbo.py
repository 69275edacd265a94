"""TuRBO-1: Bayesian optimization in one trust region (Eriksson et al. 2019), on BoTorch's Gaussian process.

Written from the paper's Section 2 and its supplement. Coordinates are those of the unit cube, as in the paper; GP and
trust region see a discrete coordinate at the middle of its level's share, the choices of a category in their order.
"""

import math
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace

import gpytorch
import numpy as np
import torch
from botorch.exceptions import BotorchWarning, ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from linear_operator.utils.warnings import NumericalWarning
from torch.quasirandom import SobolEngine

from harness.methods.cube import on_cube, snap
from harness.methods.method import Objective
from rembo.space import Domain


@dataclass(frozen=True)
class TrustRegion:
    """The side of the region before it is stretched by the length scales, and what has happened in a row."""

    side: float
    successes: int = 0
    failures: int = 0


@dataclass(frozen=True)
class Data:
    """What was evaluated since the last restart: U in [0,1]^D, (n, D), and values, (n,)."""

    U: torch.Tensor
    values: torch.Tensor

    @property
    def best(self) -> torch.Tensor:
        """The point with the lowest value, (D,)."""
        return self.U[self.values.argmin()]

    def extended(self, U: torch.Tensor, values: torch.Tensor) -> "Data":
        """With more rows."""
        return Data(torch.cat([self.U, U]), torch.cat([self.values, values]))


@dataclass(frozen=True)
class TuRBO:
    """TuRBO-1 with Thompson sampling in batches, the paper's constants throughout but for the first design.

    Its 2 D points would use up the whole budget where D is large: here they are 2 D and at most a fifth of the budget.
    """

    batch: int = 4
    first_side: float = 0.8
    smallest_side: float = 2.0**-7
    largest_side: float = 1.6
    patience: int = 3  # tau_succ: successes in a row that double the side
    improvement: float = 1e-3  # of |best|: what counts as a success
    packages: tuple[str, ...] = ("botorch", "gpytorch", "torch")

    def serves(self, space: Domain) -> bool:
        """What Sobol' sequences are tabulated for."""
        return space.size <= SobolEngine.MAXDIM

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Region after region, each from a first design of its own, until the budget is spent."""
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        left = n_trials
        while left > 0:
            design = SobolEngine(space.size, scramble=True).draw(self._design_size(space, n_trials), dtype=torch.double)
            data = _evaluate(f, space, design[:left])
            left -= len(data.values)
            region = TrustRegion(self.first_side)
            while left > 0 and region.side >= self.smallest_side:
                new = _evaluate(f, space, self._batch_of(data, region)[:left])
                left -= len(new.values)
                region = self.advance(region, data, new)
                data = data.extended(new.U, new.values)

    def _design_size(self, space: Domain, n_trials: int) -> int:
        return max(self.batch, min(2 * space.size, n_trials // 5))

    def advance(self, region: TrustRegion, data: Data, new: Data) -> TrustRegion:
        """The region after a batch: doubled after tau_succ successes in a row, halved after tau_fail failures."""
        best = float(data.values.min())
        if float(new.values.min()) < best - self.improvement * abs(best):
            region = replace(region, successes=region.successes + 1, failures=0)
        else:
            region = replace(region, successes=0, failures=region.failures + 1)
        if region.successes == self.patience:
            return TrustRegion(min(2.0 * region.side, self.largest_side))
        if region.failures == math.ceil(max(4, data.U.shape[1]) / self.batch):
            return TrustRegion(region.side / 2.0)
        return region

    def _batch_of(self, data: Data, region: TrustRegion) -> torch.Tensor:
        """Where `batch` samples of the posterior are lowest among candidates in the region, (batch, D)."""
        with warnings.catch_warnings(), gpytorch.settings.max_cholesky_size(float("inf")):
            warnings.simplefilter("ignore", BotorchWarning)  # fits are retried
            warnings.simplefilter("ignore", NumericalWarning)  # and jitter is added as a matter of routine
            model, scales = _fitted(data)
            candidates = _candidates(data.best, region.side * scales / 2.0)
            with torch.no_grad():
                return MaxPosteriorSampling(model, replacement=False)(candidates, num_samples=self.batch)


def _fitted(data: Data) -> tuple[SingleTaskGP, torch.Tensor]:
    """The GP of the negated standardised values, which BoTorch maximises; and its length scales, geometric mean 1.

    Near the optimum of a smooth function every attempt of a fit may fail: then the first guess of its scales is used.
    """
    dim = data.U.shape[1]
    kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=dim, lengthscale_constraint=Interval(0.005, 4.0)))
    likelihood = GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
    spread = data.values.std().clamp_min(1e-12)
    targets = -(data.values - data.values.mean()) / spread
    model = SingleTaskGP(data.U, targets[:, None], likelihood=likelihood, covar_module=kernel, outcome_transform=None)
    with suppress(ModelFittingError):
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    model.eval()
    lengths = kernel.base_kernel.lengthscale.detach().flatten()
    return model, lengths / lengths.log().mean().exp()


def _candidates(center: torch.Tensor, half_sides: torch.Tensor) -> torch.Tensor:
    """Sobol' points of the region of which each differs from its centre in about 20 coordinates, at least in one."""
    dim = len(center)
    low, high = (center - half_sides).clamp(0.0, 1.0), (center + half_sides).clamp(0.0, 1.0)
    count = min(100 * dim, 5000)
    drawn = low + (high - low) * SobolEngine(dim, scramble=True).draw(count, dtype=torch.double)
    moved = torch.rand(count, dim) <= min(20.0 / dim, 1.0)
    still = ~moved.any(dim=1)
    moved[still, torch.randint(dim, (int(still.sum()),))] = True
    return torch.where(moved, drawn, center)


def _evaluate(f: Objective, space: Domain, U: torch.Tensor) -> Data:
    """f at each row of U; the rows as the space understands them."""
    positions = [snap(space, np.asarray(2.0 * u - 1.0)) for u in U.numpy()]
    values = [on_cube(f, space, u) for u in positions]
    return Data(torch.from_numpy((np.array(positions) + 1.0) / 2.0), torch.tensor(values, dtype=torch.double))
