"""Addresses of a server's pages; a report has none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode

from rembo.dashboard.asked import Asked, Pairs
from rembo.dashboard.catalogue import Place, UnknownPlaceError

MOST_COMPARED = 24


@dataclass(frozen=True)
class Links:
    """The addresses of what is shown of a study."""

    place: Place

    def study(self, asked: Asked) -> str:
        """Its page, as it is asked for."""
        return f"/study?{self.place.query(asked.pairs())}"

    def trial(self, number: int) -> str:
        """The page of a trial."""
        return f"/trial?{self.place.query([('number', str(number))])}"

    def charts(self, asked: Asked) -> str:
        """The charts that follow from the trials alone."""
        return f"/charts?{self.place.query(Asked(target=asked.target).pairs())}"

    @property
    def belief(self) -> str:
        """The charts of the model."""
        return f"/belief?{self.place.query()}"

    @property
    def events(self) -> str:
        """The stream that says when the file has changed."""
        return f"/events?{urlencode({'file': self.place.file})}"


def compared(pairs: Iterable[tuple[str, str]]) -> list[Place]:
    """The studies that an address compares: each as the part of an address that names it."""
    found = [parse_qs(text) for key, text in pairs if key == "study"]
    places = [Place(each.get("file", [""])[0], each.get("name", [""])[0]) for each in found]
    chosen = list(dict.fromkeys(places))
    if len(chosen) > MOST_COMPARED:
        raise UnknownPlaceError(f"{len(chosen)} studies are too many to compare: choose at most {MOST_COMPARED}.")
    return chosen


def comparison(places: Sequence[Place], asked: Asked) -> str:
    """The part of an address that compares studies."""
    pairs: Pairs = [("study", place.query()) for place in places]
    return urlencode([*pairs, *Asked(target=asked.target).pairs()])
