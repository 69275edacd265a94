"""The picture of a growing embedding over time: bins that split where f varies."""

import numpy as np

from rembo.arrays import Array
from rembo.plot.data.model import modeller_of
from rembo.plot.data.moments import Tree, moments, tree
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import BORDER, LIGHT, Theme

_MOST_NAMES = 40


def plot_tree(study: Several, *, run: int | None = None, theme: Theme = LIGHT) -> Figure:
    """How the bins of a growing embedding split over time, and the share of f's variation along each.

    By default it is the restart that found the best value. The search is gone through again, without evaluating f.
    """
    search = the_search(study)
    number, _ = modeller_of(search, run)
    drawn = tree(number, search.optimizer.space, moments(search, number))
    return draw_tree(drawn, f"The bins over time: {label(search.name)}, restart {number}", theme)


def draw_tree(drawn: Tree, title: str, theme: Theme) -> Figure:
    """A row for each bin of the last forest; rows that were one bin at a time are not parted there."""
    figure = blank(theme, title, "evaluations")
    figure.add_trace(_shares(drawn, theme))
    figure.add_trace(_borders(drawn))
    rows = np.arange(len(drawn.names))
    named = rows[:: -(-len(rows) // _MOST_NAMES)]
    names = [label(drawn.names[row]) for row in named.tolist()]
    figure.update_yaxes(tickvals=named, ticktext=names, autorange="reversed", showgrid=False, zeroline=False)
    figure.update_xaxes(showgrid=False, zeroline=False)
    return figure.update_layout(height=220 + 14 * len(rows), showlegend=False)


def _shares(drawn: Tree, theme: Theme) -> go.Heatmap:
    names = np.array([label(name) for name in drawn.names])
    return go.Heatmap(
        x=drawn.told,
        y=np.arange(len(drawn.names)),
        z=100.0 * drawn.share,
        customdata=np.repeat(names[:, None], len(drawn.told), axis=1),
        colorscale=theme.surface,
        zmin=0.0,
        colorbar={"title": "share of the<br>variation (%)", "thickness": 12},
        hovertemplate="the bin of %{customdata}<br>after %{x} evaluations: %{z:.1f} %<extra></extra>",
    )


def _borders(drawn: Tree) -> go.Scatter:
    """A short line between two rows wherever they were two bins."""
    row, column = np.nonzero(np.diff(drawn.bins, axis=0))
    edges = _edges(drawn.told.astype(np.float64))
    gap = np.full(len(row), np.nan)
    x = np.column_stack([edges[column], edges[column + 1], gap]).ravel()
    y = np.column_stack([row + 0.5, row + 0.5, gap]).ravel()
    return go.Scatter(x=x, y=y, mode="lines", line={"color": BORDER, "width": 1}, hoverinfo="skip")


def _edges(told: Array) -> Array:
    """Where the column of each moment begins and ends: halfway to its neighbours, (m + 1,)."""
    if len(told) == 1:
        return np.array([told[0] - 0.5, told[0] + 0.5])
    middles = (told[1:] + told[:-1]) / 2.0
    return np.concatenate([[2.0 * told[0] - middles[0]], middles, [2.0 * told[-1] - middles[-1]]])
