"""The picture of parallel coordinates; its name is Optuna's."""

from collections.abc import Sequence

import numpy as np

from rembo.plot.data.parallel import Parallel, parallel
from rembo.plot.data.rulers import Ruler
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme

_LONGEST = 18  # characters of a name above an axis
_SHARE = 0.9  # of the values that have colours of their own; the worst share one


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
        Drag along an axis to keep the lines that pass there; drag a name to move its axis.

    Raises
    ------
    ValueError
        If no trial is complete, a name is no parameter's, or nothing is known of what matters.

    Examples
    --------
    >>> from rembo import Float, Space, minimize
    >>> space = Space({"rate": Float(1e-5, 1e-1, log=True), "decay": Float(0.0, 1.0)})
    >>> figure = plot_parallel_coordinate(minimize(lambda x: x["decay"], space, 10, seed=0), ["rate", "decay"])
    >>> [axis.label for axis in figure.data[0].dimensions]
    ['value', 'rate', 'decay']
    """
    drawn = parallel(the_search(study), params)
    return draw_parallel(drawn, f"Parallel coordinates: {label(drawn.name)}", theme)


def draw_parallel(drawn: Parallel, title: str, theme: Theme) -> Figure:
    """An axis for the value, and one for each parameter, in the user's units."""
    figure = blank(theme, title)
    named = zip(drawn.names, drawn.rulers, drawn.positions.T, strict=True)
    axes = [_axis(name, ruler, positions.tolist()) for name, ruler, positions in named]
    figure.add_trace(
        go.Parcoords(
            dimensions=[{"label": "value", "values": drawn.values}, *axes],
            line=_colors(drawn, theme),
            labelfont={"color": theme.ink, "size": 12},
            tickfont={"color": theme.ink, "size": 11},
            rangefont={"color": theme.ground, "size": 1},  # the ends have labels already
            labelside="top",
        )
    )
    return figure.update_layout(margin={"l": 70, "r": 70, "t": 100, "b": 40})


def _axis(name: str, ruler: Ruler, positions: list[float]) -> dict[str, object]:
    labels = ruler.labels()
    return {
        "label": label(name, _LONGEST),
        "values": positions,
        "range": [-1.0, 1.0],
        "tickvals": [at for at, _ in labels],
        "ticktext": [label(text, 12) for _, text in labels],
    }


def _colors(drawn: Parallel, theme: Theme) -> dict[str, object]:
    """From a warm colour at the best value to a faint one, which the worst tenth share: they may be far away."""
    falling = drawn.direction == "minimize"
    best, bad = (drawn.values.min(), _SHARE) if falling else (drawn.values.max(), 1.0 - _SHARE)
    ends = sorted([float(best), float(np.quantile(drawn.values, bad))])
    return {
        "color": drawn.values,
        "colorscale": [[0.0, theme.color(1)], [0.4, theme.color(0)], [1.0, theme.faint]],
        "reversescale": not falling,
        "cmin": ends[0],
        "cmax": ends[1],
        "showscale": True,
        "colorbar": {"title": {"text": "value"}, "thickness": 12},
    }
