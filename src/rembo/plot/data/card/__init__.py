"""The method card of a study: what was used and why, whether few directions matter, and what else might do better."""

from rembo.plot.data.card.card import MethodCard, method_card
from rembo.plot.data.card.entry import Entry

__all__ = ["Entry", "MethodCard", "method_card"]
