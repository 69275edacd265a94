"""The pictures of docs/bodyparts.md: people, and which parts a forest sees in them.

    python experiments/bodyparts_pictures.py

People are those of seed 100, which no experiment uses. The forest that is shown has 25 times the budget and 6 times the
pixels of those that are searched, and settings chosen by hand.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rembo.problems.bodyparts import BodyParts, Size, Stream, Work
from rembo.problems.bodyparts.anatomy import LABELS
from rembo.problems.bodyparts.pixels import Album, album
from rembo.problems.bodyparts.render import Depths, Labels

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SEED, PEOPLE, SHOWN = 100, 12, (1, 6)
PROBLEM = BodyParts(SEED, Size(500, 1250), Work(100_000_000))
WIDE = {f"{end}_covariance_{entry}": 200.0 for end in "uv" for entry in ("11", "22")}
SETTINGS = {**PROBLEM.space.default, **WIDE, "max_depth": 30, "candidates": 20}
COLORS = mpl.colors.ListedColormap(["white", *mpl.colormaps["tab20"].colors[:19]])


def show_depth(axes: Axes, depth: Depths, label: Labels) -> None:
    """How far away people are, near ones dark."""
    axes.imshow(np.where(label > 0, depth, np.nan), cmap="viridis")


def show_parts(axes: Axes, label: Labels) -> None:
    """A colour for each part."""
    axes.imshow(label, cmap=COLORS, vmin=-0.5, vmax=LABELS - 0.5, interpolation="nearest")


def contact_sheet(people: Album) -> Figure:
    """Depths in odd rows, and parts in the rows below them."""
    figure = Figure(figsize=(9.0, 4.6), layout="constrained")
    grid = figure.subplots(4, 6)
    for number, (depth, label) in enumerate(zip(people.depth, people.label, strict=True)):
        row, column = 2 * (number // 6), number % 6
        show_depth(grid[row, column], depth, label)
        show_parts(grid[row + 1, column], label)
    return figure


def predicted(people: Album) -> Labels:
    """The parts that the forest sees; the background is known."""
    foreground = people.pixels(np.flatnonzero(people.label))
    labels = np.zeros_like(people.label)
    labels[foreground.picture, foreground.row, foreground.column] = PROBLEM.forest(SETTINGS).classify(foreground)
    return labels


def predicted_against_true(people: Album, labels: Labels) -> Figure:
    """Depth, true parts, and predicted ones, a row for each of two people."""
    figure = Figure(figsize=(9.0, 4.8), layout="constrained")
    for row, number in zip(figure.subplots(len(SHOWN), 3), SHOWN, strict=True):
        show_depth(row[0], people.depth[number], people.label[number])
        show_parts(row[1], people.label[number])
        show_parts(row[2], labels[number])
        right = share_right(labels[number], people.label[number])
        for axes, title in zip(row, ("depth", "true parts", f"predicted parts: {right:.0%} right"), strict=True):
            axes.set_title(title, fontsize=9)
    return figure


def share_right(labels: Labels, true: Labels) -> float:
    """Of the foreground."""
    return float(np.mean(labels[true > 0] == true[true > 0]))


def save(figure: Figure, name: str) -> None:
    """Write a small file."""
    for axes in figure.axes:
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_color("lightgrey")
    figure.savefig(PICTURES / f"{name}.png", dpi=100)


def main() -> None:
    """Draw both pictures, and say how good the forest is that is shown."""
    people = album(SEED, Stream.VALIDATION, PEOPLE)
    labels = predicted(people)
    save(contact_sheet(people), "bodyparts_people")
    save(predicted_against_true(people, labels), "bodyparts_predicted")
    print(f"{share_right(labels, people.label):.3f} of the foreground of {PEOPLE} pictures is labelled right")


if __name__ == "__main__":
    main()
