"""The picture of predicted against observed values: can the model be believed?"""

from rembo.plot.data.calibration import Calibration, calibration
from rembo.plot.data.model import model_of
from rembo.plot.data.search import Several, the_search
from rembo.plot.data.thinning import MOST_MARKS, evenly
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme


def plot_calibration(study: Several, *, run: int | None = None, theme: Theme = LIGHT) -> Figure:
    """Each value that a run saw, and what its model predicts of it from all the others, with a 95 % interval."""
    search = the_search(study)
    model = model_of(search, run)
    title = f"Predicted against observed: {label(search.name)}, run {model.run}"
    return draw_calibration(calibration(model.posterior), title, theme)


def draw_calibration(drawn: Calibration, title: str, theme: Theme) -> Figure:
    """Marks with intervals beside the diagonal on which predictions would be right."""
    found = (
        f"{100 * drawn.explained:.0f} % of the variance explained, {100 * drawn.covered:.0f} % in the 95 % intervals"
    )
    unit = "(standard deviations of the values)"
    figure = blank(theme, f"{title}<br><sup>{found}</sup>", f"observed {unit}", f"predicted without it {unit}")
    ends = [float(drawn.observed.min()), float(drawn.observed.max())]
    line = {"color": theme.ink, "dash": "dot", "width": 1}
    figure.add_trace(go.Scatter(x=ends, y=ends, mode="lines", line=line, hoverinfo="skip"))
    figure.add_trace(_marks(drawn, theme))
    return figure.update_layout(showlegend=False)


def _marks(drawn: Calibration, theme: Theme) -> go.Scatter:
    shown = evenly(len(drawn.observed), MOST_MARKS)
    return go.Scatter(
        x=drawn.observed[shown],
        y=drawn.mean[shown],
        error_y={"type": "data", "array": 1.96 * drawn.std[shown], "color": theme.faint, "thickness": 1, "width": 0},
        mode="markers",
        marker={"color": theme.color(0), "size": 6},
        hovertemplate="observed %{x:.3g}, predicted %{y:.3g} ± %{error_y.array:.2g}<extra></extra>",
    )
