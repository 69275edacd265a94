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

    The axes along which the belief varies most come first, nine at most. Low is good, whatever the direction.
    """
    search = the_search(study)
    model = model_of(search, run)
    title = f"Slices through the best point: {label(search.name)}, run {model.run}"
    return draw_slices(slices(model), title, theme)


def draw_slices(drawn: list[Slice], title: str, theme: Theme) -> Figure:
    """A panel for each slice."""
    figure = panels(theme, title, [label(one.axis.name) for one in drawn], min(_COLUMNS, len(drawn)))
    for number, one in enumerate(drawn):
        row, column = divmod(number, _COLUMNS)
        for trace in (_interval(one, theme), _mean(one, theme), _seen(one, theme)):
            figure.add_trace(trace, row=row + 1, col=column + 1)
        figure.add_vline(one.best_at, line={"color": theme.alarm, "dash": "dot"}, row=row + 1, col=column + 1)
        figure.update_xaxes(**_ticks(one), row=row + 1, col=column + 1)
    figure.update_yaxes(title="value (standard deviations)", col=1)
    return figure.update_layout(showlegend=False)


def _ticks(one: Slice) -> dict[str, object]:
    if not one.axis.ticks:
        return {"title": "y"}
    return {"tickvals": [at for at, _ in one.axis.ticks], "ticktext": [label(text, 16) for _, text in one.axis.ticks]}


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
        hovertemplate="at %{x:.3f}: %{y:.3g} ± %{customdata:.2g}<extra></extra>",
    )


def _seen(one: Slice, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=one.seen,
        y=one.values,
        mode="markers",
        marker={"color": theme.ink, "size": 4, "opacity": 0.4},
        hovertemplate="evaluated at %{x:.3f}: %{y:.3g}<extra></extra>",
    )
