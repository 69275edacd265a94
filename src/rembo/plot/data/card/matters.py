"""How many parameters matter: the one count that a method card goes by.

A group of parameters matters if the range of its effect excludes zero; it may matter if the range includes zero and its
share may reach 1 %. A group that matters holds at least one parameter that does, and at most all of them do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from rembo.optimizer import Importance
from rembo.plot.data.card.entry import Entry

_LITTLE = 0.01  # of the variation: a share that stays below it does not make a group one that may matter
_FEW = 0.25  # of all parameters


class Verdict(Enum):
    """Whether few parameters matter, in the words of the card."""

    FEW = "few matter: what the others do at the best configuration is small"
    MANY = "it is not the case that few matter"
    UNKNOWN = "whether few matter is not known yet: more trials would tell"


@dataclass(frozen=True)
class Matters:
    """At least and at most so many of all parameters matter."""

    at_least: int
    at_most: int
    parameters: int

    @classmethod
    def counted(cls, groups: Sequence[Importance]) -> "Matters":
        """The count over all groups of a space."""
        sure = [group for group in groups if group.matters]
        open_ones = [group for group in groups if not group.matters and group.high >= _LITTLE]
        at_most = sum(group.size for group in [*sure, *open_ones])
        return cls(len(sure), at_most, sum(group.size for group in groups))

    @property
    def verdict(self) -> Verdict:
        """Few is a quarter of all, or fewer."""
        few = _FEW * self.parameters
        if self.at_most <= few:
            return Verdict.FEW
        return Verdict.MANY if self.at_least > few else Verdict.UNKNOWN

    @property
    def finding(self) -> str:
        """The count in words."""
        if self.at_least == self.at_most:
            return f"{self.at_most:,} of {self.parameters:,}"
        return f"at least {self.at_least:,}, at most {self.at_most:,} of {self.parameters:,}"


def entry(found: Matters | None) -> Entry:
    """The line of the card; None if there are too few values to count by."""
    if found is None:
        return Entry("Parameters that matter", "unknown", "fewer than two values are too few to tell")
    return Entry("Parameters that matter", found.finding, found.verdict.value)
