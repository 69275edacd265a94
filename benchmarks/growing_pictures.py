"""The pictures of docs/growing.md: one search of Branin hidden in D = 100, seen from inside.

How the bins split, how the length scales tell which of them matter, and which coordinates are held responsible.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

from pathlib import Path

import matplotlib as mpl
import numpy as np

import rembo
from rembo.problems import Branin, Padded

mpl.use("Agg")
import matplotlib.pyplot as plt

PROBLEM, SEED, N_TRIALS = Padded(Branin(), 100, seed=1), 1, 60
FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def watch() -> tuple[rembo.Growing, list[tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """The search, and after each trial of the first restart: where bins begin, their scales, where Branin's lie."""
    optimizer = rembo.Growing(PROBLEM.space, seed=SEED)
    seen = []
    for _ in range(N_TRIALS):
        trial = optimizer.ask()
        optimizer.tell(trial, PROBLEM(trial.x))
        if trial.run == 0:
            restart = optimizer.restarts[0]
            tree = restart.catch_up().forest.trees[0]
            active, _ = tree.bins_and_signs(np.array(PROBLEM.coordinates))
            seen.append((tree.starts, restart.model().in_force.lengths, active))
    return optimizer, seen


def draw_bins(axes: plt.Axes, seen: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
    """Bins as intervals of the shuffled coordinates, dark where the scale is short; the two that matter are marked."""
    for trial, (starts, scales, active) in enumerate(seen):
        edges = np.append(starts, PROBLEM.ambient_dim)
        shade = 1.0 / (1.0 + scales**2)
        axes.bar(
            trial, np.diff(edges), 1.0, starts, color=plt.cm.Blues(0.1 + 0.85 * shade), edgecolor="0.8", linewidth=0.3
        )
        middles = (edges[active] + edges[active + 1]) / 2.0
        axes.plot([trial] * 2, middles, "o", color="C3", markersize=1.8)
    axes.set(
        xlim=(-0.5, len(seen) - 0.5), ylim=(0, PROBLEM.ambient_dim), xlabel="trials", ylabel="coordinates, shuffled"
    )
    axes.set_title("The bins: dark where f varies; dots: the bins of Branin's two", fontsize=9)


def draw_scales(axes: plt.Axes, seen: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
    """The length scale of each bin against trials."""
    for trial, (_, scales, active) in enumerate(seen):
        axes.plot([trial] * len(scales), scales, ".", color="0.75", markersize=3)
        axes.plot([trial] * len(active), scales[active], "o", color="C3", markersize=3)
    axes.set(yscale="log", xlabel="trials", ylabel="length scale")
    axes.set_title("Length scales by bin; red: those that hold Branin's two", fontsize=9)


def draw_importance(axes: plt.Axes, optimizer: rembo.Growing) -> None:
    """The six most important groups, with their ranges; names where a group is small."""
    groups = optimizer.importance()[:6]
    labels = [", ".join(g.parameters) if g.size <= 4 else f"{g.size} coordinates" for g in groups]
    marked = [f"{label} *" if _holds(g) else label for label, g in zip(labels, groups, strict=True)]
    rows = np.arange(len(groups))[::-1]
    axes.barh(rows, [g.share for g in groups], color=["C3" if _holds(g) else "0.7" for g in groups])
    axes.hlines(rows, [g.low for g in groups], [g.high for g in groups], color="0.2")
    axes.set(yticks=rows, yticklabels=marked, xlabel="share of f's variation", xlim=(0, 1))
    axes.set_title("Held responsible after all trials (* rightly)", fontsize=9)


def _holds(group: rembo.Importance) -> bool:
    return any(f"x[{index}]" in group.parameters for index in PROBLEM.coordinates)


def main() -> None:
    """One search, three panels."""
    optimizer, seen = watch()
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 3.4), layout="constrained")
    draw_bins(axes[0], seen)
    draw_scales(axes[1], seen)
    draw_importance(axes[2], optimizer)
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(FOLDER / "growing.png", dpi=130)
    print(f"best gap {optimizer.best_trial.value - PROBLEM.optimum:.1e}; wrote {FOLDER / 'growing.png'}")


if __name__ == "__main__":
    main()
