"""What an address asks for beside a study: which trials, with which columns, in which order, and a target.

All that a visitor chooses stands in the address, so that it survives a reload and can be sent to others.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from rembo.dashboard.catalogue import UnknownPlaceError
from rembo.optimizer import TrialState

Pairs: TypeAlias = list[tuple[str, str]]

NUMBER = "trial"  # what trials are sorted by unless something else is asked for
PARAMETER = "p."  # begins what is sorted by where that is a parameter
MOST_COLUMNS = 30
LOW, HIGH, IS = "low.", "high.", "is."  # begin the names of what a parameter is filtered by


@dataclass(frozen=True)
class Range:
    """A range of numbers; without an end where none is given."""

    low: float | None = None
    high: float | None = None

    def __contains__(self, number: float) -> bool:
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def __bool__(self) -> bool:
        return self.low is not None or self.high is not None


@dataclass(frozen=True)
class Asked:
    """What is to be shown of a study.

    `columns` are names of parameters; `ranges` and `names` say between which numbers, or at which name, some of them
    must lie; `values` the same of the value. `target` is a value to be reached, `of` how many trials there will be.
    """

    page: int = 0
    columns: tuple[str, ...] = ()
    sort: str = NUMBER
    rising: bool = False
    state: TrialState | None = None
    values: Range = Range()
    ranges: Mapping[str, Range] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    target: float | None = None
    of: int | None = None

    @classmethod
    def read(cls, pairs: Iterable[tuple[str, str]]) -> "Asked":
        """What the pairs of an address say; an UnknownPlaceError names what cannot be."""
        given = [(key, text) for key, text in pairs if text.strip()]
        one = dict(given)
        columns = tuple(dict.fromkeys(text for key, text in given if key == "column"))
        if len(columns) > MOST_COLUMNS:
            raise UnknownPlaceError(f"{len(columns)} columns are too many: at most {MOST_COLUMNS} can be shown.")
        return cls(
            page=whole(one, "page") or 0,
            columns=columns,
            sort=one.get("sort", NUMBER),
            rising=one.get("order") == "rising",
            state=_state(one.get("state")),
            values=Range(number(one, "low"), number(one, "high")),
            ranges={name: Range(number(one, f"{LOW}{name}"), number(one, f"{HIGH}{name}")) for name in columns},
            names={name: one[f"{IS}{name}"] for name in columns if f"{IS}{name}" in one},
            target=number(one, "target"),
            of=whole(one, "of"),
        )

    def pairs(self) -> Pairs:
        """The same as pairs of an address, without what says nothing."""
        filters = [(f"{LOW}{name}", bounds.low) for name, bounds in self.ranges.items()]
        filters += [(f"{HIGH}{name}", bounds.high) for name, bounds in self.ranges.items()]
        numbers = [("low", self.values.low), ("high", self.values.high), *filters, ("target", self.target)]
        return [
            *([("page", str(self.page))] if self.page else []),
            *(("column", name) for name in self.columns),
            *([("sort", self.sort)] if self.sort != NUMBER else []),
            *([("order", "rising")] if self.rising else []),
            *([("state", self.state.name)] if self.state is not None else []),
            *((key, f"{value:.17g}") for key, value in numbers if value is not None),
            *((f"{IS}{name}", text) for name, text in self.names.items()),
            *([("of", str(self.of))] if self.of is not None else []),
        ]

    def sorted_by(self, sort: str) -> "Asked":
        """The same from its first page, by something else; by the same the other way round."""
        return replace(self, page=0, sort=sort, rising=not self.rising if sort == self.sort else sort != NUMBER)

    def without(self, column: str) -> "Asked":
        """The same without a column and what was asked of it."""
        kept = tuple(name for name in self.columns if name != column)
        by = NUMBER if self.sort == f"{PARAMETER}{column}" else self.sort
        return Asked.read([*replace(self, page=0, columns=kept, sort=by).pairs()])

    def unfiltered(self) -> "Asked":
        """The same with all trials."""
        return replace(self, page=0, state=None, values=Range(), ranges={}, names={})


def number(given: Mapping[str, str], key: str) -> float | None:
    """A finite number of an address, None if it is not there."""
    text = given.get(key)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UnknownPlaceError(f"{key} {text!r} must be a number.")
    return value


def whole(given: Mapping[str, str], key: str) -> int | None:
    """A whole number of an address, None if it is not there."""
    text = given.get(key, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UnknownPlaceError(f"{key} {text!r} must be a whole number.")
    return int(text)


def _state(text: str | None) -> TrialState | None:
    if text is None or text in TrialState.__members__:
        return None if text is None else TrialState[text]
    raise UnknownPlaceError(f"state {text!r} must be one of {', '.join(TrialState.__members__)}.")
