"""Tables of what an experiment found, as text for the terminal and as markdown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.statistics import Comparison, Summary


@dataclass(frozen=True)
class Table:
    """A head and rows of as many cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        """In columns, the first flush left."""
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        return "\n".join(_aligned(cells, widths) for cells in (self.head, *self.rows))

    @property
    def markdown(self) -> str:
        """With bars."""
        head, *body = (f"| {' | '.join(cells)} |" for cells in (self.head, *self.rows))
        return "\n".join([head, "|" + "---|" * len(self.head), *body])


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        f"{cell:<{width}}" if number == 0 else f"{cell:>{width}}"
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([first, *others])


def mean_and_error(summary: Summary) -> str:
    """The mean gap and its standard error, where there is one, as text."""
    return f"{summary.mean:.3g}" + ("" if math.isnan(summary.error) else f" ± {summary.error:.2g}")


def rank_table(comparisons: Sequence[Comparison]) -> Table:
    """The tests of all pairs."""
    rows = [
        [each.first, each.second, f"{each.statistic:g}", f"{each.p:.2g}", "yes" if each.significant else "no"]
        for each in comparisons
    ]
    return Table(["method", "against", "U", "p, Bonferroni", "differ at 5 %"], rows)
