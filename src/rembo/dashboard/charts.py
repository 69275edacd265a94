"""The charts of a page: pictures of `rembo.plot` as what plotly.js takes, in the colours of both themes.

Some follow from the trials alone and are drawn at once; the others show what the optimizer believes, and to know that
it must be told all values again. Where there is nothing to draw, a sentence says why.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from rembo.optimizer import Optimizer, RandomSearch
from rembo.plot import DARK, LIGHT
from rembo.plot.data.calibration import calibration
from rembo.plot.data.history import bands, course, courses_by_run
from rembo.plot.data.importance import importance
from rembo.plot.data.landscape import landscape
from rembo.plot.data.model import model_of
from rembo.plot.data.parallel import parallel
from rembo.plot.data.search import Search
from rembo.plot.data.slices import slices
from rembo.plot.data.timeline import timeline
from rembo.plot.data.times import times
from rembo.plot.draw.calibration import draw_calibration
from rembo.plot.draw.history import draw_bands, draw_history
from rembo.plot.draw.importance import draw_importances
from rembo.plot.draw.landscape import draw_landscape
from rembo.plot.draw.parallel import draw_parallel
from rembo.plot.draw.slices import draw_slices
from rembo.plot.draw.timeline import draw_timeline
from rembo.plot.draw.times import draw_times
from rembo.study.codec import decode, own_classes
from rembo.study.storage import StoredStudy

Figure: TypeAlias = dict[str, Any]  # what plotly.js takes: data and layout
Drawing: TypeAlias = Callable[..., Any]  # what was computed of a search, to be drawn in any theme

_TITLE = ""  # the page has headings of its own
_MOST_GROUPS = 8


@dataclass(frozen=True)
class Chart:
    """A chart in both themes, or the sentence that says why there is none."""

    light: Figure | None = None
    dark: Figure | None = None
    problem: str | None = None


def quick_charts(study: StoredStudy, target: float | None = None) -> dict[str, Chart]:
    """The charts that follow from the trials alone; a target is a line in the history."""
    pictures: dict[str, Callable[[Search], Drawing]] = {
        "history": partial(_history, target=target),
        "workers": _workers,
        "times": _times,
    }
    try:
        search = untold(study)
    except ValueError as reason:  # what a newer version has written, say
        return dict.fromkeys(pictures, Chart(problem=sentence(str(reason))))
    return _drawn(pictures, search)


def compared_charts(studies: Mapping[str, StoredStudy], target: float | None) -> dict[str, Chart]:
    """The best values so far of several studies, by what they are called, in one chart."""
    try:
        found = [replace(untold(study), name=name) for name, study in studies.items()]
    except ValueError as reason:
        return {"compared": Chart(problem=sentence(str(reason)))}
    drawn = bands(found)
    if not any(len(band.median) for band in drawn):
        return {"compared": Chart(problem="There is nothing to draw before a trial is complete.")}
    return {"compared": _in_both_themes(partial(draw_bands, drawn, target=target))}


def untold(study: StoredStudy) -> Search:
    """A search whose optimizer was told nothing: enough for what follows from the trials alone.

    Any optimizer will do for that; one of a class that is not rembo's is not made.
    """
    foreign = own_classes(study.header.optimizer)
    optimizer = RandomSearch(study.header.space, seed=0) if foreign else decode(study.header.optimizer)
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"study {study.header.name!r} does not say which optimizer it has")
    return Search(study.header.name, study.header.direction, optimizer, tuple(study.trials), ())


def model_charts(search: Search) -> dict[str, Chart]:
    """The charts of what an optimizer believes that was told all."""
    return _drawn(MODELLED, search)


def _drawn(pictures: Mapping[str, Callable[[Search], Drawing]], search: Search) -> dict[str, Chart]:
    if not search.told:
        return dict.fromkeys(pictures, Chart(problem="There is nothing to draw before a trial is finished."))
    return {name: _chart(picture, search) for name, picture in pictures.items()}


def _chart(picture: Callable[[Search], Drawing], search: Search) -> Chart:
    try:
        drawing = picture(search)
    except ValueError as reason:  # the sentence is for people: this optimizer, or this moment, has no such picture
        return Chart(problem=sentence(str(reason)))
    return _in_both_themes(drawing)


def _in_both_themes(drawing: Drawing) -> Chart:
    return Chart(_figure(drawing(theme=LIGHT)), _figure(drawing(theme=DARK)))


def _figure(drawn: Any) -> Figure:
    margin = {"t": 32 if drawn.layout.annotations else 12, "l": 48, "r": 16}  # above are the headings of panels
    drawn.update_layout(title=None, margin=margin, font={"size": 11}, autosize=True)
    drawn.update_xaxes(title_font_size=11)  # a phone would cut off a longer one
    drawn.update_yaxes(title_font_size=11)
    figure: Figure = json.loads(drawn.to_json())
    return figure


def sentence(text: str) -> str:
    """An error's text as a sentence of a page."""
    return f"{text[:1].upper()}{text[1:]}."


def _history(search: Search, target: float | None) -> Drawing:
    return partial(draw_history, course(search), courses_by_run(search), target=target)


def _workers(search: Search) -> Drawing:
    return partial(draw_timeline, [("", bar) for bar in timeline(search)])


def _times(search: Search) -> Drawing:
    return partial(draw_times, [times(search)])


def _importance(search: Search) -> Drawing:
    return partial(draw_importances, importance(search, _MOST_GROUPS), _TITLE)


def _belief(search: Search) -> Drawing:
    """The landscape where it has two dimensions, slices through it where it has others."""
    model = model_of(search)
    if model.region.dim == 2:
        return partial(draw_landscape, landscape(model), _TITLE)
    return partial(draw_slices, slices(model), _TITLE)


def _parallel(search: Search) -> Drawing:
    return partial(draw_parallel, parallel(search), _TITLE)


def _calibration(search: Search) -> Drawing:
    return partial(draw_calibration, calibration(model_of(search).posterior), _TITLE)


MODELLED: Mapping[str, Callable[[Search], Drawing]] = {
    "importance": _importance,
    "parallel": _parallel,
    "landscape": _belief,
    "calibration": _calibration,
}
