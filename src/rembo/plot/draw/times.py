"""The picture of where the time goes: evaluations of f beside suggestions."""

from rembo.arrays import Array
from rembo.plot.data.search import Several, searches
from rembo.plot.data.thinning import MOST_MARKS, evenly
from rembo.plot.data.times import Times, times
from rembo.plot.draw.canvas import Figure, blank, go, label, logarithmic
from rembo.plot.draw.theme import LIGHT, Theme


def plot_times(studies: Several, *, theme: Theme = LIGHT) -> Figure:
    """Seconds that each evaluation of f took, and each suggestion of where to evaluate it."""
    return draw_times([times(search) for search in searches(studies)], theme)


def draw_times(drawn: list[Times], theme: Theme) -> Figure:
    """Two marks for each trial, in one colour for each study and thing."""
    summary = "; ".join(f"{label(one.name)}: {100.0 * one.overhead:.0f} % into suggestions" for one in drawn)
    figure = blank(theme, f"Where the time goes<br><sup>{summary}</sup>", "trial", "seconds")
    for number, one in enumerate(drawn):
        name = f" ({label(one.name)})" if len(drawn) > 1 else ""
        figure.add_trace(_marks(one, one.evaluating, f"evaluation{name}", "circle", theme.color(2 * number)))
        figure.add_trace(_marks(one, one.suggesting, f"suggestion{name}", "diamond", theme.color(2 * number + 1)))
    return logarithmic(figure)


def _marks(one: Times, seconds: Array, name: str, symbol: str, color: str) -> go.Scatter:
    shown = evenly(len(one.numbers), MOST_MARKS)[: len(one.numbers)]
    return go.Scatter(
        x=one.numbers[shown],
        y=seconds[shown],
        mode="markers",
        name=name,
        marker={"color": color, "symbol": symbol, "size": 5, "opacity": 0.7},
        hovertemplate="trial %{x}: %{y:.3g} s",
    )
