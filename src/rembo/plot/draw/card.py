"""The picture of a method card: a table."""

from typing import TypeAlias

from rembo.plot.data.card import Entry, MethodCard, method_card
from rembo.plot.data.search import Several, searches, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme

_ALL = 400  # characters of a cell
_HEADS = ("", "finding", "why, or what it means")
_WIDTHS = (24, 36, 60)
_CHARACTERS = (20, 30, 52)  # of a line of each column

Row: TypeAlias = tuple[str, str, str]


def plot_method_card(study: Several, *, random_baseline: Several | None = None, theme: Theme = LIGHT) -> Figure:
    """What was used and why, the evidence for few directions that matter, and warnings where that seems to fail.

    With `random_baseline`, one or several studies or results of RandomSearch, it is compared with these at an equal
    number of evaluations; f itself is never evaluated.
    """
    baselines = () if random_baseline is None else searches(random_baseline)
    return draw_card(method_card(the_search(study), baselines), theme)


def draw_card(card: MethodCard, theme: Theme) -> Figure:
    """A row for each entry, under the head of its part."""
    figure = blank(theme, f"Method card: {label(card.name)}")
    rows = [
        *_part("What was used", "", card.used),
        *_part("Evidence", "that few directions matter", card.evidence),
        *_part("Comparison", "at an equal number of evaluations", card.comparison),
        *_part("Warnings", "", tuple(Entry("", "", text) for text in card.warnings or ("none",))),
    ]
    figure.add_trace(_table(rows, theme))
    return figure.update_layout(height=160 + sum(_height(row) for row in rows), margin={"l": 20, "r": 20})


def _part(head: str, of: str, entries: tuple[Entry, ...]) -> list[Row]:
    """The lines of a part, the first of them its head."""
    lines = [(label(entry.topic), label(entry.finding, _ALL), label(entry.meaning, _ALL)) for entry in entries]
    return [(f"<b>{head}</b>", of, ""), *lines]


def _height(row: Row) -> int:
    """The pixels of a row, whose cells are broken into lines where the page is 900 pixels wide."""
    lines = max(-(-len(cell) // width) for cell, width in zip(row, _CHARACTERS, strict=True))
    return 12 + 18 * lines


def _table(rows: list[Row], theme: Theme) -> go.Table:
    ground = [theme.faint if row[0].startswith("<b>") else theme.ground for row in rows]
    look = {"align": "left", "font": {"color": theme.ink, "size": 13}, "line": {"color": theme.faint}, "height": 28}
    return go.Table(
        columnwidth=list(_WIDTHS),
        header={"values": list(_HEADS), "fill": {"color": theme.faint}, **look},
        cells={"values": [list(column) for column in zip(*rows, strict=True)], "fill": {"color": [ground]}, **look},
    )
