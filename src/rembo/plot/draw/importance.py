"""The picture of the parameters' importance; its name is Optuna's."""

from rembo.plot.data.importance import Group, importance
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme


def plot_param_importances(study: Several, *, theme: Theme = LIGHT) -> Figure:
    """The share of f's variation along each parameter, or group of parameters that still move together, and its range.

    The range is that of nine estimates: from all values, and with an eighth of them left out, each in turn.
    """
    search = the_search(study)
    return draw_importances(importance(search), f"What f varies with: {label(search.name)}", theme)


def draw_importances(groups: list[Group], title: str, theme: Theme) -> Figure:
    """A bar for each group, the most important on top."""
    figure = blank(theme, title, "share of the variation of f (%)")
    names = [label(group.name) for group in groups]
    figure.add_trace(_bars(groups, names, theme))
    figure.update_yaxes(tickvals=list(range(len(groups))), ticktext=names, autorange="reversed", showgrid=False)
    return figure.update_layout(height=160 + 32 * len(groups))


def _bars(groups: list[Group], names: list[str], theme: Theme) -> go.Bar:
    details = [
        (name, f"{100 * group.low:.1f} to {100 * group.high:.1f} %", f"{group.size:,}")
        for name, group in zip(names, groups, strict=True)
    ]
    return go.Bar(
        x=[100.0 * group.share for group in groups],
        y=list(range(len(groups))),
        orientation="h",
        marker={"color": theme.color(0)},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [100.0 * (group.high - group.share) for group in groups],
            "arrayminus": [100.0 * (group.share - group.low) for group in groups],
            "color": theme.ink,
        },
        customdata=details,
        hovertemplate=(
            "%{customdata[0]}<br>%{x:.1f} % of the variation, between %{customdata[1]}"
            "<br>%{customdata[2]} parameters<extra></extra>"
        ),
    )
