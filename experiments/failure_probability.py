"""Section 3.1: k interleaved runs all miss the optimum with probability delta^k, measured on Branin.

delta is the probability that one box Y = [-sqrt d, sqrt d]^d holds none of Branin's three optimizers. Ten million boxes
are drawn for each d; k of them in a row stand for the embeddings of k runs, which fail together if each of them does.
The formula is drawn with the delta measured at k = 1, so that point is on its line by construction. The paper has
delta = 13/50 from its 50 runs with d = 2, and 0.26^4 = 0.005 from the formula.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from box_simulation import FAILED, RUNS, SEED, draw_intervals, failures, missed, optimizers_inside
from harness import figures
from harness.measured import digits, keep
from rembo.arrays import Mask

DIMS = (2, 4, 6)
MOST_RUNS = 10
BOXES = 10_000_000


def together(failed: Mask, k: int) -> Mask:
    """For each k boxes in a row, whether all of them failed, (len(failed) // k,)."""
    return failed[: len(failed) // k * k].reshape(-1, k).all(axis=1)


def measure(d: int, boxes: int = BOXES) -> dict[str, Any]:
    """Joint failures of k = 1 to MOST_RUNS boxes, and what the formula says."""
    failed = missed(d, boxes, optimizers_inside(), SEED)
    delta = float(failed.mean())
    groups = {k: together(failed, k) for k in range(1, MOST_RUNS + 1)}
    return {
        "delta": digits(delta),
        "formula": [digits(delta**k) for k in groups],
        "measured": [failures(int(group.sum()), len(group)) for group in groups.values()],
    }


def outside_the_interval(found: dict[str, Any]) -> list[int]:
    """The k whose 95 % interval does not hold the formula."""
    pairs = zip(found["formula"], found["measured"], strict=True)
    return [k for k, (p, m) in enumerate(pairs, 1) if not m["interval"][0] <= p <= m["interval"][1]]


def draw(found: dict[str, dict[str, Any]], paper: dict[str, Any]) -> Figure:
    """Failures against k: lines by the formula, points measured."""
    figure, axes = plt.subplots(figsize=(figures.WIDTH, 4.5), layout="constrained")
    runs = np.arange(1, MOST_RUNS + 1)
    for number, d in enumerate(DIMS):
        here = found[str(d)]
        axes.plot(runs, here["formula"], f"C{number}--", linewidth=1.0, label=f"d = {d}: δ^k, δ = {here['delta']:.3g}")
        draw_intervals(axes, runs, here["measured"], fmt=f"C{number}o", label=f"d = {d}: measured")
    draw_intervals(axes, [1], [paper], fmt="kx", label=f"paper, d = 2: {FAILED} of {RUNS}")
    axes.plot([4], [(FAILED / RUNS) ** 4], "k+", label="paper, d = 2: 0.26⁴")
    axes.set(yscale="log", ylim=(1e-8, 1.0), xticks=runs, xlabel="k, interleaved runs")
    axes.set_title("P(none of k boxes holds an optimizer of Branin), with 95 % intervals", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    return figure


def main() -> None:
    """All d, the numbers and the figure."""
    found = {str(d): measure(d) for d in DIMS}
    paper = failures(FAILED, RUNS)
    doubtful = {d: outside_the_interval(numbers) for d, numbers in found.items()}
    keep("failure_probability", seed=SEED, boxes=BOXES, **found, paper=paper, k_outside_the_interval=doubtful)
    figures.save(draw(found, paper), "failure_probability")


if __name__ == "__main__":
    main()
