"""The picture of length scales over time: Algorithm 3's l and U, or those of the bins of a growing embedding."""

from rembo.plot.data.model import modeller_of
from rembo.plot.data.moments import ScaleCurve, moments, scale_curves
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label, logarithmic
from rembo.plot.draw.theme import LIGHT, Theme

_MOST_CURVES = 64
_HOVER = "after %{x} evaluations: %{y:.3g}"


def plot_length_scales(study: Several, *, run: int | None = None, theme: Theme = LIGHT) -> Figure:
    """The length scales l of a run over time, and Algorithm 3's upper bound U; short is where f varies.

    By default it is the run that found the best value. The search is gone through again, without evaluating f.
    """
    search = the_search(study)
    number, _ = modeller_of(search, run)
    curves = scale_curves(search.optimizer.space, moments(search, number))
    return draw_scales(curves, f"Length scales: {label(search.name)}, run {number}", theme)


def draw_scales(curves: list[ScaleCurve], title: str, theme: Theme) -> Figure:
    """A staircase for each scale; the shortest have a colour and a name, the others are faint."""
    figure = blank(theme, title, "evaluations", "length scale (units of y)")
    named = len(theme.colors)
    for curve in reversed(curves[named:_MOST_CURVES]):
        figure.add_trace(_curve(curve, {"color": theme.faint, "width": 1}, named=False))
    for number, curve in enumerate(curves[:named]):
        figure.add_trace(_curve(curve, {"color": theme.color(number), "width": 2}))
        if curve.upper is not None:
            figure.add_trace(_bound(curve, {"color": theme.color(number), "width": 1, "dash": "dash"}))
    return logarithmic(figure)


def _curve(curve: ScaleCurve, line: dict[str, object], named: bool = True) -> go.Scatter:
    return go.Scatter(
        x=curve.told,
        y=curve.lengths,
        mode="lines",
        name=label(curve.name),
        showlegend=named,
        line={"shape": "hv", **line},
        hovertemplate=_HOVER,
    )


def _bound(curve: ScaleCurve, line: dict[str, object]) -> go.Scatter:
    return go.Scatter(
        x=curve.told,
        y=curve.upper,
        mode="lines",
        name=f"upper bound U of {label(curve.name)}",
        line={"shape": "hv", **line},
        hovertemplate=_HOVER,
    )
