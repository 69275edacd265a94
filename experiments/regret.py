"""The appendix on regret: the simple regret of the variant of REMBO that the theory covers, against t^(-1/d).

The regret theorem assumes, and this experiment does, the following. f has effective dimension d, that of the
embedding; on its effective subspace, a random one here, it is a kernel expansion and so an element of the RKHS of a
skew squared exponential kernel k_Delta with r^2 < eigenvalues of Delta < R^2. The search is expected improvement
(through its logarithm, which has the same maximiser) without noise, under a prior that never changes: mean 0, variance
1, kernel k_l^d with l(eps) = r / (2 sqrt d + sqrt(2 ln(4/eps))). It takes place on {y : A y in [-1,1]^D} alone, so
nothing is projected, and regret is measured against the best point of that set. The first point is the origin.

With probability 1 - eps the regret is then in O(t^(-1/d)): an upper bound for the worst f of the RKHS (Bull 2011), not
a prediction for each.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: one core

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import rembo
from harness import figures
from harness.measured import digits, keep
from rembo.arrays import Array
from rembo.embedding import Embedding, IdentityEmbedding, Point
from rembo.gp import Evidence, Noise
from rembo.kernel import BoundKernel
from rembo.learning import Hyperparameters, LengthScale
from rembo.maximizer import Ascending, Maximizer, Maximum, Score
from rembo.optimizer.rembo import EmbeddedSearch, Parts, Run


@dataclass(frozen=True)
class Setting:
    """What the theorem speaks of: d, D, the bounds r and R on the length scales of f, the probability eps."""

    dim: int
    n_trials: int
    shortest: float
    longest: float
    ambient_dim: int = 10
    epsilon: float = 0.1

    @property
    def largest_gain(self) -> float:
        """2 sqrt d + sqrt(2 ln(4/eps)): a d x d Gaussian matrix stretches no more with probability 1 - eps/2.

        The paper prints the inequality of Rudelson and Vershynin (2010) that this follows from with its sign reversed.
        """
        return 2.0 * math.sqrt(self.dim) + math.sqrt(2.0 * math.log(4.0 / self.epsilon))

    @property
    def length_scale(self) -> float:
        """l(eps), short enough for the RKHS of k_l to hold f(A y)."""
        return self.shortest / self.largest_gain


# The search must see the set piece by piece of size l before it can know. With these bounds on f the sets of the 20
# seeds measure 65 to 172 l for d = 1 and 207 to 955 l^2 for d = 2, about what the evaluations suffice to cover.
SETTINGS = (Setting(1, 150, shortest=0.05, longest=0.1), Setting(2, 300, shortest=0.25, longest=0.5))
SEEDS = range(20)
EVERY_STEP = rembo.Ascent(sobol=1024, local=256, climbs=8)
THOROUGH = rembo.Ascent(sobol=2**14, local=256, climbs=64, steps=200)
FLOOR = 1e-12  # below this a regret is rounding, and zero has no logarithm


@dataclass(frozen=True)
class Fixed:
    """The kernel's own length scale for ever."""

    def begin(self, kernel: BoundKernel, noise: Noise) -> Hyperparameters:
        """The kernel's length scales."""
        return Hyperparameters(LengthScale(kernel.scales), noise.low)

    def advance(
        self, now: Hyperparameters, t: int, std: float, evidence: Evidence, rng: np.random.Generator
    ) -> Hyperparameters:
        """What there was."""
        return now


@dataclass(frozen=True)
class Unscaled:
    """Values as they were told: the prior variance is 1 whatever is seen."""

    def __call__(self, raw: Array) -> Array:
        """`raw`."""
        return raw


@dataclass(frozen=True, eq=False)
class Rays:
    """[-h, h]^d onto {y : |A y|_inf <= 1}, each point along its own ray: z -> z |z|_inf / (h |A z|_inf)."""

    A: Array
    half_width: float

    def inward(self, Z: Array) -> Array:
        """From the box, (n, d)."""
        return Z * self._shrinkage(Z)[:, None]

    def outward(self, Y: Array) -> Array:
        """Back to the box, (n, d)."""
        return Y * (self.half_width * _gauge(Y @ self.A.T) / np.maximum(_gauge(Y), 1e-300))[:, None]

    def pull_back(self, Z: Array, G: Array) -> Array:
        """Gradients by y, (n, d), as gradients by z."""
        X = Z @ self.A.T
        rows, i, j = np.arange(len(Z)), np.abs(X).argmax(axis=1), np.abs(Z).argmax(axis=1)
        relative = -self.A[i] / np.where(X == 0.0, 1e-300, X)[rows, i][:, None]
        relative[rows, j] += 1.0 / np.where(Z == 0.0, 1e-300, Z)[rows, j]
        along = np.einsum("ij,ij->i", Z, G)[:, None]
        return self._shrinkage(Z)[:, None] * (G + along * relative)

    def _shrinkage(self, Z: Array) -> Array:
        return _gauge(Z) / (self.half_width * np.maximum(_gauge(Z @ self.A.T), 1e-300))


def _gauge(X: Array) -> Array:
    return np.abs(X).max(axis=1)


@dataclass(frozen=True, eq=False)
class Moved:
    """A score of y as a score of z."""

    score: Score
    rays: Rays

    def __call__(self, Z: Array) -> Array:
        """The scores of Z, (n, d)."""
        return self.score(self.rays.inward(Z))

    def with_gradient(self, Z: Array) -> Ascending:
        """Scores and gradients at Z, (n, d)."""
        found = self.score.with_gradient(self.rays.inward(Z))
        return Ascending(found.values, self.rays.pull_back(Z, found.gradients))


@dataclass(frozen=True, eq=False)
class Inside:
    """Maximises over the part of the embedding that maps inside the box, {y : |A y|_inf <= 1}."""

    A: Array
    maximizer: Maximizer

    def __call__(self, score: Score, region: rembo.Region, starts: Array, rng: np.random.Generator) -> Maximum:
        """The best point found by a maximiser over the region whose points are moved."""
        rays = Rays(self.A, region.half_width)
        found = self.maximizer(Moved(score, rays), region, rays.outward(starts), rng)
        return Maximum(rays.inward(found.at[None, :])[0], found.value)


@dataclass(frozen=True, eq=False)
class Cost:
    """f(x) = sum_i c_i k_Delta(P x, z_i), with P x, (d,), the coordinates of x in the effective subspace.

    `expansion` is the sum in coordinates where k_Delta is isotropic; `directions` are Delta^(-1/2) P, (d, D).
    """

    expansion: rembo.Posterior
    directions: Array

    def __call__(self, x: Point) -> float:
        """The value at x."""
        return float(self.expansion((self.directions @ np.asarray(x))[None, :]).mean[0])

    def depth(self, A: Array) -> "Depth":
        """-f(A y) as a score of y."""
        return Depth(self.expansion, self.directions @ A)


@dataclass(frozen=True, eq=False)
class Depth:
    """-f(A y), and its gradient."""

    expansion: rembo.Posterior
    matrix: Array

    def __call__(self, Y: Array) -> Array:
        """-f at Y, (n, d)."""
        return -self.expansion(Y @ self.matrix.T).mean

    def with_gradient(self, Y: Array) -> Ascending:
        """-f at Y, (n, d), and its gradients."""
        belief = self.expansion(Y @ self.matrix.T)
        ones = np.ones(len(Y))
        return Ascending(-belief.mean, -belief.gradient(ones, 0.0 * ones) @ self.matrix)


def draw_cost(setting: Setting, rng: np.random.Generator) -> Cost:
    """A random member of the RKHS: what a Gaussian process with kernel k_Delta makes of random values."""
    d, D = setting.dim, setting.ambient_dim
    P = np.linalg.qr(rng.standard_normal((D, d)))[0].T
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    scales = rng.uniform(setting.shortest, setting.longest, d)
    root = Q.T @ np.diag(1.0 / scales) @ Q
    centers = rng.uniform(-1.0, 1.0, (math.ceil(4.0 / setting.shortest) ** d, d)) @ root
    kernel = rembo.SquaredExponential(scale=1.0).bind(rembo.Box(d), IdentityEmbedding(d))
    expansion = rembo.condition(kernel, centers, rng.standard_normal(len(centers)), noise=0.1)
    return Cost(expansion, root @ P)


def lowest(cost: Cost, A: Array, rng: np.random.Generator) -> float:
    """The lowest value of f(A y) on {y : |A y|_inf <= 1}, as far as a long multi-start ascent finds it."""
    region = rembo.Region(A.shape[1], 1.0)
    return -Inside(A, THOROUGH)(cost.depth(A), region, region.center[None, :], rng).value


class CoveredSearch(EmbeddedSearch):
    """The variant of Algorithm 2 that the theorem covers."""

    def __init__(self, setting: Setting, seed: int) -> None:
        space = rembo.Box(setting.ambient_dim)
        embedding = rembo.GaussianEmbedding(setting.ambient_dim, setting.dim, seed)
        parts = Parts(
            kernel=rembo.SquaredExponential(scale=setting.length_scale),
            acquisition=rembo.LogExpectedImprovement(),
            maximizer=Inside(whole(embedding), EVERY_STEP),
            learning=Fixed(),
            values=Unscaled(),
            projection=False,
        )
        super().__init__(space, [Run(space, embedding, embedding.region, parts)], seed)
        self.setting = setting

    @property
    def settings(self) -> dict[str, Any]:
        """What it is made of."""
        return {"setting": self.setting}


def whole(embedding: Embedding) -> Array:
    """A, (D, d)."""
    return embedding.rows(np.arange(embedding.ambient_dim))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Simple regret after each evaluation, (n,); whether the theorem's event took place; whether the prior stayed.

    The event is that k_l is thinner than the kernel of f(A y), which has probability at least 1 - eps. The prior stays
    unless a covariance is numerically singular: then jitter is added to the noise of 1e-10, or l is shortened.
    """

    regret: Array
    thinner: bool
    unchanged: bool


def outcome(setting: Setting, seed: int) -> Outcome:
    """One search on one random f."""
    rng = np.random.default_rng([seed, setting.dim])
    cost, search = draw_cost(setting, rng), CoveredSearch(setting, seed)
    A = whole(search.runs[0].embedding)
    trials = rembo.minimize(cost, search.space, setting.n_trials, optimizer=search, progress=False).trials
    best = np.minimum.accumulate([trial.value for trial in trials])
    belief = search.runs[0].state.posterior
    return Outcome(
        regret=best - min(lowest(cost, A, rng), best[-1]),
        thinner=setting.length_scale * float(np.linalg.norm(cost.directions @ A, 2)) < 1.0,
        unchanged=bool(belief.kernel.scales[0] == setting.length_scale and belief.jitter == 0.0),
    )


def fitted_slope(regret: Array) -> float:
    """The slope of log regret against log t by least squares, over t spaced evenly in log t."""
    t = np.unique(np.geomspace(1, len(regret), 50).round().astype(int))
    return float(np.polyfit(np.log(t), np.log(regret[t - 1]), 1)[0])


def summary(setting: Setting, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """What the figure shows of one setting, and the constant of the bound: the largest t^(1/d) r_t of any seed."""
    curves = np.array([found.regret for found in outcomes])
    t = np.arange(1, setting.n_trials + 1)
    scaled = (curves * t ** (1.0 / setting.dim)).max(axis=0)
    return {
        "setting": asdict(setting) | {"length_scale": digits(setting.length_scale)},
        "thinner": sum(found.thinner for found in outcomes),
        "prior_unchanged": sum(found.unchanged for found in outcomes),
        "slope_of_the_mean": digits(fitted_slope(curves.mean(axis=0)), 3),
        "slope_of_the_worst": digits(fitted_slope(curves.max(axis=0)), 3),
        "constant": digits(scaled.max()),
        "constant_reached_at": int(t[scaled.argmax()]),
        "constant_at_the_end": digits(scaled[-1]),
        "mean": [digits(r) for r in curves.mean(axis=0)],
        "worst": [digits(r) for r in curves.max(axis=0)],
        "median": [digits(max(r, FLOOR)) for r in np.median(curves, axis=0)],
        "last": [digits(r, 3) for r in curves[:, -1]],
    }


def draw(found: dict[str, dict[str, Any]]) -> Figure:
    """Mean, median and worst regret against t, log-log, below the line C t^(-1/d)."""
    figure, panels = plt.subplots(1, len(found), figsize=(figures.WIDTH, 3.8), layout="constrained")
    for axes, numbers in zip(panels, found.values(), strict=True):
        dim, n_trials = numbers["setting"]["dim"], numbers["setting"]["n_trials"]
        t = np.arange(1, n_trials + 1)
        rate = f"t^{{-1/{dim}}}" if dim > 1 else "t^{-1}"
        axes.plot(t, numbers["constant"] * t ** (-1.0 / dim), "k--", label=f"${numbers['constant']:.2g}\\,{rate}$")
        axes.plot(t, numbers["worst"], "C3", label=f"worst, slope {numbers['slope_of_the_worst']}")
        axes.plot(t, numbers["mean"], "C0", linewidth=2.0, label=f"mean, slope {numbers['slope_of_the_mean']}")
        axes.plot(t, numbers["median"], "C2", label="median")
        axes.set(xscale="log", yscale="log", xlabel="t, evaluations", ylim=(1e-6, 50.0))
        axes.set_title(f"d = {dim}: simple regret, {len(SEEDS)} random f", fontsize=10)
        axes.legend(frameon=False, fontsize=8, loc="lower left")
    return figure


def main() -> None:
    """All settings, all seeds, the numbers and the figure."""
    found = {f"d = {setting.dim}": summary(setting, [outcome(setting, seed) for seed in SEEDS]) for setting in SETTINGS}
    keep("regret", seeds=list(SEEDS), **found)
    figures.save(draw(found), "regret")


if __name__ == "__main__":
    main()
