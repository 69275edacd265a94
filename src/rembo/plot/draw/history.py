"""The picture of the optimization history; its name is Optuna's."""

import numpy as np

from rembo.arrays import Mask
from rembo.plot.data.history import Band, Course, bands, course, courses_by_run, steps
from rembo.plot.data.search import Several, searches
from rembo.plot.data.thinning import MOST_MARKS, evenly
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme

_HOVER = "trial %{customdata}<br>value %{y:.6g}<extra></extra>"


def plot_optimization_history(
    studies: Several, *, log: bool = False, target: float | None = None, theme: Theme = LIGHT
) -> Figure:
    """Draw values and the best so far: of one study by run, of several the best so far of each.

    Parameters
    ----------
    studies
        A study or a result, a list of them, or a dict that gives names: ``{"default": [results of several seeds],
        "random": [...]}``. Those of one name are seeds of one method, and have a band in common.
    log
        Whether the vertical axis is logarithmic, for values above 0.
    target
        A value to be reached, drawn as a line.
    theme
        The colours.

    Returns
    -------
    plotly.graph_objects.Figure
        It is yours to change.

    Raises
    ------
    ValueError
        If `log` is asked for and a value is not above 0.

    Examples
    --------
    >>> from rembo import Box, minimize
    >>> result = minimize(lambda x: x[3] ** 2 + 1.0, Box(9), n_trials=10, seed=0)
    >>> plot_optimization_history(result, log=True, target=1.01).layout.yaxis.type
    'log'
    """
    found = searches(studies)
    if len(found) > 1:
        figure = draw_bands(bands(found), theme, target)
    else:
        figure = draw_history(course(found[0]), courses_by_run(found[0]), theme, target)
    return _logarithmic(figure, [course(search) for search in found]) if log else figure


def draw_history(whole: Course, by_run: list[Course], theme: Theme, target: float | None = None) -> Figure:
    """One search: a mark for each value, in the colour of its run, and the best so far."""
    figure = blank(theme, f"Optimization history: {label(whole.name)}", "evaluations", "value of f")
    for number, run in enumerate(by_run):
        figure.add_trace(_marks(run, theme.color(number), 0.55))
        if len(by_run) > 1:
            figure.add_trace(_staircase(run, f"best of {run.name}", {"color": theme.color(number), "width": 1.5}))
    figure.add_trace(_staircase(whole, "best so far", {"color": theme.ink, "width": 2.5}))
    failed = np.isnan(whole.values)
    if failed.any():
        figure.add_trace(_failures(whole, failed, theme))
        figure.update_layout(yaxis2={"overlaying": "y", "range": [0.0, 1.0], "visible": False})
    return _aimed(figure, target, len(whole.values), theme)


def draw_bands(drawn: list[Band], theme: Theme, target: float | None = None) -> Figure:
    """Several searches: a line for the median of each name, and the middle half of its seeds."""
    figure = blank(theme, "Optimization history", "evaluations", "best value so far")
    for number, band in enumerate(drawn):
        color = theme.color(number)
        if band.seeds > 1:
            figure.add_trace(_middle_half(band, color))
        figure.add_trace(_median(band, color))
    return _aimed(
        figure, target, max((int(band.evaluations[-1]) for band in drawn if len(band.evaluations)), default=1), theme
    )


def _aimed(figure: Figure, target: float | None, length: int, theme: Theme) -> Figure:
    """The figure with the line of a target, if there is one."""
    return figure if target is None else figure.add_trace(_target(target, length, theme))


def _target(target: float, length: int, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[1, max(length, 2)],
        y=[target, target],
        mode="lines",
        name=f"target {target:.6g}",
        line={"color": theme.alarm, "dash": "dash", "width": 1.5},
        hovertemplate="target %{y:.6g}<extra></extra>",
    )


def _logarithmic(figure: Figure, courses: list[Course]) -> Figure:
    """The figure with a log axis for the values, but not for the marks along the foot."""
    lowest = min((float(np.nanmin(one.values)) for one in courses if not np.isnan(one.values).all()), default=1.0)
    if lowest <= 0.0:
        raise ValueError(f"a log axis needs values above 0, and the lowest is {lowest:.6g}: leave log out")
    return figure.update_layout(yaxis={"type": "log", "nticks": 6, "exponentformat": "power"})


def _marks(run: Course, color: str, opacity: float) -> go.Scatter:
    known = np.flatnonzero(~np.isnan(run.values))
    shown = known[evenly(len(known), MOST_MARKS)] if len(known) else known
    return go.Scatter(
        x=run.evaluations[shown],
        y=run.values[shown],
        customdata=run.numbers[shown],
        mode="markers",
        name=run.name,
        marker={"color": color, "size": 6, "opacity": opacity},
        hovertemplate=_HOVER,
    )


def _staircase(one: Course, name: str, line: dict[str, object]) -> go.Scatter:
    at = steps(one.best)
    return go.Scatter(
        x=one.evaluations[at],
        y=one.best[at],
        customdata=one.numbers[at],
        mode="lines",
        name=name,
        line={"shape": "hv", **line},
        hovertemplate=_HOVER,
    )


def _failures(whole: Course, failed: Mask, theme: Theme) -> go.Scatter:
    """Marks along the foot of the picture, on an axis of their own: they have no value."""
    return go.Scatter(
        x=whole.evaluations[failed],
        y=np.full(np.count_nonzero(failed), 0.02),
        yaxis="y2",
        customdata=whole.numbers[failed],
        mode="markers",
        name="no value",
        marker={"color": theme.alarm, "symbol": "x-thin-open", "size": 8},
        hovertemplate="trial %{customdata} gave no value<extra></extra>",
    )


def _middle_half(band: Band, color: str) -> go.Scatter:
    return go.Scatter(
        x=np.append(band.evaluations, band.evaluations[::-1]),
        y=np.append(band.high, band.low[::-1]),
        fill="toself",
        mode="none",
        fillcolor=color,
        opacity=0.2,
        hoverinfo="skip",
        showlegend=False,
        legendgroup=label(band.name),
    )


def _median(band: Band, color: str) -> go.Scatter:
    of = f"median of {band.seeds}, band: their middle half" if band.seeds > 1 else "one search"
    return go.Scatter(
        x=band.evaluations,
        y=band.median,
        mode="lines",
        name=f"{label(band.name)} ({of})",
        legendgroup=label(band.name),
        line={"color": color, "width": 2.5},
        hovertemplate="after %{x} evaluations: %{y:.6g}",
    )
