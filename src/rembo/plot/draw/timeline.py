"""The picture of the parallel workers over time; its name is Optuna's."""

from rembo.optimizer import TrialState
from rembo.plot.data.search import Several, searches
from rembo.plot.data.timeline import Bar, timeline
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme

_STATES = {TrialState.COMPLETE: 0, TrialState.PRUNED: 4, TrialState.FAIL: 1}


def plot_timeline(studies: Several, *, theme: Theme = LIGHT) -> Figure:
    """What each worker evaluated when, and how it ended; of several studies one below the other."""
    found = searches(studies)
    rows = [(search.name if len(found) > 1 else "", bar) for search in found for bar in timeline(search)]
    return draw_timeline(rows, theme)


def draw_timeline(rows: list[tuple[str, Bar]], theme: Theme) -> Figure:
    """A row for each worker of each study, a colour for each way to end; seconds count from the first start."""
    figure = blank(theme, "What the workers did", "seconds since the first evaluation began")
    places = list(dict.fromkeys((study, bar.worker, bar.lane) for study, bar in rows))
    begin = min((bar.start for _, bar in rows), default=0.0)
    for state, number in _STATES.items():
        chosen = [(places.index((study, bar.worker, bar.lane)), bar) for study, bar in rows if bar.state is state]
        if chosen:
            figure.add_trace(_bars(chosen, begin, state.value, theme.color(number)))
    names = [label(f"{study} {worker}".strip()) if lane == 0 else "" for study, worker, lane in places]
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, autorange="reversed", showgrid=False)
    return figure.update_layout(barmode="overlay", height=200 + 34 * len(names), bargap=0.25)


def _bars(chosen: list[tuple[int, Bar]], begin: float, name: str, color: str) -> go.Bar:
    return go.Bar(
        x=[bar.stop - bar.start for _, bar in chosen],
        base=[bar.start - begin for _, bar in chosen],
        y=[place for place, _ in chosen],
        orientation="h",
        name=name,
        marker={"color": color, "line": {"width": 0.5}},
        customdata=[(_trials(bar), label(bar.failure or "", 120)) for _, bar in chosen],
        hovertemplate="%{customdata[0]}: %{x:.3g} s<br>%{customdata[1]}",
    )


def _trials(bar: Bar) -> str:
    if bar.trials == 1:
        return f"trial {bar.first}"
    return f"{bar.trials} trials, {bar.first} to {bar.last}"
