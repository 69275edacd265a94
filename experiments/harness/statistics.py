"""Statistics as in the paper: mean gaps with bands of a quarter of a standard deviation, and rank tests of all pairs.

Standard deviations are those of a sample (divided by n - 1), and not a number where there is a single seed.
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats

from harness.search import Line
from rembo.arrays import Array

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Summary:
    """Gaps at the end, one for each seed."""

    gaps: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean gap."""
        return float(np.mean(self.gaps))

    @property
    def std(self) -> float:
        """The standard deviation over seeds."""
        return float(np.std(self.gaps, ddof=1)) if len(self.gaps) > 1 else math.nan

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.std / math.sqrt(len(self.gaps))

    @property
    def median(self) -> float:
        """The median gap."""
        return float(np.median(self.gaps))

    @property
    def worst(self) -> float:
        """The largest gap."""
        return max(self.gaps)


@dataclass(frozen=True, eq=False)
class Band:
    """A mean and what lies a quarter of a standard deviation below and above it, after each evaluation, (n,) each."""

    mean: Array
    low: Array
    high: Array


def band(curves: Array) -> Band:
    """The band of curves, (seeds, n); a single seed has no width."""
    mean = curves.mean(axis=0)
    quarter = curves.std(axis=0, ddof=1) / 4.0 if len(curves) > 1 else np.zeros_like(mean)
    return Band(mean, mean - quarter, mean + quarter)


def best_so_far(line: Line, n_trials: int) -> Array:
    """The gap after each of the first n_trials evaluations, (n_trials,); infinite before a first value."""
    evaluations, gaps = zip(*line.gaps, strict=True)
    reached = np.searchsorted(evaluations, np.arange(1, n_trials + 1), side="right")
    return np.array([math.inf, *gaps])[reached]


def curves(lines: Iterable[Line], n_trials: int) -> Array:
    """The gaps by evaluation of several searches on one grid, (seeds, n_trials)."""
    return np.array([best_so_far(line, n_trials) for line in lines]).reshape(-1, n_trials)


@dataclass(frozen=True)
class Comparison:
    """A two-sided Mann-Whitney U test of two methods; `p` is corrected for the number of pairs (Bonferroni)."""

    first: str
    second: str
    statistic: float
    p: float

    @property
    def significant(self) -> bool:
        """Whether the difference is, at the level of 5 %."""
        return self.p < SIGNIFICANT


def rank_tests(samples: Mapping[str, Sequence[float]]) -> list[Comparison]:
    """Every pair of methods compared by their gaps at the end."""
    pairs = list(combinations(samples, 2))
    return [_rank_test(first, second, samples, len(pairs)) for first, second in pairs]


def _rank_test(first: str, second: str, samples: Mapping[str, Sequence[float]], pairs: int) -> Comparison:
    test = stats.mannwhitneyu(samples[first], samples[second], alternative="two-sided")
    return Comparison(first, second, float(test.statistic), min(1.0, pairs * float(test.pvalue)))


def same_distribution(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of a two-sample Kolmogorov-Smirnov test: large if nothing tells the two samples apart."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Exact calculation unsuccessful")  # where it rounds to more than 1
        return float(stats.ks_2samp(first, second).pvalue)


def same_mean(first: Summary, mean: float, std: float, number: int) -> float:
    """The p-value of Welch's t-test against another sample of which mean, standard deviation and size are known."""
    test = stats.ttest_ind_from_stats(
        first.mean, first.std, len(first.gaps), mean, std, number, equal_var=False
    )  # fmt: skip
    return float(test.pvalue)
