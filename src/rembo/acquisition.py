"""Acquisition functions: what evaluating f at y is worth, given the belief about f there.

Seventh step of the path (learning -> acquisition -> optimizer). Section 2 of the paper, which uses expected improvement
and names the others. The library minimises, so an improvement is a value below `best`; all work on standardised values.
An acquisition is maximised.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.border import check_part, check_whole, is_finite
from rembo.embedding import Region
from rembo.gp import Belief, NotPositiveDefiniteError, Posterior, condition, condition_shortening
from rembo.maximizer import Ascending, Score

_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)
_LEAST_STD = 1e-12  # below this a belief is certain, and a ratio to its spread would be all rounding


class Acquisition(Protocol):
    """Turns a posterior into a score over the region."""

    def score(self, posterior: Posterior, best: float, region: Region, rng: np.random.Generator) -> Score:
        """What is to be maximised; `best` is the lowest value so far."""


@dataclass(frozen=True, eq=False)
class Utility:
    """The worth of a belief N(mean, std^2), and its derivatives by mean and by std; all (B,)."""

    value: Array
    by_mean: Array
    by_std: Array


class Analytic(Protocol):
    """An acquisition that is a function of the mean and the spread at the point alone."""

    def utility(self, belief: Belief, best: float) -> Utility:
        """The worth of each belief."""


@dataclass(frozen=True, eq=False)
class AnalyticScore:
    """A utility as a function of y, with the gradient that the chain rule gives."""

    acquisition: Analytic
    posterior: Posterior
    best: float

    def __call__(self, Y: Array) -> Array:
        """The utility at Y, (B, d)."""
        return self.acquisition.utility(self.posterior(Y), self.best).value

    def with_gradient(self, Y: Array) -> Ascending:
        """The utility at Y and its gradients, (B, d)."""
        belief = self.posterior(Y)
        utility = self.acquisition.utility(belief, self.best)
        return Ascending(utility.value, belief.gradient(utility.by_mean, utility.by_std))


@dataclass(frozen=True)
class ExpectedImprovement:
    """E max(best - f, 0) = std (pdf(z) + z cdf(z)), z = (best - mean) / std."""

    def score(self, posterior: Posterior, best: float, region: Region, rng: np.random.Generator) -> Score:
        """Expected improvement over the region."""
        return AnalyticScore(self, posterior, best)

    def utility(self, belief: Belief, best: float) -> Utility:
        """EI, by mean -cdf(z), by std pdf(z)."""
        std = np.maximum(belief.std, _LEAST_STD)
        z = (best - belief.mean) / std
        return Utility(std * np.exp(_improvement(z).log_h), -scipy.special.ndtr(z), np.exp(_log_pdf(z)))


@dataclass(frozen=True)
class LogExpectedImprovement:
    """log EI: the same maximiser as EI's, without its underflow (Ament et al. 2023)."""

    def score(self, posterior: Posterior, best: float, region: Region, rng: np.random.Generator) -> Score:
        """log EI over the region."""
        return AnalyticScore(self, posterior, best)

    def utility(self, belief: Belief, best: float) -> Utility:
        """log std + log h(z) with h(z) = pdf(z) + z cdf(z); derivatives as ratios to EI."""
        std = np.maximum(belief.std, _LEAST_STD)
        z = (best - belief.mean) / std
        improvement = _improvement(z)
        log_ei = np.log(std) + improvement.log_h
        return Utility(log_ei, -improvement.cdf_over_h / std, improvement.pdf_over_h / std)


@dataclass(frozen=True)
class ProbabilityOfImprovement:
    """P(f < best - margin) = cdf(z), z = (best - margin - mean) / std; the margin keeps it from clinging to best."""

    margin: float = 0.01

    def __post_init__(self) -> None:
        if not (is_finite(self.margin) and self.margin >= 0.0):
            raise ValueError(f"margin {self.margin} must be finite and not negative")

    def score(self, posterior: Posterior, best: float, region: Region, rng: np.random.Generator) -> Score:
        """Probability of improvement over the region."""
        return AnalyticScore(self, posterior, best)

    def utility(self, belief: Belief, best: float) -> Utility:
        """cdf(z), by mean -pdf(z)/std, by std -z pdf(z)/std."""
        std = np.maximum(belief.std, _LEAST_STD)
        z = (best - self.margin - belief.mean) / std
        density = np.exp(_log_pdf(z)) / std
        return Utility(scipy.special.ndtr(z), -density, -z * density)


@dataclass(frozen=True)
class UpperConfidenceBound:
    """-(mean - sqrt(beta) std): the most that f may plausibly yield (Srinivas et al. 2010).

    Without a beta it grows as their Theorem 2 has it in the form of Brochu et al. (2010):
    beta_t = 2 log(t^(d/2 + 2) pi^2 / (3 delta)).
    """

    beta: float | None = None
    delta: float = 0.1

    def __post_init__(self) -> None:
        if self.beta is not None and not (is_finite(self.beta) and self.beta >= 0.0):
            raise ValueError(f"beta {self.beta} must be finite and not negative")
        if not 0.0 < self.delta < 1.0:
            raise ValueError(f"delta {self.delta} is a probability: it must lie between 0 and 1")

    def score(self, posterior: Posterior, best: float, region: Region, rng: np.random.Generator) -> Score:
        """The bound over the region; `best` plays no part."""
        return AnalyticScore(self, posterior, best)

    def utility(self, belief: Belief, best: float) -> Utility:
        """sqrt(beta) std - mean."""
        t, d = max(len(belief.posterior), 1), belief.Y.shape[1]
        schedule = 2.0 * ((d / 2.0 + 2.0) * math.log(t) + math.log(math.pi**2 / (3.0 * self.delta)))
        root = math.sqrt(schedule if self.beta is None else self.beta)
        ones = np.ones_like(belief.mean)
        return Utility(root * belief.std - belief.mean, -ones, root * ones)


@dataclass(frozen=True)
class ThompsonSampling:
    """Minus one draw of f from the posterior (Thompson 1933).

    The draw is exact and joint at `anchors` Sobol points; between them it is the mean given data and draw, which is as
    smooth as the kernel and costs no more than the posterior itself. It works for every kernel.
    """

    anchors: int = 256

    def __post_init__(self) -> None:
        check_whole(self.anchors, "anchors", 1)

    def score(self, posterior: Posterior, best: float, region: Region, rng: np.random.Generator) -> Score:
        """Minus the drawn path over the region."""
        Y = region.sobol(self.anchors, rng)
        try:
            return AnalyticScore(_Greedy(), self._path(posterior, Y, rng), best)
        except NotPositiveDefiniteError:  # a covariance at the data need not be one at the anchors: see Hamming
            everywhere = condition_shortening(
                posterior.kernel, np.vstack([posterior.Y, Y]), np.zeros(len(posterior) + len(Y)), 0.0
            )
            shorter = condition(everywhere.kernel, posterior.Y, posterior.values, posterior.noise)
            return AnalyticScore(_Greedy(), self._path(shorter, Y, rng), best)

    def _path(self, posterior: Posterior, Y: Array, rng: np.random.Generator) -> Posterior:
        """The posterior given one draw at the anchors: f itself, without noise."""
        return posterior.extend(Y, posterior.sample(Y, rng), noise=1e-9)


@dataclass(frozen=True)
class _Greedy:
    """Minus the mean."""

    def utility(self, belief: Belief, best: float) -> Utility:
        return Utility(-belief.mean, -np.ones_like(belief.mean), np.zeros_like(belief.mean))


@dataclass(frozen=True, init=False, repr=False)
class Portfolio:
    """GP-Hedge (Hoffman, Brochu and de Freitas 2011): each member nominates a point, one is drawn by past success.

    A member's gain is minus the posterior mean at its nominees, summed over time; member i is chosen with probability
    proportional to exp(eta gain_i). Without arguments: expected improvement, upper confidence bound and probability of
    improvement, as in their paper. Portfolio(a, b) is Portfolio(members=(a, b)).
    """

    members: tuple[Acquisition, ...]
    eta: float

    def __init__(self, *acquisitions: Acquisition, members: Sequence[Acquisition] = (), eta: float = 1.0) -> None:
        usual = LogExpectedImprovement(), UpperConfidenceBound(), ProbabilityOfImprovement()
        object.__setattr__(self, "members", (*acquisitions, *members) or usual)
        object.__setattr__(self, "eta", eta)
        if not 0.0 <= eta < math.inf:
            raise ValueError(f"eta {eta} must be finite and not negative")
        for member in self.members:
            check_part(member, "a member", "score", "rembo.LogExpectedImprovement()")

    def __repr__(self) -> str:
        return f"Portfolio{self.members}"

    def choose(self, gains: Array, rng: np.random.Generator) -> int:
        """The number of the member whose nominee is asked; gains: (members,)."""
        odds = np.exp(self.eta * (gains - gains.max()))
        return int(rng.choice(len(self.members), p=odds / odds.sum()))

    def reward(self, gains: Array, posterior: Posterior, nominees: Array) -> Array:
        """The gains after the posterior has seen one more value; nominees: (members, d)."""
        return gains - posterior(nominees).mean


def _log_pdf(z: Array) -> Array:
    return -0.5 * z * z - _LOG_ROOT_2PI


@dataclass(frozen=True, eq=False)
class _Improvement:
    """h(z) = pdf(z) + z cdf(z), the expected improvement per unit of spread: its logarithm, and two ratios to it."""

    log_h: Array
    cdf_over_h: Array
    pdf_over_h: Array


def _improvement(z: Array) -> _Improvement:
    """Finite for every |z| < 1e150, and never a difference of two large numbers.

    Far left both terms of h are tiny and cancel. There h = pdf(z) q with q = 1 - |z| M, where Mills' ratio
    M = cdf(z)/pdf(z) = sqrt(pi/2) erfcx(|z|/sqrt 2); and beyond 1e4, where q itself would cancel, M = 1/|z|, q = 1/z^2.
    """
    right = np.maximum(z, -1.0)
    pdf, cdf = np.exp(_log_pdf(right)), scipy.special.ndtr(right)
    h = pdf + right * cdf
    left = np.maximum(-z, 1.0)
    near = np.minimum(left, 1e4)
    mills = np.where(left < 1e4, math.sqrt(math.pi / 2.0) * scipy.special.erfcx(near / math.sqrt(2.0)), 1.0 / left)
    q = np.where(left < 1e4, 1.0 - near * mills, left**-2.0)
    return _Improvement(
        log_h=np.where(z > -1.0, np.log(h), _log_pdf(left) + np.log(q)),
        cdf_over_h=np.where(z > -1.0, cdf / h, mills / q),
        pdf_over_h=np.where(z > -1.0, pdf / h, 1.0 / q),
    )
