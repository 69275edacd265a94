"""Section 3: how large Y must be, simulated: where random Gaussian matrices put an optimizer of [-1,1]^d_e.

Two claims are measured. The first is the paper's simulation: for d_e from 1 to 50 and 10,000 matrices B each,
||B^-1 1||_inf < (1/eps) max(log d_e, 1) with empirical probability above 1 - eps. By rotational invariance the norm is
distributed as sqrt(d_e) max|u| / |z| with u uniform on the sphere and z standard normal, which gives the probability
itself, beside the frequency. The second is that Y = [-sqrt d, sqrt d]^d holds an optimizer of Branin, where the paper
counts 13 failures in 50 runs with d = 2. With projection onto the box Branin has three optimizers; evaluated at A y
itself, as the authors' released demo does, it has one in each period of its cosine, and more of them can be reached.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import binomtest

from harness import figures
from harness.measured import digits, keep
from rembo import GaussianEmbedding, epsilon_region, paper_region
from rembo.arrays import Array, Mask
from rembo.problems import Branin

SEED = 0
EFFECTIVE_DIMS = range(1, 51)
EPSILONS = (0.5, 0.2, 0.1, 0.05, 0.01)
MATRICES = 10_000
DIRECTIONS = 200_000
BOX_DIMS = (2, 3, 4, 5, 6)
BOXES = 1_000_000
FAILED, RUNS = 13, 50  # Section 4.1: d = 2, k = 1
PERIODS = 10  # of Branin's cosine to either side; optimizers further out are 30 half-widths of the box away
BATCH = 2_000_000  # random numbers at a time: 16 MB


def matrices(which: range, rows: int, columns: int, seed: int) -> Array:
    """Independent Gaussian matrices by number, (n, rows, columns): consecutive rows of one long random embedding."""
    index = np.arange(which.start * rows, which.stop * rows)
    return GaussianEmbedding(10**9, columns, seed).rows(index).reshape(-1, rows, columns)


def over_matrices(measure: Callable[[Array], Array], number: int, rows: int, columns: int, seed: int) -> Array:
    """What is measured of each of so many matrices, (number, ...), a batch of them at a time."""
    size = max(BATCH // (rows * columns), 1)
    batches = [range(number)[start : start + size] for start in range(0, number, size)]
    return np.concatenate([measure(matrices(batch, rows, columns, seed)) for batch in batches])


def corner_norms(B: Array) -> Array:
    """||B^-1 1||_inf of each matrix; B: (n, d_e, d_e)."""
    ones = np.ones((*B.shape[:2], 1))
    return np.abs(np.linalg.solve(B, ones)).max(axis=(1, 2))


def least_norms(B: Array, X: Array) -> Array:
    """min ||y||_inf subject to B y = x, for B: (n, 2, d) and X: (m, 2), as (n, m).

    The image of the cube [-h, h]^d under B is a polygon whose edges run along the columns b_j, so x lies in it if and
    only if |det(b_j, x)| <= h sum_i |det(b_j, b_i)| for each j.
    """
    b1, b2 = B[:, 0, :], B[:, 1, :]
    heights = np.abs(b1[:, None, :] * X[:, 1, None] - b2[:, None, :] * X[:, 0, None])
    widths = np.abs(b1[:, :, None] * b2[:, None, :] - b2[:, :, None] * b1[:, None, :]).sum(axis=2)
    return (heights / widths[:, None, :]).max(axis=2)


def missed(d: int, number: int, optimizers: Array, seed: int) -> Mask:
    """For each of so many random embeddings, whether [-sqrt d, sqrt d]^d holds none of the optimizers, (number,)."""
    half_width = paper_region(d).half_width
    return over_matrices(lambda B: least_norms(B, optimizers).min(axis=1), number, 2, d, seed) > half_width


def optimizers_inside() -> Array:
    """Branin's three optimizers in [-1,1]^2, (3, 2)."""
    return np.array(Branin().optimizers)


def optimizers_everywhere() -> Array:
    """Branin's optimizers in the plane, as far out as boxes reach, (2 PERIODS + 1, 2): x_1 an odd multiple of pi."""
    x1 = math.pi * (2.0 * np.arange(-PERIODS, PERIODS + 1) + 1.0)
    x2 = 5.1 / (4.0 * math.pi**2) * x1**2 - 5.0 / math.pi * x1 + 6.0
    return np.stack([(x1 - 2.5) / 7.5, (x2 - 7.5) / 7.5], axis=1)


@dataclass(frozen=True, eq=False)
class CornerLaw:
    """The law of ||B^-1 1||_inf: sqrt(d_e) max|u| / |z|, averaged over many directions u and exactly over z."""

    effective_dim: int
    largest: Array

    @classmethod
    def of(cls, effective_dim: int) -> "CornerLaw":
        """From as many directions as it takes for three digits."""
        u = np.random.default_rng([SEED, effective_dim]).standard_normal((DIRECTIONS, effective_dim))
        return cls(effective_dim, np.abs(u).max(axis=1) / np.linalg.norm(u, axis=1))

    def outside(self, epsilon: float) -> float:
        """P(||B^-1 1||_inf >= (1/eps) max(log d_e, 1))."""
        half_width = epsilon_region(self.effective_dim, epsilon).half_width
        return float(np.mean(2.0 * ndtr(math.sqrt(self.effective_dim) * self.largest / half_width) - 1.0))

    @property
    def worst_ratio(self) -> float:
        """The limit of P(outside) / eps as eps falls, which is its supremum, because P(outside) is concave in eps."""
        unit = epsilon_region(self.effective_dim, 1.0).half_width
        return math.sqrt(2.0 * self.effective_dim / math.pi) * float(self.largest.mean()) / unit

    @property
    def fails_below(self) -> float:
        """The eps below which P(outside) exceeds eps; 0 if it never does."""
        if self.worst_ratio <= 1.0:
            return 0.0
        return float(brentq(lambda epsilon: self.outside(epsilon) / epsilon - 1.0, 1e-6, 1.0))


def corner_simulation() -> dict[str, Any]:
    """Quantiles, frequencies and probabilities for each d_e; lists run over d_e."""
    norms = {d: over_matrices(corner_norms, MATRICES, d, d, seed=d) for d in EFFECTIVE_DIMS}
    laws = {d: CornerLaw.of(d) for d in EFFECTIVE_DIMS}
    bounds = {(d, e): epsilon_region(d, e).half_width for d in EFFECTIVE_DIMS for e in EPSILONS}
    above = [[d, e] for d in EFFECTIVE_DIMS for e in EPSILONS if np.mean(norms[d] >= bounds[d, e]) > e]
    return {
        "effective_dims": list(EFFECTIVE_DIMS),
        "matrices": MATRICES,
        "bound": by_epsilon(lambda d, e: bounds[d, e]),
        "quantile": by_epsilon(lambda d, e: np.quantile(norms[d], 1.0 - e)),
        "frequency_outside": by_epsilon(lambda d, e: np.mean(norms[d] >= bounds[d, e])),
        "probability_outside": by_epsilon(lambda d, e: laws[d].outside(e)),
        "frequency_above_epsilon": above,
        "worst_ratio": [digits(law.worst_ratio) for law in laws.values()],
        "fails_below": {str(d): digits(law.fails_below, 3) for d, law in laws.items() if law.fails_below},
    }


def by_epsilon(number: Callable[[int, float], float]) -> dict[str, list[float]]:
    """For each eps, a number for each d_e."""
    return {str(epsilon): [digits(number(d, epsilon)) for d in EFFECTIVE_DIMS] for epsilon in EPSILONS}


def box_simulation(optimizers: Array) -> dict[str, Any]:
    """For each d, how often Y holds none of the optimizers, with a 95 % interval."""
    return {str(d): failures(int(missed(d, BOXES, optimizers, SEED).sum()), BOXES) for d in BOX_DIMS}


def failures(number: int, of: int) -> dict[str, Any]:
    """A frequency with its exact binomial 95 % interval (Clopper and Pearson 1934)."""
    interval = binomtest(number, of).proportion_ci(0.95)
    return {
        "failed": number,
        "of": of,
        "frequency": digits(number / of),
        "interval": [digits(interval.low), digits(interval.high)],
    }


def draw(corner: dict[str, Any], boxes: dict[str, dict[str, Any]], paper: dict[str, Any]) -> Figure:
    """Quantiles against bounds, probabilities against eps, and failures of Y against d."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(figures.WIDTH, 3.6), layout="constrained")
    draw_quantiles(left, corner)
    draw_ratios(middle, corner)
    draw_failures(right, boxes, paper)
    return figure


def draw_quantiles(axes: Axes, corner: dict[str, Any]) -> None:
    """The 1 - eps quantile as a line, its bound dashed."""
    for number, epsilon in enumerate(EPSILONS):
        axes.plot(corner["effective_dims"], corner["quantile"][str(epsilon)], f"C{number}")
        axes.plot(corner["effective_dims"], corner["bound"][str(epsilon)], f"C{number}--", linewidth=1.0)
    axes.set(yscale="log", xlabel="$d_e$", title=r"$1-ε$ quantile of $\|B^{-1}1\|_\infty$; dashed: bound")
    axes.title.set_fontsize(9)


def draw_ratios(axes: Axes, corner: dict[str, Any]) -> None:
    """P(outside) / eps: the claim holds below 1."""
    for number, epsilon in enumerate(EPSILONS):
        frequency, probability = (
            np.array(corner[name][str(epsilon)]) / epsilon for name in ("frequency_outside", "probability_outside")
        )
        axes.plot(corner["effective_dims"], frequency, f"C{number}.", markersize=3)
        axes.plot(corner["effective_dims"], probability, f"C{number}", linewidth=1.0, label=f"ε = {epsilon}")
    axes.axhline(1.0, color="0.3", linestyle=":")
    axes.set(xlabel="$d_e$", xscale="log", title="P(outside) / ε: dots simulated, lines exact")
    axes.title.set_fontsize(9)
    axes.legend(frameon=False, fontsize=7)


def draw_failures(axes: Axes, boxes: dict[str, dict[str, Any]], paper: dict[str, Any]) -> None:
    """How often Y holds no optimizer of Branin, and the paper's count."""
    for number, (label, found) in enumerate(boxes.items()):
        draw_intervals(axes, BOX_DIMS, [found[str(d)] for d in BOX_DIMS], fmt=f"C{number}o-", label=label)
    draw_intervals(axes, [2], [paper], fmt="kx", label=f"paper, {FAILED} of {RUNS}")
    axes.set(yscale="log", xlabel="d", xticks=BOX_DIMS, title="P(Y holds no optimizer of Branin)")
    axes.title.set_fontsize(9)
    axes.legend(frameon=False, fontsize=7)


def draw_intervals(axes: Axes, x: Sequence[int], found: Sequence[dict[str, Any]], **style: Any) -> None:
    """Frequencies with their 95 % intervals; nothing where no failure was seen."""
    frequency, low, high = np.array([[f["frequency"] or np.nan, *f["interval"]] for f in found]).T
    axes.errorbar(x, frequency, [frequency - low, high - frequency], markersize=4, capsize=3, linewidth=1.2, **style)


def main() -> None:
    """Both simulations, the numbers and the figure."""
    corner = corner_simulation()
    boxes = {"projected": box_simulation(optimizers_inside()), "unprojected": box_simulation(optimizers_everywhere())}
    paper = failures(FAILED, RUNS)
    p_values = {
        label: digits(binomtest(FAILED, RUNS, found["2"]["frequency"]).pvalue, 3) for label, found in boxes.items()
    }
    keep("box_simulation", seed=SEED, **corner, boxes=boxes, paper=paper, p_value_of_the_paper=p_values)
    figures.save(draw(corner, boxes, paper), "box_simulation")


if __name__ == "__main__":
    main()
