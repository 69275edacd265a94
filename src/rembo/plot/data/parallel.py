"""Parallel coordinates: the complete trials as lines across an axis for each parameter that matters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.plot.data.coordinates import Coordinate, find_coordinate, positions
from rembo.plot.data.relevance import relevant
from rembo.plot.data.rulers import Ruler, ruler_of
from rembo.plot.data.search import Search
from rembo.plot.data.thinning import evenly
from rembo.space import Domain
from rembo.study import StudyTrial

MOST_AXES = 8
_MOST_LINES = 1_000


@dataclass(frozen=True, eq=False)
class Parallel:
    """Lines, (n,) values as f gave them, and their positions in [-1,1], (n, p), along parameters with rulers."""

    name: str
    direction: str
    names: tuple[str, ...]
    rulers: tuple[Ruler, ...]
    positions: Array
    values: Array


def parallel(search: Search, params: Sequence[str] | None = None) -> Parallel:
    """The lines of a search, across named parameters or those that matter most."""
    trials = _shown(search)
    chosen = relevant(search, MOST_AXES) if params is None else _named(search.optimizer.space, params)
    U = positions(trials, chosen)
    snapped = [each.parameter.snap(U[:, column]) for column, each in enumerate(chosen)]
    return Parallel(
        search.name,
        search.direction,
        tuple(each.name for each in chosen),
        tuple(map(ruler_of, chosen)),
        np.column_stack(snapped),
        np.array([trial.value for trial in trials], dtype=np.float64),
    )


def _shown(search: Search) -> list[StudyTrial]:
    """The complete trials, the worst first, that the best may be drawn over all others; evenly thinned if many."""
    best = search.best  # or a sentence that there is none yet
    complete = [trial for trial in search.told if trial.value is not None]
    kept = [complete[number] for number in evenly(len(complete), _MOST_LINES).tolist()]
    kept += [] if best in kept else [best]
    return sorted(kept, key=lambda trial: -search.sign * (trial.value or 0.0))


def _named(space: Domain, names: Iterable[str]) -> list[Coordinate]:
    found = {name: find_coordinate(space, name) for name in names}
    for name, each in found.items():
        if each is None:
            raise ValueError(f"{name!r} is no parameter of one coordinate: name one, e.g. 'rate' or 'weights[17]'")
    if not found:
        raise ValueError("params is empty: name at least one parameter, or leave it out for those that matter")
    return [each for each in found.values() if each is not None]
