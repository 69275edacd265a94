"""The picture of the README: the gap against evaluations on hidden Branin, for the default, REMBO and random search."""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy is loaded: seeds run in parallel

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np

import rembo
from rembo.problems import Branin
from results import save

mpl.use("Agg")
import matplotlib.pyplot as plt

SEEDS, N_TRIALS, SMALL, LARGE = range(20), 150, 25, 10**9
BRANIN = Branin()


def curve(seed: int, method: str, ambient_dim: int) -> list[float]:
    """The best gap after each evaluation; the seed draws two coordinates below 25, which both spaces have."""
    i, j = (int(k) for k in np.random.default_rng(seed).permutation(SMALL)[:2])
    space = rembo.Box(ambient_dim)
    searches = {
        "REMBO": lambda: rembo.Rembo(space, embedding_dim=2, runs=4, kernel=rembo.Matern52(), seed=seed),
        "default": lambda: rembo.Growing(space, seed=seed),
        "random": lambda: rembo.RandomSearch(space, seed=seed),
    }
    result = rembo.minimize(lambda x: BRANIN([x[i], x[j]]), space, N_TRIALS, optimizer=searches[method]())
    values = np.array([trial.value for trial in result.trials])
    return (np.minimum.accumulate(values) - BRANIN.optimum).tolist()


def draw(curves: dict[str, np.ndarray], path: Path) -> None:
    """Medians with quartiles, on a log axis."""
    styles = {
        "REMBO, D = 25": ("C0", "-", 4.0),
        "REMBO, D = 1,000,000,000": ("C3", "--", 1.6),
        "the default, D = 1,000,000,000": ("C2", "-", 2.2),
        "random search, D = 1,000,000,000": ("0.5", "-", 1.6),
    }
    figure, axes = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
    for label, (color, line, width) in styles.items():
        low, middle, high = np.quantile(curves[label], (0.25, 0.5, 0.75), axis=0)
        axes.plot(np.arange(1, N_TRIALS + 1), middle, line, color=color, linewidth=width, label=label)
        axes.fill_between(np.arange(1, N_TRIALS + 1), low, high, color=color, alpha=0.12, linewidth=0)
    axes.set(yscale="log", xlabel="evaluations", ylabel="gap to the optimum", xlim=(1, N_TRIALS))
    axes.set_title("Branin hidden at two of D coordinates (medians and quartiles of 20 seeds)", fontsize=10)
    axes.legend(frameon=False, fontsize=9, loc="center right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    """All seeds of all three, then the figure."""
    cases = {
        "REMBO, D = 25": ("REMBO", SMALL),
        "REMBO, D = 1,000,000,000": ("REMBO", LARGE),
        "the default, D = 1,000,000,000": ("default", LARGE),
        "random search, D = 1,000,000,000": ("random", LARGE),
    }
    with ProcessPoolExecutor() as pool:
        curves = {
            label: np.array(list(pool.map(partial(curve, method=method, ambient_dim=dim), SEEDS)))
            for label, (method, dim) in cases.items()
        }
    folder = Path(__file__).parent.parent / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    draw(curves, folder / "branin.png")
    identical = bool(np.array_equal(curves["REMBO, D = 25"], curves["REMBO, D = 1,000,000,000"]))
    ends = {
        label: {"median": float(np.median(rows[:, -1])), "mean": float(rows[:, -1].mean())}
        for label, rows in curves.items()
    }
    save("picture", seeds=len(SEEDS), evaluations=N_TRIALS, both_D_identical=identical, gap_at_the_end=ends)


if __name__ == "__main__":
    main()
