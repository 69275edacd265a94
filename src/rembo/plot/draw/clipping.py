"""The picture of how much the projection onto the box does."""

from rembo.plot.data.clipping import Clipping, clipping
from rembo.plot.data.search import Several, searches
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme


def plot_clipping(studies: Several, *, theme: Theme = LIGHT) -> Figure:
    """The share of coordinates that lay outside the box before they were projected onto it, trial by trial."""
    return draw_clipping([clipping(search) for search in searches(studies)], theme)


def draw_clipping(drawn: list[Clipping], theme: Theme) -> Figure:
    """A mark for each trial, in a colour for each study."""
    figure = blank(theme, "Clipped by the projection", "evaluations", "share of coordinates clipped (%)")
    for number, one in enumerate(drawn):
        figure.add_trace(_marks(one, theme.color(number)))
    return figure.update_yaxes(range=[-3, 103])


def _marks(one: Clipping, color: str) -> go.Scatter:
    return go.Scatter(
        x=one.evaluations,
        y=100.0 * one.share,
        customdata=one.runs,
        mode="markers",
        name=label(one.name),
        showlegend=True,
        marker={"color": color, "size": 6, "opacity": 0.7},
        hovertemplate="evaluation %{x}, run %{customdata}: %{y:.0f} %",
    )
