"""The picture of slices through the model; its name is Optuna's, whose slices show the values alone."""

import numpy as np

from rembo.plot.data.model import model_of
from rembo.plot.data.search import Several, the_search
from rembo.plot.data.slices import Slice, slices
from rembo.plot.draw.canvas import Figure, go, label, panels
from rembo.plot.draw.theme import LIGHT, Theme

_COLUMNS = 3


def plot_slice(study: Several, *, run: int | None = None, theme: Theme = LIGHT) -> Figure:
    """What a run believes of f along each axis of y through its best point: mean, 95 % interval, and what was seen.

    Axes are in the user's units: a parameter's own numbers, on a log scale if it is searched on one, or its names. The
    axes along which the belief varies most come first, nine at most. Low is good, whatever the direction.
    """
    search = the_search(study)
    model = model_of(search, run)
    title = f"Slices through the best point: {label(search.name)}, run {model.run}"
    return draw_slices(slices(model), title, theme)


def draw_slices(drawn: list[Slice], title: str, theme: Theme) -> Figure:
    """A panel for each slice."""
    figure = panels(theme, title, [label(one.axis.name) for one in drawn], min(_COLUMNS, len(drawn)))
    for number, one in enumerate(drawn):
        at = {"row": number // _COLUMNS + 1, "col": number % _COLUMNS + 1}
        for trace in (*_belief(one, theme), _seen(one, theme)):
            figure.add_trace(trace, **at)
        figure.add_vline(one.best_at, line={"color": theme.alarm, "dash": "dot"}, **at)
        figure.update_xaxes(**_across(one), **at)
    figure.update_yaxes(title="value (standard deviations)", col=1)
    return figure.update_layout(showlegend=False)


def _across(one: Slice) -> dict[str, object]:
    """The horizontal axis: a log scale, names, or what else the ruler says."""
    ruler = one.axis.ruler
    if ruler.log:
        decades = float(np.ptp(np.log10(one.positions)))
        return {"type": "log", "exponentformat": "power", "dtick": 1 if 2.0 <= decades <= 6.0 else None, "nticks": 6}
    if ruler.plain:
        return {"title": ruler.title, "nticks": 6}
    shown = ruler.shown(np.array([at for at, _ in ruler.labels()]))
    return {"tickvals": shown, "ticktext": [label(text, 16) for _, text in ruler.labels()]}


def _belief(one: Slice, theme: Theme) -> list[go.Scatter]:
    """The mean with its interval: lines over numbers, marks over names, which have nothing between them."""
    return [_marks(one, theme)] if one.axis.ruler.named else [_interval(one, theme), _mean(one, theme)]


def _marks(one: Slice, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=one.positions,
        y=one.mean,
        error_y={"type": "data", "array": 1.96 * one.std, "color": theme.color(0), "thickness": 2, "width": 6},
        mode="markers",
        marker={"color": theme.color(0), "size": 9},
        hovertemplate="%{x}: %{y:.3g} ± %{error_y.array:.2g}<extra></extra>",
    )


def _interval(one: Slice, theme: Theme) -> go.Scatter:
    low, high = one.mean - 1.96 * one.std, one.mean + 1.96 * one.std
    return go.Scatter(
        x=np.append(one.positions, one.positions[::-1]),
        y=np.append(high, low[::-1]),
        fill="toself",
        mode="none",
        fillcolor=theme.color(0),
        opacity=0.2,
        hoverinfo="skip",
    )


def _mean(one: Slice, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=one.positions,
        y=one.mean,
        customdata=1.96 * one.std,
        mode="lines",
        line={"color": theme.color(0), "width": 2},
        hovertemplate="at %{x}: %{y:.3g} ± %{customdata:.2g}<extra></extra>",
    )


def _seen(one: Slice, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=one.seen,
        y=one.values,
        mode="markers",
        marker={"color": theme.ink, "size": 4, "opacity": 0.4},
        hovertemplate="evaluated at %{x}: %{y:.3g}<extra></extra>",
    )
