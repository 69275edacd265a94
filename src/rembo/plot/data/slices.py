"""Slices: what is believed of f along one axis of y at a time, through the best point; for more than two dimensions."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.plot.data.axes import Axis, axis_of
from rembo.plot.data.model import Model
from rembo.plot.data.thinning import evenly

_MOST_SEEN = 500


@dataclass(frozen=True, eq=False)
class Slice:
    """The belief along an axis, in standard deviations of the values, low is good: mean and std at positions, (m,).

    `seen` and `values`, (n,), are the points that were evaluated, wherever they lie along the other axes. All positions
    are as the axis' ruler shows them, in the user's units where there are any.
    """

    entry: int
    axis: Axis
    positions: Array
    mean: Array
    std: Array
    best_at: float
    seen: Array
    values: Array

    @property
    def relief(self) -> float:
        """How much the mean varies along the axis: from its lowest to its highest."""
        return float(np.ptp(self.mean))


def slices(model: Model, most: int = 9) -> list[Slice]:
    """A slice along each axis, those along which the belief varies most, at most so many."""
    found = [_slice(model, entry) for entry in range(model.region.dim)]
    return sorted(found, key=lambda one: -one.relief)[:most]


def _slice(model: Model, entry: int) -> Slice:
    axis = axis_of(model.space, model.embedding, entry)
    positions = axis.ruler.places(model.region.half_width)
    Y = np.tile(model.best_at, (len(positions), 1))
    Y[:, entry] = positions
    belief, seen = model.posterior(Y), evenly(len(model.posterior), _MOST_SEEN)
    return Slice(
        entry,
        axis,
        axis.ruler.shown(positions),
        belief.mean,
        belief.std,
        float(axis.ruler.shown(model.best_at[entry : entry + 1])[0]),
        axis.ruler.shown(model.posterior.Y[seen, entry]),
        model.posterior.values[seen],
    )
