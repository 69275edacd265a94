"""Pictures of people: for each pixel how far away it is, and which part of the body is seen there.

A pinhole camera at the origin looks along z. Each part is met only with the lines of sight that pass its bounds, and
the nearest part wins (a z-buffer).
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rembo.arrays import Array
from rembo.problems.bodyparts.pose import Pose
from rembo.problems.bodyparts.solids import Bounds, Sight, Solid

Depths: TypeAlias = npt.NDArray[np.float32]
Labels: TypeAlias = npt.NDArray[np.uint8]

WIDTH, HEIGHT, FOCAL_LENGTH = 320, 240, 285.0  # pixels
BACKGROUND = 10.0  # metres: a wall behind everyone


@dataclass(frozen=True, eq=False)
class Picture:
    """Depth in metres and label of each pixel, (240, 320) each; label 0 is the background."""

    depth: Depths
    label: Labels


def render(pose: Pose) -> Picture:
    """What the camera sees of a person."""
    picture = Picture(np.full((HEIGHT, WIDTH), BACKGROUND, dtype=np.float32), np.zeros((HEIGHT, WIDTH), dtype=np.uint8))
    for label, solid in enumerate(pose.solids(), start=1):
        _draw(solid, label, picture)
    return picture


def _draw(solid: Solid, label: int, picture: Picture) -> None:
    """Put a solid in front of what is further away."""
    window = _window(solid.bounds)
    depths, labels = picture.depth[window], picture.label[window]  # views: what is written there is in the picture
    depth = solid.depth(_sight(window))
    nearer = depth < depths
    depths[nearer], labels[nearer] = depth[nearer], label


def _window(bounds: Bounds) -> tuple[slice, slice]:
    """The rows and columns between which a box is seen."""
    if not bounds.low[2] > 0.0:
        raise ValueError(
            f"a part begins at depth {bounds.low[2]:.3g} m, behind the camera: move the person away from it"
        )
    corners = np.array([[x, y] for x in (bounds.low[0], bounds.high[0]) for y in (bounds.low[1], bounds.high[1])])
    seen = np.concatenate([corners / bounds.low[2], corners / bounds.high[2]]) * FOCAL_LENGTH
    columns, rows = seen[:, 0] + (WIDTH - 1) / 2.0, (HEIGHT - 1) / 2.0 - seen[:, 1]
    return _between(rows, HEIGHT), _between(columns, WIDTH)


def _between(places: Array, size: int) -> slice:
    low, high = np.clip([np.floor(places.min()), np.ceil(places.max()) + 1.0], 0, size)
    return slice(int(low), int(high))


def _sight(window: tuple[slice, slice]) -> Sight:
    rows, columns = (np.arange(part.start, part.stop, dtype=np.float64) for part in window)
    right, up = columns - (WIDTH - 1) / 2.0, (HEIGHT - 1) / 2.0 - rows
    return Sight(right[None, :] / FOCAL_LENGTH, up[:, None] / FOCAL_LENGTH)
