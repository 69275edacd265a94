"""The method card as a table of HTML, which a screen reader reads and a phone can show."""

from collections.abc import Sequence

from rembo.dashboard.html import Html, element, join
from rembo.plot.data.card import Entry, MethodCard


def card_table(card: MethodCard) -> Html:
    """Warnings first, then what was used and why, the evidence, and the comparison with random search."""
    parts = (
        ("What was used", card.used),
        ("Evidence that few directions matter", card.evidence),
        ("At an equal number of evaluations", card.comparison),
    )
    bodies = [_part(head, entries) for head, entries in parts]
    return join([_warnings(card.warnings), element("table", bodies, class_="card")])


def _warnings(warnings: Sequence[str]) -> Html:
    if not warnings:
        return element("p", "No warnings: nothing seems to be wrong with the assumptions.", class_="good")
    return element("ul", [element("li", text) for text in warnings], class_="warnings", aria_label="Warnings")


def _part(head: str, entries: Sequence[Entry]) -> Html:
    heading = element("tr", element("th", head, colspan=3, scope="rowgroup"))
    return element("tbody", heading, map(_entry, entries))


def _entry(entry: Entry) -> Html:
    meaning = element("td", entry.meaning, class_="meaning")
    return element("tr", element("th", entry.topic, scope="row"), element("td", entry.finding), meaning)
