"""Which parameters matter: what changing each alone does to f at the best configuration, and how sure that is.

A group of parameters is moved away from the incumbent, to up to four of its other settings, while all else stays: the
mean change of f is the group's *effect*, the variance of f over these settings, in all groups together 1, its *share*.
Both are known as well as f is at the moved points. Draws of f there, from the Gaussian process's posterior under many
plausible hyper-parameters, give the ranges. Where the values say nothing, a range is wide and includes zero.

The ranges are widened, since the model is too sure: the points of a search lie where it expects low values, and no
function is a draw from the prior. By how much was chosen on some searches of known functions (docs/adr, 0017);
benchmarks/importance.py measures on others how many of the ranges hold the truth.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices, Mask
from rembo.gp import Evidence, Noise, Posterior, Values, condition_shortening
from rembo.kernel import Leaves
from rembo.learning import Prior
from rembo.optimizer.additive import EFFECTS, LENGTH, axes_kernel
from rembo.optimizer.importance.laplace import HyperPosterior
from rembo.optimizer.importance.observed import NAMED, Observed
from rembo.space import Domain, coordinate_name, middle_of

_NOISE = Prior(1e-4, 4.0, 1e-8, 1.0)
_HYPERPARAMETERS, _FUNCTIONS = 20, 48  # draws: of the former, and of f for each
_SETTINGS = 4  # of a group beside the incumbent's
_WIDENED = 1.5  # standard deviations of f, from the posterior's own
_LOW, _HIGH = 0.05, 0.95
_DIGITS = 3  # of a share that count for the order


@dataclass(frozen=True)
class Importance:
    """A group of parameters that were never moved apart, and how much f depends on them around its best configuration.

    Where a group has several parameters, the trials do not tell them apart: effect and share are those of the group.

    Parameters
    ----------
    parameters
        The names of the first ten parameters of the group; none where it has more than a million.
    size
        How many parameters the group has.
    share
        The group's share of the variation of f around the best configuration, with one group at a time moved to a few
        of its other settings. The shares of all groups sum to 1.
    low, high
        The 90 % range of the share; `low` is 0 where the effect may be zero.
    effect
        How much worse f gets when this group alone is changed at the best configuration, in the units of f: the mean
        over up to four other settings. For a switch it is what flipping it costs. Negative: f gets better.
    effect_low, effect_high
        The 90 % range of the effect.
    """

    parameters: tuple[str, ...]
    size: int
    share: float
    low: float
    high: float
    effect: float
    effect_low: float
    effect_high: float

    @property
    def matters(self) -> bool:
        """Whether the values show that f depends on the group: zero lies outside the range of its effect."""
        return self.effect_low > 0.0 or self.effect_high < 0.0


@dataclass(frozen=True, eq=False)
class Ranges:
    """An estimate for each of g groups, and the 90 % range that it lies in, (g,) each."""

    estimate: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Moves:
    """The incumbent y, (g,), and points that differ from it in one group each: Y, (m, g), and that group, (m,)."""

    y: Array
    Y: Array
    groups: Indices

    @classmethod
    def away_from(cls, incumbent: int, leaves: Leaves, Y: Array) -> "Moves":
        """Each group at up to four of its other settings in Y, (n, g), spread over its range."""
        y = Y[incumbent]
        settings = [other_settings(leaves, leaf, Y[:, leaf], float(y[leaf])) for leaf in range(len(y))]
        groups = np.repeat(np.arange(len(y)), [len(values) for values in settings])
        moved = np.tile(y, (len(groups), 1))
        moved[np.arange(len(groups)), groups] = np.concatenate(settings)
        return cls(y, moved, groups)


def importance(space: Domain, seen: Observed, values: Values, rng: np.random.Generator) -> tuple[Importance, ...]:
    """The groups, those that surely matter first, each kind by falling shares.

    Shares are rounded before they are compared, so that rounding errors reorder nothing.
    """
    seen = seen.fewer()
    moves = Moves.away_from(seen.incumbent, seen.leaves, seen.data.Y)
    effect, share = effects_and_shares(seen, moves, values, rng)
    columns = (share.estimate, share.low, share.high, effect.estimate, effect.low, effect.high)
    found = [
        Importance(
            tuple(coordinate_name(space, index) for index in members[:NAMED].tolist()),
            int(size),
            *(float(numbers[g]) for numbers in columns),
        )
        for g, (members, size) in enumerate(zip(seen.members, seen.sizes, strict=True))
    ]
    return tuple(sorted(found, key=lambda group: (not group.matters, -round(group.share, _DIGITS))))


def effects_and_shares(seen: Observed, moves: Moves, values: Values, rng: np.random.Generator) -> tuple[Ranges, Ranges]:
    """What moving each group does to f, and its share of the variation of f."""
    standardised = values(seen.data.values)
    units = Units.of(standardised, seen.data.values)
    draws = [
        draw_changes(posterior, moves, units, rng)
        for posterior in posteriors(seen.leaves, seen.data.Y, standardised, rng)
    ]
    effects, variances = (np.vstack(of_all) for of_all in zip(*draws, strict=True))
    effect = Ranges(np.median(effects, axis=0), *np.quantile(effects, [_LOW, _HIGH], axis=0))
    return effect, _shares(variances, sure=(effect.low > 0.0) | (effect.high < 0.0))


def posteriors(leaves: Leaves, Y: Array, values: Array, rng: np.random.Generator) -> list[Posterior]:
    """Beliefs about f under plausible hyper-parameters of the model along the axes."""
    kernel = axes_kernel(leaves)
    priors = [*(LENGTH for _ in leaves.choices), *EFFECTS, _NOISE]
    evidence = Evidence(kernel, kernel.features(Y), values, Noise(_NOISE.lower, _NOISE.upper))
    plausible = HyperPosterior(evidence, priors).draws(_HYPERPARAMETERS, rng)
    return [condition_shortening(kernel.with_scales(each.scales), Y, values, each.noise) for each in plausible]


def draw_changes(posterior: Posterior, moves: Moves, units: "Units", rng: np.random.Generator) -> tuple[Array, Array]:
    """Draws of the mean change of f for each group, and of the variance of f over its settings, (48, g) each."""
    points = np.vstack([moves.Y, moves.y])
    belief, Z = posterior(points), posterior.kernel.features(points)
    covariance = posterior.kernel.covariance(Z, Z) - belief.V.T @ belief.V
    effects, variances = (np.zeros((_FUNCTIONS, len(moves.y))) for _ in range(2))
    for group in range(len(moves.y)):
        at = np.append(np.flatnonzero(moves.groups == group), len(moves.Y))  # the incumbent comes last
        normal = rng.standard_normal((_FUNCTIONS, len(at)))
        f = units(belief.mean[at] + _WIDENED * normal @ _root(covariance[np.ix_(at, at)]))
        effects[:, group] = f[:, :-1].mean(axis=1) - f[:, -1]
        variances[:, group] = f.var(axis=1)
    return effects, variances


def _root(covariance: Array) -> Array:
    """The symmetric square root, (k, k): unlike eigenvectors, it changes little with rounding errors."""
    sizes, V = np.linalg.eigh(covariance)
    return np.asarray((V * np.sqrt(np.maximum(sizes, 0.0))) @ V.T)


def _shares(variances: Array, sure: Mask) -> Ranges:
    """The mean of the drawn shares, and their range, which begins at zero where the effect may be zero."""
    total = variances.sum(axis=1, keepdims=True)
    shares = np.where(total > 0.0, variances / np.where(total > 0.0, total, 1.0), 1.0 / variances.shape[1])
    mean = shares.mean(axis=0)
    low, high = np.quantile(shares, [_LOW, _HIGH], axis=0)
    return Ranges(mean, np.where(sure, np.minimum(low, mean), 0.0), np.maximum(high, mean))


def other_settings(leaves: Leaves, leaf: int, seen: Array, now: float) -> Array:
    """Up to four settings of a leaf beside the one it has now: of those that were tried, or if none was, of all."""
    tried = np.unique(seen)
    if leaves.continuous[leaf]:
        wanted = middle_of(np.arange(_SETTINGS), _SETTINGS)
        nearest = tried[np.abs(np.subtract.outer(wanted, tried)).argmin(axis=1)]
        return np.unique(nearest) if len(tried) > 1 else wanted
    others = tried[tried != now]
    return _evenly(others if len(others) else _all_others(leaves, leaf, now))


def _all_others(leaves: Leaves, leaf: int, now: float) -> Array:
    """Every other setting of a choice, or some of a whole number."""
    choices = int(leaves.choices[leaf])
    everything = (
        middle_of(np.arange(choices), choices) if choices else leaves.whole[leaf].snap(np.linspace(-1.0, 1.0, 9))
    )
    return np.unique(everything[everything != now])


def _evenly(settings: Array) -> Array:
    """At most four of some settings, evenly spread."""
    if len(settings) <= _SETTINGS:
        return settings
    return np.asarray(settings[np.linspace(0, len(settings) - 1, _SETTINGS).astype(int)])


@dataclass(frozen=True, eq=False)
class Units:
    """From the units of the model to those of f: between values seen, a line; beyond them, as steep as before.

    What the model sees is an increasing function of f. model and own, (k,), are both increasing; `slopes` are those
    below the lowest and above the highest of them.
    """

    model: Array
    own: Array
    slopes: tuple[float, float]

    @classmethod
    def of(cls, standardised: Array, raw: Array) -> "Units":
        """From pairs of values, (n,)."""
        model, first = np.unique(standardised, return_index=True)
        own = raw[first]
        last = len(own) - 1
        return cls(model, own, (_slope(model, own, 0, len(own) // 2), _slope(model, own, 3 * last // 4, last)))

    def __call__(self, values: Array) -> Array:
        """Values of the model in units of f, any shape."""
        below, above = np.minimum(values - self.model[0], 0.0), np.maximum(values - self.model[-1], 0.0)
        return np.asarray(np.interp(values, self.model, self.own) + self.slopes[0] * below + self.slopes[1] * above)


def _slope(model: Array, own: Array, left: int, right: int) -> float:
    """How f grows with the model's value between two of them; from the lowest to the highest if they are one."""
    if right <= left:
        left, right = 0, len(own) - 1
    rise = model[right] - model[left]
    return float((own[right] - own[left]) / rise) if rise > 0.0 else 0.0
