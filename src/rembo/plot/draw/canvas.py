"""The one place that imports Plotly: empty figures in the colours of a theme, and text that is shown as it stands.

Plotly takes text for a kind of HTML. Names come from the user, and from files: they are escaped here, and stand in
labels and in data of their own, never in a hover template, where braces would be filled in.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, TypeAlias

from rembo.extras import absent
from rembo.plot.draw.theme import Theme

try:
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots
except ModuleNotFoundError as missing:
    raise absent("rembo.plot needs Plotly", "plotly") from missing

Figure: TypeAlias = Any  # plotly.graph_objects.Figure, which has no types

__all__ = ["Figure", "blank", "go", "label", "logarithmic", "panels"]

_LONGEST = 48  # characters of a name


def label(text: str, longest: int = _LONGEST) -> str:
    """A text from outside as a label that shows it as it stands, shortened where it is long."""
    shown = text if len(text) <= longest else text[: longest - 1] + "…"
    return escape(shown, quote=False)


def blank(theme: Theme, title: str, x: str = "", y: str = "") -> Figure:
    """A figure with nothing in it but a title and what stands on its axes; the title is not from outside."""
    figure = go.Figure(layout={"title": {"text": title}, "xaxis": {"title": x}, "yaxis": {"title": y}})
    return _themed(figure, theme)


def logarithmic(figure: Figure) -> Figure:
    """The same figure with a logarithmic vertical axis, and not a label for every digit."""
    return figure.update_yaxes(type="log", nticks=6, exponentformat="power")


def panels(theme: Theme, title: str, titles: Sequence[str], columns: int) -> Figure:
    """A figure of several panels, row by row; titles are labels."""
    rows = -(-len(titles) // columns)
    gaps = {"horizontal_spacing": 0.25 / columns, "vertical_spacing": min(0.36 / rows, 0.16)}
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=list(titles), **gaps)
    figure.update_layout(title={"text": title}, height=110 + 250 * rows)
    figure.update_annotations(font={"size": 12})
    return _themed(figure, theme)


def _themed(figure: Figure, theme: Theme) -> Figure:
    axis = {"gridcolor": theme.faint, "linecolor": theme.faint, "zerolinecolor": theme.faint, "automargin": True}
    template = go.layout.Template(
        layout={
            "paper_bgcolor": theme.ground,
            "plot_bgcolor": theme.ground,
            "font": {"color": theme.ink, "family": "system-ui, sans-serif"},
            "colorway": list(theme.colors),
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"bgcolor": theme.ground, "font": {"color": theme.ink}, "namelength": -1},
            "legend": {
                "bgcolor": "rgba(0,0,0,0)",
                "orientation": "h",
                "yref": "container",
                "y": 0.0,
                "yanchor": "bottom",
            },
            "margin": {"l": 70, "r": 30, "t": 60, "b": 60},
        }
    )
    return figure.update_layout(template=template)
