"""Figures: curves of the mean with a band of a quarter of a standard deviation, written as SVG and PNG.

The same numbers make the same file, byte for byte: identifiers in the SVG are salted with the figure's name, and no
date is written.
"""

from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from harness.folders import FIGURES, RESULTS
from harness.statistics import Band
from rembo.arrays import Array

DOTS_PER_INCH = 100
WIDTH = 9.0  # inches
MOST_IN_A_ROW = 3
COLORS = (*(f"C{number}" for number in range(10)), "black", "gold", "navy", "lightcoral")  # the style has ten
MOST_DRAWN = 150  # evaluations of a curve: more cannot be seen, and make the file large


def save(figure: Figure, name: str, folder: Path = FIGURES) -> None:
    """Write `folder`/<name>.svg and .png, and close the figure."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH)
    plt.close(figure)


def curves_figure(panels: Mapping[str, Mapping[str, Band]]) -> Figure:
    """Panels in rows of at most three, each with a mean line and band for each label, of one colour in all panels."""
    colors = _colors(panels)
    floor = _floor(panels)
    figure, grid = _grid(len(panels))
    for axes, (title, panel) in zip(grid.flat, panels.items(), strict=False):
        _draw(axes, title, panel, colors, floor)
    for axes in grid[:, 0]:
        axes.set(ylabel="gap: mean ± std/4", ylim=(floor, None))
    _add_legend(figure, colors)
    return figure


def shares_figure(panels: Mapping[str, Mapping[str, Array]]) -> Figure:
    """Panels in rows of at most three, each with the share of targets reached after each evaluation, (n,), by label."""
    colors = _colors(panels)
    figure, grid = _grid(len(panels))
    for axes, (title, panel) in zip(grid.flat, panels.items(), strict=False):
        for label, share in panel.items():
            axes.step(np.arange(1, len(share) + 1), share, color=colors[label], linewidth=1.6, where="post")
        axes.set(title=title, xlabel="evaluations", xscale="log")
        axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[:, 0]:
        axes.set(ylabel="share of targets reached", ylim=(0.0, 1.0))
    _add_legend(figure, colors)
    return figure


def _grid(many: int) -> tuple[Figure, np.ndarray[Any, Any]]:
    """A figure of so many panels, and their axes, (rows, columns), of which those that are left over are not drawn."""
    rows = -(-many // MOST_IN_A_ROW)
    columns = -(-many // rows)
    figure = Figure(figsize=(WIDTH, 3.6 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for axes in grid.flat[many:]:
        axes.set_axis_off()
    return figure, grid


def _colors(panels: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """A colour for each label, the same in all panels."""
    labels = dict.fromkeys(label for panel in panels.values() for label in panel)
    return dict(zip(labels, cycle(COLORS), strict=False))


def _add_legend(figure: Figure, colors: Mapping[str, str]) -> None:
    handles = [Line2D([], [], color=color) for color in colors.values()]
    figure.legend(handles, list(colors), loc="outside lower center", ncols=4, frameon=False, fontsize=8)


def _floor(panels: Mapping[str, Mapping[str, Band]]) -> float:
    """The lower end of the axis: just below the lowest mean that a log axis can show."""
    means = np.concatenate([band.mean for panel in panels.values() for band in panel.values()])
    return float(means[means > 0.0].min(initial=1.0)) / 2.0


def _draw(axes: Axes, title: str, panel: Mapping[str, Band], colors: Mapping[str, str], floor: float) -> None:
    for label, band in panel.items():
        drawn = np.unique(np.linspace(0, len(band.mean) - 1, MOST_DRAWN).round().astype(int))
        mean, low, high = (np.maximum(curve[drawn], floor) for curve in (band.mean, band.low, band.high))
        axes.plot(drawn + 1, mean, color=colors[label], linewidth=1.6, label=label)
        axes.fill_between(drawn + 1, low, high, color=colors[label], alpha=0.2, linewidth=0)
    axes.set(title=title, xlabel="evaluations", yscale="log")
    axes.spines[["top", "right"]].set_visible(False)


__all__ = ["FIGURES", "RESULTS", "WIDTH", "curves_figure", "save", "shares_figure"]
