"""The page that lists the studies of a file or folder."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rembo.dashboard.catalogue import Place, Shelf
from rembo.dashboard.facts import standing
from rembo.dashboard.html import Child, Html, element
from rembo.dashboard.pages.layout import moment, number, page, section, table
from rembo.dashboard.pages.parts import badge
from rembo.optimizer import TrialState
from rembo.study.storage import Overview

_HEADS = ("study", "state", "trials", "failed", "best value", "direction", "last heard of")


def index_page(path: Path, shelves: Sequence[Shelf], version: str, head: Child) -> Html:
    """Every file with its studies, or with what is wrong with it."""
    nothing = None if shelves else element("p", f"There is no study's file in {path} yet.", class_="empty")
    parts = [_shelf(number, shelf) for number, shelf in enumerate(shelves)]
    return page("Studies", element("h1", "Studies"), nothing, parts, head=head, data_version=version)


def _shelf(number: int, shelf: Shelf) -> Html:
    if shelf.problem is not None:
        content = element("p", shelf.problem, class_="problem")
    elif not shelf.studies:
        content = element("p", "No study was begun here yet.", class_="empty")
    else:
        content = table(_HEADS, [_row(shelf.file, each) for each in shelf.studies], f"The studies in {shelf.file}")
    return section(f"file-{number}", shelf.file, content, wide=True)


def _row(file: str, study: Overview) -> list[Child]:
    name, counts = study.header.name, Counter(study.counts)
    quiet = None if study.latest is None else time.time() - study.latest
    return [
        element("a", name, href=f"/study?{Place(file, name).query()}"),
        badge(standing(counts, quiet, None)),
        f"{counts.total():,}",
        f"{counts[TrialState.FAIL] + counts[TrialState.PRUNED]:,}",
        number(study.best),
        study.header.direction,
        moment(study.latest),
    ]
