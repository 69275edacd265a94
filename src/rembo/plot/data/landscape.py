"""The embedded landscape: what is believed of f over a region of two dimensions, and what the projection does there."""

from dataclasses import dataclass

import numpy as np

from rembo.acquisition import ExpectedImprovement
from rembo.arrays import Array
from rembo.plot.data.axes import Axis, axis_of
from rembo.plot.data.clipping import clipped_share
from rembo.plot.data.model import Model

_FINE, _COARSE = 61, 31  # points along each axis: of the belief, and of the projection, which is dearer


@dataclass(frozen=True, eq=False)
class Landscape:
    """The belief about f over [-half_width, half_width]^2, in standard deviations of the values, low is good.

    mean, std and improvement, (61, 61), have rows along the second axis; clipped, (31, 31), is the share of all
    coordinates that lie outside the box before they are projected onto it. Y, (n, 2), is what was seen.
    """

    run: int
    half_width: float
    axes: tuple[Axis, Axis]
    grid: Array
    mean: Array
    std: Array
    improvement: Array
    coarse_grid: Array
    clipped: Array
    Y: Array
    values: Array
    best_at: Array


def landscape(model: Model) -> Landscape:
    """The landscape of a model over two dimensions."""
    if model.region.dim != 2:
        cure = "plot_slice shows more than two"
        raise ValueError(f"a landscape has 2 dimensions, run {model.run} searches {model.region.dim}: {cure}")
    grid, Y = _lattice(model, _FINE)
    coarse_grid, coarse = _lattice(model, _COARSE)
    belief = model.posterior(Y)
    improvement = ExpectedImprovement().utility(belief, model.best).value
    return Landscape(
        model.run,
        model.region.half_width,
        (axis_of(model.space, model.embedding, 0), axis_of(model.space, model.embedding, 1)),
        grid,
        belief.mean.reshape(_FINE, _FINE),
        belief.std.reshape(_FINE, _FINE),
        improvement.reshape(_FINE, _FINE),
        coarse_grid,
        np.array([clipped_share(model.point(y)) for y in coarse]).reshape(_COARSE, _COARSE),
        model.posterior.Y,
        model.posterior.values,
        model.best_at,
    )


def _lattice(model: Model, count: int) -> tuple[Array, Array]:
    """Positions along an axis, (count,), and all pairs of them, (count^2, 2), the second entry the slower."""
    grid = np.linspace(-model.region.half_width, model.region.half_width, count)
    second, first = np.meshgrid(grid, grid, indexing="ij")
    return grid, np.column_stack([first.ravel(), second.ravel()])
