"""How values of f become what the Gaussian process sees: mean 0, variance 1, and no wall that hides the valley.

All are increasing functions of f, so the best point stays the best. A failed evaluation, told as NaN, counts as the
worst value seen, so that its place is avoided. `Raw` leaves values as they are: the authors' released code does.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rembo.arrays import Array, Mask
from rembo.border import check_whole

_LARGEST = 1e100  # so that squares of raw values do not overflow
_WALL = 0.1  # of all values, at least two, that are the worst value: fewer are chance


class Values(Protocol):
    """Raw values, (n,), NaN where an evaluation failed, to those of a function drawn from a process of mean 0."""

    def __call__(self, raw: Array) -> Array:
        """What the Gaussian process sees, (n,)."""


@dataclass(frozen=True)
class Standardized:
    """Mean and scale removed, nothing else."""

    def __call__(self, raw: Array) -> Array:
        """(v - mean) / std; zeros if all are equal."""
        return _standardize(_impute(raw))


@dataclass(frozen=True)
class Raw:
    """Values as they are: for an f whose own unit and zero suit a process of mean 0 and variance 1.

    Neither mean nor scale is removed, so that the search depends on the unit of f. Noise is in that unit, too.
    """

    def __call__(self, raw: Array) -> Array:
        """The values, failures replaced by the worst one; zeros if all failed."""
        seen = raw[~np.isnan(raw)]
        worst = seen.max() if len(seen) else 0.0
        return np.clip(np.where(np.isnan(raw), worst, raw), -_LARGEST, _LARGEST)


@dataclass(frozen=True)
class LogTail:
    """Values above the median m are drawn in, then standardised: m + w log(1 + (v - m) / w), with w = m - best.

    One wall of height 10^4 would otherwise set the unit in which a valley of depth 1 is measured. Below the median
    nothing changes, and at the median the slope is 1 from both sides. See docs/adr/0005-values-with-a-drawn-in-tail.md.
    The median is that of the values that tell something (`telling`): a wall on which most of them lie is drawn in, too.

    A search that exploits one place fills half of the values with copies of the best, and w would fall to nothing:
    with `least` it stays above that part of what it was for the first `design` values that tell something.
    """

    least: float = 0.0
    design: int = 6

    def __post_init__(self) -> None:
        check_whole(self.design, "design", 1)
        if not 0.0 <= self.least <= 1.0:
            raise ValueError(f"least {self.least} is a part of a width: it must lie between 0 and 1")

    def __call__(self, raw: Array) -> Array:
        """Standardised values with a drawn-in tail; zeros if all are equal."""
        return _standardize(self._drawn(_impute(raw)).values)

    def log_jacobian(self, raw: Array) -> float:
        """The logs of the slopes of this function at all values, summed, less a constant that no setting changes.

        A model's evidence of what this function returns, plus this, is its evidence of the values themselves: only so
        can models of differently drawn-in values be compared.
        """
        drawn = self._drawn(_impute(raw))
        unit = float(drawn.values.std()) if len(raw) else 0.0
        return float(drawn.log_slopes.sum()) - len(raw) * math.log(unit) if unit > 0.0 else 0.0

    def _drawn(self, values: Array) -> "_Drawn":
        told = values[telling(values)]
        if len(told) == 0:
            return _Drawn(np.zeros(len(values)), np.zeros(len(values)))
        best = told.min()
        width = max(np.median(told) - best, self.least * (np.median(told[: self.design]) - best))
        if not width > 1e-100:  # of the largest value; a narrower one is rounding
            return _Drawn(values, np.zeros(len(values)))
        excess = np.log1p(np.maximum(values - best - width, 0.0) / width)
        return _Drawn(np.minimum(values, best + width) + width * excess, -excess)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Values with a drawn-in tail, (n,), and the logs of the slopes with which they change, (n,)."""

    values: Array
    log_slopes: Array


def telling(raw: Array) -> Mask:
    """Which values say more than that a place is bad, (n,): neither failures nor the worst value, if many have it.

    Programs that find nothing, and penalties for what is not allowed, give the same value everywhere.
    """
    seen = ~np.isnan(raw)
    worst = raw == raw[seen].max(initial=-np.inf)
    wall = np.count_nonzero(worst) >= max(2.0, _WALL * np.count_nonzero(seen))
    return seen & ~worst if wall else seen


def _impute(raw: Array) -> Array:
    """Failures replaced by the worst value; divided by the largest, so that squares neither overflow nor vanish."""
    seen = raw[~np.isnan(raw)]
    if len(seen) == 0:
        return np.zeros(len(raw))
    return np.where(np.isnan(raw), seen.max(), raw) / (np.abs(seen).max() or 1.0)


def _standardize(values: Array) -> Array:
    if len(values) == 0:
        return values
    centered = values - values.mean()
    spread = centered.std()
    return centered / spread if spread > 0.0 else np.zeros(len(values))
