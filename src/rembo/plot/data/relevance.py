"""Which parameters to show: those that matter, as the model tells it, or else those that the values go with.

The second is a look at the trials alone, for optimizers that do not say what matters: how much of the variation of the
values' ranks lies between the levels, or quarters, of a parameter, beyond what chance alone would give.
"""

from collections.abc import Sequence

import numpy as np

from rembo.arrays import Array
from rembo.plot.data.coordinates import Coordinate, find_coordinate, first_coordinates, positions
from rembo.plot.data.importance import importances
from rembo.plot.data.search import Search
from rembo.plot.data.thinning import evenly
from rembo.space import level_at

_MOST_LOOKED_AT = 1_000  # parameters
_MOST_TRIALS = 300
_QUARTERS = 4
_FEW = 8  # parameters of a group, beyond which none of them is known to matter


def relevant(search: Search, most: int) -> list[Coordinate]:
    """The parameters that matter most, at most so many, the most important first."""
    told = _from_model(search) or _from_values(search)
    if not told:
        named = "in Python, plot_parallel_coordinate(study, ['x[3]', 'x[17]']) shows those that you name"
        raise ValueError(f"which of {search.optimizer.space.size:,} parameters matter is not known: {named}")
    return told[:most]


def _from_model(search: Search) -> list[Coordinate]:
    """What a growing search says matters, group by group; nothing from groups too large to tell apart."""
    try:
        groups = importances(search)
    except ValueError:  # of no growing search, or of too few values
        return []
    names = [name for group in groups if group.size <= _FEW and group.share > 0.0 for name in group.parameters]
    found = [find_coordinate(search.optimizer.space, name) for name in names]
    return [each for each in found if each is not None]


def _from_values(search: Search) -> list[Coordinate]:
    """All parameters by how much the values go with them; nothing where there are too many to look at."""
    complete = [trial for trial in search.told if trial.value is not None]
    if search.optimizer.space.size > _MOST_LOOKED_AT or len(complete) < 2:
        return []
    chosen = [complete[number] for number in evenly(len(complete), _MOST_TRIALS).tolist()]
    coordinates = first_coordinates(search.optimizer.space, _MOST_LOOKED_AT)
    U = np.nan_to_num(positions(chosen, coordinates))  # what is inactive stands in the middle
    share = association(U, np.array([trial.value for trial in chosen]), coordinates)
    return [coordinates[number] for number in np.argsort(-share, kind="stable").tolist()]


def association(U: Array, values: Array, coordinates: Sequence[Coordinate]) -> Array:
    """How much of the variation of the values' ranks lies between levels or quarters of each parameter, (p,).

    U: (n, p) positions, values: (n,). About 0 by chance, 1 at most.
    """
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)
    ranks = (ranks - ranks.mean()) / (ranks.std() or 1.0)
    return np.array([_between(_groups(U[:, column], each), ranks) for column, each in enumerate(coordinates)])


def _groups(u: Array, coordinate: Coordinate) -> Array:
    levels = coordinate.parameter.levels
    apart = 0 < levels <= _QUARTERS or not coordinate.parameter.ordered
    return level_at(u, levels if apart else _QUARTERS)


def _between(groups: Array, ranks: Array) -> float:
    """The share of the variance between groups, less what as many random groups would have."""
    levels, counts = np.unique(groups, return_counts=True)
    means = np.array([ranks[groups == level].mean() for level in levels])
    chance = (len(levels) - 1) / max(len(ranks) - 1, 1)
    return float(counts @ means**2) / len(ranks) - chance
