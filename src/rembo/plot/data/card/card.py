"""The method card as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from rembo.plot.data.card import comparison as compared
from rembo.plot.data.card import evidence as seen
from rembo.plot.data.card.entry import Entry
from rembo.plot.data.card.used import used
from rembo.plot.data.card.warnings import warnings
from rembo.plot.data.model import modellers
from rembo.plot.data.search import Search


@dataclass(frozen=True)
class MethodCard:
    """What was used and why, the evidence for few directions that matter, the comparison, and warnings, if any."""

    name: str
    used: tuple[Entry, ...]
    evidence: tuple[Entry, ...]
    comparison: tuple[Entry, ...]
    warnings: tuple[str, ...]


def method_card(search: Search, random_baseline: Sequence[Search] = ()) -> MethodCard:
    """The card of a search, compared with random searches of the same space if there are any."""
    found = seen.evidence(search) if search.best.run in modellers(search.optimizer) else None
    comparison = compared.compare(search, random_baseline) if random_baseline else None
    return MethodCard(
        search.name,
        tuple(used(search)),
        tuple(_unknown() if found is None else seen.entries(search, found)),
        tuple(compared.entries(comparison, len(search.told))),
        tuple(warnings(search, found, comparison)),
    )


def _unknown() -> list[Entry]:
    return [Entry("Directions", "unknown", "this method has no model of f that could tell")]
