"""The page that lists the studies of a file or folder, and the one that compares some of them."""

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from rembo.dashboard.asked import Asked
from rembo.dashboard.catalogue import Place, Shelf
from rembo.dashboard.facts import standing
from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.pages.layout import chart, moment, number, page, scrolling, section
from rembo.dashboard.pages.parts import FORM, apply_button, badge, controls, labelled, log_switch
from rembo.optimizer import TrialState
from rembo.study.storage import Overview, StoredStudy

_HEADS = ("compare", "study", "state", "trials", "failed", "best value", "direction", "last heard of")


def index_page(path: Path, shelves: Sequence[Shelf], version: str, head: Child) -> Html:
    """Every file with its studies, or with what is wrong with it."""
    nothing = element("p", f"There is no study's file in {path} yet.", class_="empty")
    listed = section("studies", "All studies", _studies(shelves, ()), wide=True) if shelves else nothing
    return page(
        "Studies", element("h1", "Studies"), _form(), listed, head=head, data_version=version, data_events="/events"
    )


def compare_page(
    studies: Mapping[Place, StoredStudy], shelves: Sequence[Shelf], asked: Asked, head: Child, **attributes: str
) -> Html:
    """The histories of some studies in one chart, and all studies to choose from."""
    values = [each.value for study in studies.values() for each in study.trials if each.value is not None]
    tools = controls(
        "compared", log_switch("compared", values), labelled("Target", "target", asked.target), apply_button()
    )
    drawn = [
        element("div", _opposed(studies), id="opposed", class_="beside"),
        tools,
        chart("compared", "The best value so far of each study"),
    ]
    none = element("p", "Tick two studies or more, and compare them.", class_="empty")
    parts = [
        section("comparison", "The best value so far", drawn if studies else none, wide=True),
        section("studies", "All studies", _studies(shelves, studies), wide=True),
    ]
    trail = [element("a", "Studies", href="/")]
    return page("Compared", element("h1", "Studies compared"), _form(), parts, head=head, trail=trail, **attributes)


def labels_of(places: Collection[Place]) -> dict[Place, str]:
    """What studies are called beside each other: by their names, and by their files where names are not enough."""
    counts = Counter(place.name for place in places)
    return {place: place.name if counts[place.name] == 1 else f"{place.file}: {place.name}" for place in places}


def _opposed(studies: Mapping[Place, StoredStudy]) -> Html | None:
    """A word of warning where low is good in some of the studies, and high in others."""
    labels = labels_of(studies)
    rising = [labels[place] for place, study in studies.items() if study.header.direction == "maximize"]
    if not 0 < len(rising) < len(studies):
        return None
    text = (
        f"{', '.join(rising)}: maximised, the others minimised, so that their best values run in opposite directions."
    )
    return element("p", text, class_="problem")


def _form() -> Html:
    return element("form", id=FORM, method="get", action="/compare")


def _studies(shelves: Sequence[Shelf], chosen: Collection[Place]) -> Html:
    """One table for all files, so that its columns are the same in each."""
    head = element("thead", element("tr", [element("th", each, scope="col") for each in _HEADS]))
    bodies = [_shelf(number, shelf, chosen) for number, shelf in enumerate(shelves)]
    button = element("p", element("button", "Compare", type="submit", form=FORM))
    return join([scrolling(element("table", head, bodies), "The studies"), button])


def _shelf(number: int, shelf: Shelf, chosen: Collection[Place]) -> Html:
    heading = element("tr", element("th", shelf.file, colspan=len(_HEADS), scope="rowgroup"))
    nothing = None if shelf.studies or shelf.problem else "No study was begun here yet."
    word = shelf.problem or nothing
    kind = "problem" if shelf.problem else "note"
    said = element("tr", element("td", element("p", word, class_=kind), colspan=len(_HEADS))) if word else None
    rows = [_row(f"{number}-{place}", shelf.file, each, chosen) for place, each in enumerate(shelf.studies)]
    return element("tbody", heading, said, rows)


def _row(key: str, file: str, study: Overview, chosen: Collection[Place]) -> Html:
    place, counts = Place(file, study.header.name), Counter(study.counts)
    quiet = None if study.latest is None else time.time() - study.latest
    cells: list[Child] = [
        _box(key, place, place in chosen),
        element("a", place.name, href=f"/study?{place.query()}"),
        badge(standing(counts, quiet, None)),
        f"{counts.total():,}",
        f"{counts[TrialState.FAIL] + counts[TrialState.PRUNED]:,}",
        number(study.best),
        study.header.direction,
        moment(study.latest),
    ]
    return element("tr", [element("td", cell) for cell in cells])


def _box(key: str, place: Place, checked: bool) -> Html:
    about = f"Compare {place.name} in {place.file}"
    fixed = {"type": "checkbox", "form": FORM, "name": "study", "aria_label": about}
    return element("input", id=f"compare-{key}", value=place.query(), checked=checked, **fixed)
