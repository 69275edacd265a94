"""The picture of the parameters' importance; its name is Optuna's."""

from rembo.plot.data.importance import Group, importance
from rembo.plot.data.search import Several, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme

_SURE, _UNSURE = 1.0, 0.4  # how opaque a bar is


def plot_param_importances(study: Several, *, theme: Theme = LIGHT) -> Figure:
    """The share of f's variation around its best point along each parameter, or group of them, with its 90 % range.

    Bars of groups that may not matter at all are pale. Parameters of a group were never moved apart: they share a bar,
    and the trials do not tell which of them it belongs to.
    """
    search = the_search(study)
    return draw_importances(importance(search), f"What f depends on: {label(search.name)}", theme)


def draw_importances(groups: list[Group], title: str, theme: Theme) -> Figure:
    """A bar for each group, in their order from the top."""
    figure = blank(theme, title, "share of the variation of f around its best point (%)")
    names = [label(group.name) for group in groups]
    figure.add_trace(_bars(groups, names, theme))
    figure.update_yaxes(tickvals=list(range(len(groups))), ticktext=names, autorange="reversed", showgrid=False)
    return figure.update_layout(height=160 + 32 * len(groups))


def _bars(groups: list[Group], names: list[str], theme: Theme) -> go.Bar:
    return go.Bar(
        x=[100.0 * group.share for group in groups],
        y=list(range(len(groups))),
        orientation="h",
        marker={"color": theme.color(0), "opacity": [_SURE if group.matters else _UNSURE for group in groups]},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [100.0 * (group.high - group.share) for group in groups],
            "arrayminus": [100.0 * (group.share - group.low) for group in groups],
            "color": theme.ink,
        },
        customdata=[_details(group, name) for group, name in zip(groups, names, strict=True)],
        hovertemplate=(
            "%{customdata[0]}<br>%{x:.1f} % of the variation, between %{customdata[1]}"
            "<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>"
        ),
    )


def _details(group: Group, name: str) -> tuple[str, str, str, str]:
    """What is read of a bar: its name, the ranges, and whether the group is one parameter."""
    change = f"changed alone, f gets worse by {group.effect:.3g} ({group.effect_low:.3g} to {group.effect_high:.3g})"
    together = "1 parameter" if group.size == 1 else f"{group.size:,} parameters, not told apart"
    certainty = "" if group.matters else "; may not matter"
    return name, f"{100 * group.low:.1f} and {100 * group.high:.1f} %", change, together + certainty
