"""Learning length scales: Algorithm 3, and maximum a posteriori estimation beyond it.

Sixth step of the path. Section 3.3 of the paper: the marginal likelihood is maximised below an upper bound that falls
whenever the search exploits too much, because too short a length scale costs time and too long a one costs convergence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from rembo.arrays import Array
from rembo.border import check_part, check_whole
from rembo.embedding import Region
from rembo.gp import Evidence, Noise
from rembo.kernel import BoundKernel
from rembo.maximizer import CMAES, Ascending, Ascent, BestOf, Direct, Maximizer

MOST_NOISE = 1.0  # of the variance of the values: all of it
LEAST_NOISE = 1e-8


@dataclass(frozen=True, eq=False)
class LengthScale:
    """What Algorithm 3 carries from step to step: l, its upper bound U, and C, the exploiting steps in a row."""

    value: float | Array
    upper: float | Array = 50.0
    exploited: int = 0


@dataclass(frozen=True, eq=False)
class Hyperparameters:
    """The length scales and the noise in force."""

    scale: LengthScale
    noise: float

    @property
    def scales(self) -> Array:
        """The length scales as a vector, (p,)."""
        return np.atleast_1d(np.asarray(self.scale.value, dtype=np.float64))


class Learning(Protocol):
    """How hyper-parameters follow from data: a first guess, then a step after each observation."""

    def begin(self, kernel: BoundKernel, noise: Noise) -> Hyperparameters:
        """Before any observation."""

    def advance(
        self, now: Hyperparameters, t: int, std: float, evidence: Evidence, rng: np.random.Generator
    ) -> Hyperparameters:
        """After the t-th observation, which was made where the belief had spread `std`."""


@dataclass(frozen=True)
class Schedule:
    """Algorithm 3: relearn every 20 observations, and after 5 exploiting steps below a lowered upper bound.

    The observations are counted from the one after `since` on.
    """

    every: int = 20
    patience: int = 5
    threshold: float = 0.002
    lower: float = 0.01
    upper: float = 50.0
    shrink: float = 0.9
    search: Maximizer = field(default_factory=lambda: BestOf(Direct(80), CMAES(80)))
    since: int = 0

    def __post_init__(self) -> None:
        check_part(self.search, "search", "__call__", "rembo.Ascent()")
        check_whole(self.every, "every", 1)
        check_whole(self.since, "since", 0)
        check_whole(self.patience, "patience", 1)
        _check_range(self.lower, self.upper)

    def begin(self, kernel: BoundKernel, noise: Noise) -> Hyperparameters:
        """The kernel's own length scales, moved into [L, U]."""
        scales = np.clip(kernel.scales, self.lower, self.upper)
        return Hyperparameters(LengthScale(scales, np.full(len(scales), self.upper)), _first_guess(noise))

    def advance(
        self, now: Hyperparameters, t: int, std: float, evidence: Evidence, rng: np.random.Generator
    ) -> Hyperparameters:
        """One pass of Algorithm 3; noise, where it is to be learned, is learned with the length scales."""
        noise = now.noise

        def learn(lower: float, upper: float | Array) -> Array:
            nonlocal noise
            landscape = _Landscape.of(
                evidence, np.full_like(now.scales, lower), np.broadcast_to(upper, now.scales.shape)
            )
            scales, noise = landscape.highest(self.search, [now], rng)
            return scales

        return Hyperparameters(advance(self, now.scale, t, std, learn), noise)


def advance(
    rule: Schedule,
    now: LengthScale,
    t: int,
    std: float,
    learn: Callable[[float, float | Array], float | Array],
) -> LengthScale:
    """One pass of Algorithm 3, after the t-th observation was made where the belief had spread `std`."""
    exploited = now.exploited + 1 if std < rule.threshold else 0  # lines 4-8: counts C
    stuck = exploited == rule.patience  # C = 5
    upper = np.maximum(rule.shrink * now.value, rule.lower) if stuck else now.upper  # line 12: U = max{0.9 l, L}
    if not stuck and (t <= rule.since or (t - rule.since) % rule.every):  # line 10: t mod 20 = 0
        return replace(now, exploited=exploited)
    return LengthScale(learn(rule.lower, upper), upper, 0 if stuck else exploited)  # lines 13, 15


@dataclass(frozen=True)
class Prior:
    """What is believed of a positive number: log theta ~ N(log median, spread^2), between bounds."""

    median: float
    spread: float
    lower: float
    upper: float


@dataclass(frozen=True)
class MaximumAPosteriori:
    """The most probable length scales under a log-normal prior, climbed to from where they were; for ARD kernels.

    Without a median the prior's is the kernel's own length scale. `every` says after how many observations to relearn,
    `fresh` after how many to climb from the prior's median too, lest an early mistake be kept for ever. `besides` are
    the priors of what a kernel has beside length scales.
    """

    median: float | None = None
    spread: float = 1.5
    every: int = 1
    fresh: int = 10
    lower: float = 0.01
    upper: float = 100.0
    besides: tuple[Prior, ...] = ()
    search: Maximizer = field(default_factory=lambda: Ascent(sobol=4, local=0, climbs=2, steps=50))

    def __post_init__(self) -> None:
        check_part(self.search, "search", "__call__", "rembo.Ascent()")
        check_whole(self.every, "every", 1)
        check_whole(self.fresh, "fresh", 1)
        _check_range(self.lower, self.upper)
        if not self.spread > 0.0:
            raise ValueError(f"spread {self.spread} of the prior must be positive")

    def begin(self, kernel: BoundKernel, noise: Noise) -> Hyperparameters:
        """The median of the prior."""
        scales = np.array([np.clip(prior.median, prior.lower, prior.upper) for prior in self._priors(kernel)])
        return Hyperparameters(LengthScale(scales, self.upper), _first_guess(noise))

    def advance(
        self, now: Hyperparameters, t: int, std: float, evidence: Evidence, rng: np.random.Generator
    ) -> Hyperparameters:
        """The mode of the posterior over hyper-parameters; `std` plays no part."""
        if t % self.every:
            return now
        priors = self._priors(evidence.kernel)
        lower, upper = (np.array([getattr(prior, bound) for prior in priors]) for bound in ("lower", "upper"))
        landscape = _Landscape.of(evidence, lower, upper, _LogNormal.of(priors))
        starts = [now] if t % self.fresh else [now, self.begin(evidence.kernel, evidence.noise)]
        scales, noise = landscape.highest(self.search, starts, rng)
        return Hyperparameters(replace(now.scale, value=scales), noise)

    def _priors(self, kernel: BoundKernel) -> tuple[Prior, ...]:
        """One for each of the kernel's scales."""
        lengths = kernel.scales[: len(kernel.scales) - len(self.besides)]
        medians = lengths if self.median is None else np.full_like(lengths, self.median)
        of_lengths = (Prior(float(median), self.spread, self.lower, self.upper) for median in medians)
        return (*of_lengths, *self.besides)


@dataclass(frozen=True, eq=False)
class _LogNormal:
    """log l ~ N(mean, spread^2), independently, up to a constant; a spread of infinity is no prior at all."""

    mean: Array
    spread: Array

    @classmethod
    def of(cls, priors: Sequence[Prior]) -> "_LogNormal":
        return cls(np.log([prior.median for prior in priors]), np.array([prior.spread for prior in priors]))

    def log_density(self, log_scales: Array) -> float:
        return float(-0.5 * np.sum(((log_scales - self.mean) / self.spread) ** 2))

    def gradient(self, log_scales: Array) -> Array:
        return np.asarray(-(log_scales - self.mean) / self.spread**2)


@dataclass(frozen=True, eq=False)
class _Landscape:
    """Evidence plus log prior over a box of log length scales and, if it is to be learned, log noise; as [-1,1]^q."""

    evidence: Evidence
    low: Array
    high: Array
    prior: _LogNormal

    @classmethod
    def of(cls, evidence: Evidence, lower: Array, upper: Array, prior: _LogNormal | None = None) -> "_Landscape":
        noise = evidence.noise
        low = np.log(lower if noise.known else np.append(lower, noise.low))
        high = np.log(upper if noise.known else np.append(upper, noise.high))
        return cls(evidence, low, high, prior or _LogNormal(np.zeros_like(lower), np.full_like(lower, np.inf)))

    def highest(
        self, search: Maximizer, starts: Sequence[Hyperparameters], rng: np.random.Generator
    ) -> tuple[Array, float]:
        """The best scales, (p,), and noise that the search finds from the starts."""
        found = search(self, Region(len(self.low), 1.0), np.array([self._position(start) for start in starts]), rng)
        return self._hyperparameters(found.at)

    def _position(self, start: Hyperparameters) -> Array:
        theta = np.log(start.scales if self.evidence.noise.known else np.append(start.scales, start.noise))
        half = np.maximum((self.high - self.low) / 2.0, 1e-12)  # U may have come down to L
        return np.clip((theta - (self.low + self.high) / 2.0) / half, -1.0, 1.0)

    def __call__(self, Y: Array) -> Array:
        return np.array([self._value(v) for v in Y])

    def with_gradient(self, Y: Array) -> Ascending:
        values, gradients = zip(*(self._value_and_gradient(v) for v in Y), strict=True)
        return Ascending(np.array(values), np.array(gradients))

    def _value(self, v: Array) -> float:
        scales, noise = self._hyperparameters(v)
        return self.evidence(scales, noise) + self.prior.log_density(np.log(scales))

    def _value_and_gradient(self, v: Array) -> tuple[float, Array]:
        scales, noise = self._hyperparameters(v)
        value, slope = self.evidence.with_gradient(scales, noise)
        slope[:-1] += self.prior.gradient(np.log(scales))
        return value + self.prior.log_density(np.log(scales)), slope[: len(v)] * (self.high - self.low) / 2.0

    def _hyperparameters(self, v: Array) -> tuple[Array, float]:
        log_theta = (self.low + self.high) / 2.0 + v * (self.high - self.low) / 2.0
        theta = np.clip(np.exp(log_theta), np.exp(self.low), np.exp(self.high))
        return (theta, self.evidence.noise.low) if self.evidence.noise.known else (theta[:-1], float(theta[-1]))


def _check_range(lower: float, upper: float) -> None:
    if not 0.0 < lower < upper < np.inf:
        raise ValueError(f"length scales between {lower} and {upper}: the bounds must be positive, finite and in order")


def _first_guess(noise: Noise) -> float:
    return noise.low if noise.known else 1e-2
