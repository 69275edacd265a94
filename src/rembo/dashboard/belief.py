"""What the optimizer of a study believes: the charts of its model, and its method card.

The file holds what was asked and told; to know what follows from it, an optimizer is made anew and told all again,
which can take from a second to minutes. A server leaves that to a process of its own, of low priority, which is this
module run as a program: pages stay quick, memory is given back, and it can be ended at any moment.
"""

import json
import os
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rembo.dashboard.charts import MODELLED, Chart, model_charts, sentence, untold
from rembo.dashboard.facts import method_of
from rembo.dashboard.html import Html, element
from rembo.dashboard.pages.card import card_table
from rembo.optimizer import RandomSearch
from rembo.plot.data.card import Entry, method_card
from rembo.plot.data.relevance import relevant
from rembo.plot.data.search import Search
from rembo.study.codec import own_classes
from rembo.study.opening import without_ablations
from rembo.study.own_class import UnknownClassError
from rembo.study.sqlite import SQLite
from rembo.study.storage import Overview

_NICENESS = 10
_MOST_NAMED = 12  # parameters that matter
_ENOUGH = 10  # trials of a random search
_UNCOMPARED = Entry("Random search", "not compared", "a study of RandomSearch in the same file would be compared here")


@dataclass(frozen=True)
class Belief:
    """The charts of a model, the method card, how many values both follow from, and the names of what matters."""

    told: int
    matters: tuple[str, ...]
    charts: dict[str, Chart]
    card: Html

    def data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return asdict(self)


def belief(storage: SQLite, name: str) -> Belief:
    """What the optimizer of a study believes, compared with the random searches that the same file holds."""
    stored = storage.read(name)
    foreign = own_classes(stored.header.optimizer)
    if foreign:
        return _none_of(untold(stored), foreign[0])
    search = Search.of(stored)
    card = _card(search, _random_searches(storage, search))
    return Belief(len(search.told), _matters(search), model_charts(search), card)


def _none_of(search: Search, own_class: str) -> Belief:
    """What is said of an optimizer with a class that is not rembo's, which is not made here."""
    problem = sentence(f"what the optimizer believes is told in Python alone: {UnknownClassError(own_class)}")
    charts = dict.fromkeys(MODELLED, Chart(problem=problem))
    return Belief(len(search.told), (), charts, element("p", problem, class_="empty"))


def _matters(search: Search) -> tuple[str, ...]:
    try:
        return tuple(each.name for each in relevant(search, _MOST_NAMED))
    except ValueError:  # nothing is known of it
        return ()


def _card(search: Search, baselines: list[Search]) -> Html:
    try:
        card = method_card(search, baselines)
    except ValueError as reason:  # no trial is complete yet
        return element("p", sentence(str(reason)), class_="empty")
    return card_table(card if baselines else replace(card, comparison=(_UNCOMPARED,)))


def _random_searches(storage: SQLite, search: Search) -> list[Search]:
    """The other studies of the file that searched the same space at random, for long enough to compare with."""
    names = {*without_ablations(storage.names())} - {search.name}
    others = [each for each in storage.overviews() if each.header.name in names and each.best is not None]
    random = [untold(storage.read(each.header.name)) for each in others if _is_baseline(each, search)]
    return [each for each in random if len(each.told) >= _ENOUGH]


def _is_baseline(other: Overview, search: Search) -> bool:
    header = other.header
    alike = header.direction == search.direction and header.space == search.optimizer.space
    return alike and method_of(header) == RandomSearch.__name__


def main() -> None:
    """Write what the optimizer of a study believes as JSON: python -m rembo.dashboard.belief FILE NAME."""
    if os.name == "posix":
        os.nice(_NICENESS)
    file, name = sys.argv[1:]
    json.dump(belief(SQLite(Path(file)), name).data(), sys.stdout)


if __name__ == "__main__":
    main()
