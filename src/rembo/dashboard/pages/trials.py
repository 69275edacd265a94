"""The table of trials: columns to choose, links that sort, fields that filter, pages."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rembo.dashboard.asked import HIGH, IS, LOW, PARAMETER, Asked, Range
from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.links import Links
from rembo.dashboard.pages.layout import moment, number, scrolling
from rembo.dashboard.pages.parts import FORM, apply_button, field, hidden
from rembo.dashboard.table import SORTS, TrialTable
from rembo.optimizer import TrialState
from rembo.plot.data.coordinates import Coordinate, positions
from rembo.progress import duration
from rembo.space import Domain, Scalar, Space
from rembo.study import StudyTrial

PAGE = 50  # trials of a table
_MOST_LISTED = 2_000  # parameters that the field for a column offers while one types
_MOST_OF_AN_ARRAY = 1_000  # numbers; of a longer one the first three show how the others are called
_MOST_OPTIONS = 100  # names of a parameter to choose from; more are typed
_MOST_OFFERED = 24  # of them that have a box to tick


@dataclass(frozen=True, eq=False)
class TrialsView:
    """What is shown of the trials: those that are asked for, of how many, and which parameters are offered first.

    `matters` and `differing` name parameters; without `links` there is neither a form nor another page.
    """

    space: Domain
    of: int
    table: TrialTable
    asked: Asked
    matters: Sequence[str] = ()
    differing: Sequence[str] = ()
    links: Links | None = None

    @property
    def pages(self) -> int:
        """How many pages of trials there are, at least one."""
        return max(1, -(-len(self.table.trials) // PAGE))

    @property
    def shown(self) -> Sequence[StudyTrial]:
        """The trials of this page."""
        return self.table.trials[self.asked.page * PAGE : (self.asked.page + 1) * PAGE]


def trials_part(view: TrialsView) -> Html:
    """The table with all that belongs to it."""
    if not view.of:
        return element("p", "None yet.", class_="empty")
    if view.links is None:
        return join([_table(view), _rest(view)])
    tools = element("div", _count(view), apply_button(), _reset(view), class_="controls")
    kept = [hidden(key, text) for key, text in view.asked.pairs() if key in ("sort", "order")]
    return join([_chooser(view), _unknown(view), tools, kept, _table(view), _pager(view)])


def _table(view: TrialsView) -> Html:
    return scrolling(element("table", _head(view), _body(view)), "The trials")


def _head(view: TrialsView) -> Html:
    names = [*SORTS[:4], *(column.name for column in view.table.columns), *SORTS[4:]]
    keys = [*SORTS[:4], *(f"{PARAMETER}{column.name}" for column in view.table.columns), *SORTS[4:]]
    cells = [_heading(view, name, key, place) for place, (name, key) in enumerate(zip(names, keys, strict=True))]
    return element("thead", element("tr", cells), None if view.links is None else element("tr", _filters(view)))


def _heading(view: TrialsView, name: str, key: str, place: int) -> Html:
    """The head of a column: a link that sorts by it, and for a parameter one that removes it."""
    is_parameter = key.startswith(PARAMETER)
    if view.links is None:
        return element("th", name, scope="col")
    here = key == view.asked.sort
    arrow = (" ▲" if view.asked.rising else " ▼") if here else ""
    link = element("a", f"{name}{arrow}", href=_there(view, view.asked.sorted_by(key)), id=f"sort-{place}")
    order = ("ascending" if view.asked.rising else "descending") if here else None
    return element("th", link, _remover(view, name) if is_parameter else None, scope="col", aria_sort=order)


def _remover(view: TrialsView, name: str) -> Html:
    about = f"Remove the column {name}"
    return element(
        "a", "×", href=_there(view, view.asked.without(name)), class_="remove", aria_label=about, title=about
    )


def _filters(view: TrialsView) -> list[Html]:
    asked = view.asked
    states = [(state.name, state.value) for state in TrialState]
    before = [
        element("td"),
        element("td", _choice("state", asked.state.name if asked.state else None, states, "State")),
        element("td", _range("low", "high", asked.values, "value")),
        element("td"),
    ]
    return [*before, *(element("td", _filter(column, asked)) for column in view.table.columns), *[element("td")] * 4]


def _filter(column: Coordinate, asked: Asked) -> Html:
    wanted = asked.names.get(column.name)
    if column.parameter.levels > _MOST_OPTIONS and column.names:
        return field(f"{IS}{column.name}", wanted, column.name, size=9, placeholder="name")
    if column.names:
        return _choice(f"{IS}{column.name}", wanted, [(name, name) for name in column.names], column.name)
    bounds = asked.ranges.get(column.name, Range())
    return _range(f"{LOW}{column.name}", f"{HIGH}{column.name}", bounds, column.name)


def _choice(name: str, chosen: str | None, options: Sequence[tuple[str, str]], about: str) -> Html:
    listed = [element("option", label, value=value, selected=value == chosen) for value, label in options]
    return element(
        "select", element("option", "all", value=""), listed, id=f"field-{name}", form=FORM, name=name, aria_label=about
    )


def _range(low: str, high: str, bounds: Range, about: str) -> Html:
    fields = [
        field(low, bounds.low, f"{about}, at least", inputmode="decimal", size=7, placeholder="from"),
        field(high, bounds.high, f"{about}, at most", inputmode="decimal", size=7, placeholder="to"),
    ]
    return element("span", fields, class_="range")


def _body(view: TrialsView) -> Html:
    if not view.table.trials:
        width = len(SORTS) + len(view.table.columns)
        return element("tbody", element("tr", element("td", "No trial is like that.", colspan=width, class_="empty")))
    default = (view.space.default or {}) if isinstance(view.space, Space) else {}
    U = positions(view.shown, view.table.columns)
    rows = [_row(view, trial, _cells(view, u.tolist(), default)) for trial, u in zip(view.shown, U, strict=True)]
    return element("tbody", rows)


def _row(view: TrialsView, trial: StudyTrial, parameters: Sequence[Html]) -> Html:
    name = f"{trial.number:,}"
    before: list[Child] = [
        name if view.links is None else element("a", name, href=view.links.trial(trial.number)),
        element("span", trial.state.value, class_=f"state {trial.state.name.lower()}"),
        number(trial.value),
        "–" if trial.duration is None else duration(trial.duration),
    ]
    after: list[Child] = [trial.run, trial.origin.value, trial.worker or "", moment(trial.finished_at)]
    plain = [[element("td", cell) for cell in cells] for cells in (before, after)]
    return element("tr", plain[0], parameters, plain[1])


def _cells(view: TrialsView, u: Sequence[float], default: Mapping[str, Any]) -> list[Html]:
    """The values of the columns that are shown; those that are not the default's stand out."""
    return [_cell(column, at, default) for column, at in zip(view.table.columns, u, strict=True)]


def _cell(column: Coordinate, u: float, default: Mapping[str, Any]) -> Html:
    if math.isnan(u):
        return element("td", "–", title="inactive: its condition is not fulfilled")
    changed = column.name in default and column.value(u) != default[column.name]
    return element("td", element("code", column.text(u)), class_="changed" if changed else None)


def _chooser(view: TrialsView) -> Html:
    """Boxes for the parameters that are shown, matter or differ, and a field that finds all others by name."""
    chosen = [column.name for column in view.table.columns]
    matters = [name for name in view.matters if name not in chosen]
    differing = [name for name in view.differing if name not in {*chosen, *matters}][:_MOST_OFFERED]
    others = [] if matters or differing else [name for name in _names(view.space, _MOST_OFFERED) if name not in chosen]
    groups = (("Shown", chosen), ("Matter most", matters), ("Differ from the default", differing), ("First", others))
    boxes = [_boxes(legend, names, chosen) for legend, names in groups if names]
    summary = element("summary", f"Columns: {len(chosen):,} of {view.space.size:,} parameters")
    return element("details", summary, _finder(view), boxes, element("p", apply_button()), id="columns")


def _boxes(legend: str, names: Sequence[str], chosen: Sequence[str]) -> Html:
    kind = legend.split()[0].lower()
    boxes = [
        element(
            "label",
            element(
                "input",
                type="checkbox",
                form=FORM,
                name="column",
                value=name,
                checked=name in chosen,
                id=f"column-{kind}-{place}",
            ),
            " ",
            element("code", name),
        )
        for place, name in enumerate(names)
    ]
    return element("fieldset", element("legend", legend), boxes)


def _finder(view: TrialsView) -> Html:
    listed = element(
        "datalist", [element("option", value=name) for name in _names(view.space, _MOST_LISTED)], id="names"
    )
    typed = field(
        "column",
        None,
        "Name of a parameter",
        type="search",
        list="names",
        placeholder="type a part of its name",
        size=26,
    )
    return element("p", element("label", "Another parameter ", typed), listed)


def _names(space: Domain, most: int) -> list[str]:
    """What single coordinates are called, at most so many; those of a long array are left to be typed."""
    parameters = space.parameters if isinstance(space, Space) else {"x": space}
    names: list[str] = []
    for name, parameter in parameters.items():
        within = range(min(parameter.size, most - len(names)) if parameter.size <= _MOST_OF_AN_ARRAY else 3)
        names += [name] if isinstance(parameter, Scalar) else [f"{name}[{index}]" for index in within]
        if len(names) >= most:
            break
    return names[:most]


def _unknown(view: TrialsView) -> Html | None:
    if not view.table.unknown:
        return None
    names = ", ".join(map(repr, view.table.unknown))
    return element("p", f"No parameter of one coordinate is called {names}.", class_="problem")


def _count(view: TrialsView) -> Html:
    found = len(view.table.trials)
    return element("span", f"{found:,} trials" if found == view.of else f"{found:,} of {view.of:,} trials")


def _reset(view: TrialsView) -> Html | None:
    everything = view.asked.unfiltered()
    if everything.pairs() == replace(view.asked, page=0).pairs():
        return None
    return element("a", "Show all", href=_there(view, everything), id="show-all")


def _rest(view: TrialsView) -> Html | None:
    rest = len(view.table.trials) - PAGE
    return element("p", f"and {rest:,} earlier ones: rembo export writes them all.") if rest > 0 else None


def _pager(view: TrialsView) -> Html | None:
    if view.pages == 1:
        return None
    page = view.asked.page
    here = element("span", f"page {page + 1:,} of {view.pages:,}")
    before, after = _page(view, page - 1, "Previous"), _page(view, page + 1, "Next")
    return element("nav", before, here, after, class_="pager", aria_label="Pages of trials")


def _page(view: TrialsView, page: int, label: str) -> Html:
    if not 0 <= page < view.pages:
        return element("span", label, class_="off")
    return element("a", label, href=_there(view, replace(view.asked, page=page)), id=f"page-{label.lower()}")


def _there(view: TrialsView, asked: Asked) -> str:
    assert view.links is not None  # asked where there are other pages
    return f"{view.links.study(asked)}#trials"
