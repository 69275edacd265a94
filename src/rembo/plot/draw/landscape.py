"""The picture of the embedded landscape, for d = 2."""

from rembo.arrays import Array
from rembo.plot.data.axes import Axis
from rembo.plot.data.landscape import Landscape, landscape
from rembo.plot.data.model import model_of
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, go, label, panels
from rembo.plot.draw.theme import BORDER, LIGHT, Theme

_TITLES = (
    "posterior mean (standard deviations of the values)",
    "uncertainty (standard deviations of the values)",
    "expected improvement (standard deviations)",
    "share of coordinates that the projection clips",
)


def plot_landscape(study: Several, *, run: int | None = None, theme: Theme = LIGHT) -> Figure:
    """What a run believes of f over its region Y in two dimensions, what was evaluated, and where the projection clips.

    By default it is the run that found the best value. Low is good, whatever the direction.
    """
    search = the_search(study)
    drawn = landscape(model_of(search, run))
    return draw_landscape(drawn, f"Embedded landscape: {label(search.name)}, run {drawn.run}", theme)


def draw_landscape(drawn: Landscape, title: str, theme: Theme) -> Figure:
    """Four panels with the points that were evaluated; their frame is the box Y."""
    figure = panels(theme, title, _TITLES, columns=2)
    surfaces = (drawn.mean, drawn.std, drawn.improvement, drawn.clipped)
    for number, surface in enumerate(surfaces):
        at = {"row": number // 2 + 1, "col": number % 2 + 1}
        grid = drawn.coarse_grid if surface is drawn.clipped else drawn.grid
        figure.add_trace(_surface(grid, surface, number, theme), **at)
        figure.add_trace(_points(drawn), **at)
        figure.add_trace(_best(drawn, theme), **at)
    reach = 1.04 * drawn.half_width
    figure.update_xaxes(range=[-reach, reach], showgrid=False)
    figure.update_yaxes(range=[-reach, reach], showgrid=False)
    figure.update_xaxes(**_ticks(drawn.axes[0]))
    figure.update_yaxes(**_ticks(drawn.axes[1]))
    figure.update_xaxes(title=label(drawn.axes[0].name), row=2)
    figure.update_yaxes(title=label(drawn.axes[1].name), col=1)
    figure.add_shape(_box(drawn.half_width, theme), row="all", col="all")
    return figure.update_layout(height=820, showlegend=False)


def _ticks(axis: Axis) -> dict[str, object]:
    """The values of a parameter in the user's units; an axis that stands for none has its positions."""
    labels = axis.ruler.labels()
    return {"tickvals": [at for at, _ in labels], "ticktext": [label(text, 16) for _, text in labels]} if labels else {}


def _surface(grid: Array, surface: Array, number: int, theme: Theme) -> go.Contour:
    row, column = divmod(number, 2)
    bar = {"len": 0.4, "y": 0.79 - 0.58 * row, "x": 0.44 + 0.56 * column, "thickness": 10}
    return go.Contour(
        x=grid,
        y=grid,
        z=surface,
        colorscale=theme.surface,
        colorbar=bar,
        contours={"coloring": "heatmap"},
        line={"width": 0.5, "color": BORDER},
        hovertemplate="(%{x:.3f}, %{y:.3f}): %{z:.3g}<extra></extra>",
    )


def _points(drawn: Landscape) -> go.Scatter:
    return go.Scatter(
        x=drawn.Y[:, 0],
        y=drawn.Y[:, 1],
        customdata=drawn.values,
        mode="markers",
        marker={"color": BORDER, "size": 5, "line": {"color": "#000000", "width": 1}},
        hovertemplate="evaluated at (%{x:.3f}, %{y:.3f}): %{customdata:.3g}<extra></extra>",
    )


def _best(drawn: Landscape, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=drawn.best_at[:1],
        y=drawn.best_at[1:],
        mode="markers",
        marker={"color": theme.alarm, "symbol": "star", "size": 13, "line": {"color": BORDER, "width": 1}},
        hovertemplate="the best so far<extra></extra>",
    )


def _box(half_width: float, theme: Theme) -> dict[str, object]:
    corners = {"x0": -half_width, "x1": half_width, "y0": -half_width, "y1": half_width}
    return {"type": "rect", **corners, "line": {"color": theme.ink, "width": 1.5}}
