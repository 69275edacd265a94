"""The picture of parallel coordinates; its name is Optuna's.

It is made of plain lines: Plotly's own trace for it needs WebGL, which not every browser has.
"""

from collections.abc import Sequence

import numpy as np

from rembo.arrays import Array, Indices
from rembo.plot.data.parallel import Parallel, Track, parallel
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme
from rembo.study.direction import sign_of

_LONGEST = 22  # characters of a name above an axis
_SHARE = 0.9  # of the values that have colours of their own; the worst share one
_SHADES = 10


def plot_parallel_coordinate(study: Several, params: Sequence[str] | None = None, *, theme: Theme = LIGHT) -> Figure:
    """Draw each complete trial as a line across its parameters, coloured by its value.

    Parameters
    ----------
    study
        A study, or a result of `minimize` or `maximize`.
    params
        Names of parameters of one coordinate, e.g. ``["rate", "weights[17]"]``. Without them it is the eight that
        matter most: as the default optimizer tells it, or else those that the values go with.
    theme
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure
        The best trial is a thick line; of many trials 300 are drawn. Lines that share a level stand side by side.

    Raises
    ------
    ValueError
        If no trial is complete, a name is no parameter's, or nothing is known of what matters.

    Examples
    --------
    >>> from rembo import Float, Space, minimize
    >>> space = Space({"rate": Float(1e-5, 1e-1, log=True), "decay": Float(0.0, 1.0)})
    >>> figure = plot_parallel_coordinate(minimize(lambda x: x["decay"], space, 10, seed=0), ["rate", "decay"])
    >>> figure.layout.xaxis.ticktext
    ('rate', 'decay', 'value')
    """
    drawn = parallel(the_search(study), params)
    return draw_parallel(drawn, f"Parallel coordinates: {label(drawn.name)}", theme)


def draw_parallel(drawn: Parallel, title: str, theme: Theme) -> Figure:
    """An axis for each parameter, in the user's units, and one for the value; lines in the colour of their value."""
    figure = blank(theme, title)
    goodness = _goodness(drawn)
    shades = np.minimum((goodness * _SHADES).astype(np.int64), _SHADES - 1)
    heights = np.column_stack([*(track.heights for track in drawn.tracks), 2.0 * goodness - 1.0])
    for shade in np.unique(shades):
        figure.add_trace(_lines(drawn, heights, np.flatnonzero(shades == shade), _color(shade / (_SHADES - 1), theme)))
    figure.add_trace(_best(drawn, heights, theme))
    for place, track in enumerate(drawn.tracks):
        _write(figure, place, [(at, text) for at, text in track.ruler.labels()], theme)
    _write(figure, len(drawn.tracks), _value_labels(drawn, goodness), theme)
    return _framed(figure, drawn.tracks)


def _goodness(drawn: Parallel) -> Array:
    """From 0 for the worst values to 1 for the best, (n,); the worst tenth are all 0, for they may be far away."""
    loss = sign_of(drawn.direction) * drawn.values
    low, high = float(loss.min()), float(np.quantile(loss, _SHARE))
    return np.clip((high - loss) / (high - low), 0.0, 1.0) if high > low else np.where(loss <= low, 1.0, 0.0)


def _lines(drawn: Parallel, heights: Array, chosen: Indices, color: str) -> go.Scatter:
    """Lines of one colour, with gaps between them."""
    axes = heights.shape[1]
    x = np.tile(np.append(np.arange(axes, dtype=np.float64), np.nan), len(chosen))
    y = np.column_stack([heights[chosen], np.full(len(chosen), np.nan)]).ravel()
    said = [text for line in chosen.tolist() for text in (*_said(drawn, line), "")]
    return go.Scatter(
        x=x,
        y=y,
        customdata=said,
        mode="lines",
        line={"color": color, "width": 1.3},
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _best(drawn: Parallel, heights: Array, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=np.arange(heights.shape[1]),
        y=heights[-1],
        customdata=_said(drawn, -1),
        mode="lines+markers",
        name="best",
        line={"color": theme.ink, "width": 3},
        marker={"size": 7},
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _said(drawn: Parallel, line: int) -> list[str]:
    """What is said of a line at each axis."""
    trial = f"trial {drawn.numbers[line]}: {drawn.values[line]:.6g}"
    at = [f"{label(track.name)} = {label(track.texts[line])}<br>{trial}" for track in drawn.tracks]
    return [*at, trial]


def _value_labels(drawn: Parallel, goodness: Array) -> list[tuple[float, str]]:
    """The values at the ends of their axis, and that of a line in between; the worst end stands for all beyond."""
    middle = int(np.argmin(np.abs(goodness - 0.5)))
    worst = int(np.flatnonzero(goodness == goodness.min())[-1])
    chosen = dict.fromkeys([worst, middle, len(goodness) - 1])
    return [(2.0 * float(goodness[line]) - 1.0, f"{drawn.values[line]:.4g}") for line in chosen]


def _write(figure: Figure, place: int, labels: list[tuple[float, str]], theme: Theme) -> None:
    """The labels of an axis, to its left."""
    for at, text in labels:
        look = {"font": {"size": 10, "color": theme.ink}, "bgcolor": theme.ground, "opacity": 0.85, "borderpad": 1}
        where = {"x": place, "y": at, "xanchor": "right", "xshift": -4, "showarrow": False}
        figure.add_annotation(text=label(text, 12), **where, **look)


def _framed(figure: Figure, tracks: Sequence[Track]) -> Figure:
    """Names above the axes, and nothing else around them."""
    names = [*(label(track.name, _LONGEST) for track in tracks), "value"]
    figure.update_xaxes(
        range=[-0.05 * len(names), len(tracks) + 0.1],
        side="top",
        tickvals=list(range(len(names))),
        ticktext=names,
        showline=False,
    )
    figure.update_xaxes(gridwidth=2, zeroline=False, fixedrange=True)
    figure.update_yaxes(range=[-1.1, 1.1], visible=False, fixedrange=True)
    return figure.update_layout(hovermode="closest", height=420, margin={"b": 20})


def _color(part: float, theme: Theme) -> str:
    """From faint for the worst to a warm colour for the best, through the first of the theme."""
    stops = (theme.faint, theme.color(0), theme.color(1))
    low = min(int(part * 2.0), 1)
    first, second = (_channels(stops[low]), _channels(stops[low + 1]))
    mixed = [round(a + (b - a) * (2.0 * part - low)) for a, b in zip(first, second, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _channels(color: str) -> tuple[int, int, int]:
    """Red, green and blue of #rrggbb."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
