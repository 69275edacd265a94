"""The picture of a method card: a table."""

from rembo.plot.data.card import Entry, MethodCard, method_card
from rembo.plot.data.search import Several, searches, the_search
from rembo.plot.draw.canvas import Figure, blank, go, label
from rembo.plot.draw.theme import LIGHT, Theme

_ALL = 400  # characters of a cell
_HEADS = ("", "finding", "why, or what it means")


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
        *_part("What was used", card.used),
        *_part("Evidence for few directions that matter", card.evidence),
        *_part("Beside random search", card.comparison),
        *_part("Warnings", tuple(Entry("", "", text) for text in card.warnings or ("none",))),
    ]
    figure.add_trace(_table(rows, theme))
    return figure.update_layout(height=150 + 32 * len(rows))


def _part(head: str, entries: tuple[Entry, ...]) -> list[tuple[str, str, str]]:
    """The lines of a part, the first of them its head."""
    lines = [(label(entry.topic), label(entry.finding, _ALL), label(entry.meaning, _ALL)) for entry in entries]
    return [(f"<b>{head}</b>", "", ""), *lines]


def _table(rows: list[tuple[str, str, str]], theme: Theme) -> go.Table:
    ground = [theme.faint if row[0].startswith("<b>") else theme.ground for row in rows]
    look = {"align": "left", "font": {"color": theme.ink, "size": 13}, "line": {"color": theme.faint}, "height": 28}
    return go.Table(
        columnwidth=[26, 34, 60],
        header={"values": list(_HEADS), "fill": {"color": theme.faint}, **look},
        cells={"values": [list(column) for column in zip(*rows, strict=True)], "fill": {"color": [ground]}, **look},
    )
