"""Parallel coordinates: the complete trials as lines across an axis for each parameter that matters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.plot.data.coordinates import Coordinate, find_coordinate, positions
from rembo.plot.data.relevance import relevant
from rembo.plot.data.rulers import Ruler, ruler_of
from rembo.plot.data.search import Search
from rembo.plot.data.thinning import evenly
from rembo.space import Domain, Parameter, level_at, middle_of
from rembo.study import StudyTrial
from rembo.study.direction import Direction

MOST_AXES = 8
_MOST_LINES = 300
_FEW = 12  # levels: lines through one of so few are spread, that one sees how many they are
_SPREAD = 0.6  # of a level's share of the axis


@dataclass(frozen=True, eq=False)
class Track:
    """An axis: a parameter's name and ruler, where each line crosses it in [-1,1], (n,), and its value in words."""

    name: str
    ruler: Ruler
    heights: Array
    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Parallel:
    """Trials as lines, the worst first and the best last: numbers and values as f gave them, (n,) each."""

    name: str
    direction: Direction
    numbers: Indices
    values: Array
    tracks: tuple[Track, ...]


def parallel(search: Search, params: Sequence[str] | None = None) -> Parallel:
    """The lines of a search, across named parameters or those that matter most."""
    trials = _shown(search)
    chosen = relevant(search, MOST_AXES) if params is None else _named(search.optimizer.space, params)
    U = np.nan_to_num(positions(trials, chosen))  # what is inactive stands in the middle
    return Parallel(
        search.name,
        search.direction,
        np.array([trial.number for trial in trials], dtype=np.int64),
        np.array([trial.value for trial in trials], dtype=np.float64),
        tuple(_track(each, U[:, column]) for column, each in enumerate(chosen)),
    )


def _shown(search: Search) -> list[StudyTrial]:
    """The complete trials, the worst first, that the best may be drawn over all others; evenly thinned if many."""
    best = search.best  # or a sentence that there is none yet
    complete = [trial for trial in search.told if trial.value is not None and trial is not best]
    kept = [complete[number] for number in evenly(len(complete), _MOST_LINES).tolist()] if complete else []
    return [*sorted(kept, key=lambda trial: -search.sign * (trial.value or 0.0)), best]


def _named(space: Domain, names: Iterable[str]) -> list[Coordinate]:
    found = {name: find_coordinate(space, name) for name in names}
    for name, each in found.items():
        if each is None:
            raise ValueError(f"{name!r} is no parameter of one coordinate: name one, e.g. 'rate' or 'weights[17]'")
    if not found:
        raise ValueError("params is empty: name at least one parameter, or leave it out for those that matter")
    return [each for each in found.values() if each is not None]


def _track(coordinate: Coordinate, u: Array) -> Track:
    texts = tuple(coordinate.text(float(at)) for at in u)
    return Track(coordinate.name, ruler_of(coordinate), _heights(coordinate.parameter, u), texts)


def _heights(parameter: Parameter, u: Array) -> Array:
    """Where lines cross an axis; those through one of few levels side by side, in the order of their values."""
    snapped = np.clip(parameter.snap(u), -1.0, 1.0)
    if not 0 < parameter.levels <= _FEW:
        return np.asarray(snapped)
    heights, levels = np.empty(len(u)), level_at(snapped, parameter.levels)
    for level in np.unique(levels):
        here = np.flatnonzero(levels == level)
        aside = (np.arange(len(here)) + 0.5) / len(here) - 0.5
        heights[here] = middle_of(level, parameter.levels) - _SPREAD * (2.0 / parameter.levels) * aside
    return heights
