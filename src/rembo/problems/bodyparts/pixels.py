"""Which pixels of which pictures the classifier learns from, and on which it is judged.

Pose i of a stream is a function of (seed, stream, i) alone: training, validation and test never share a random number,
and the first pictures of a large set are those of a small one. What is drawn is kept in the process that drew it.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rembo.arrays import Indices
from rembo.border import check_whole
from rembo.problems.bodyparts.anatomy import LABELS
from rembo.problems.bodyparts.pose import Pose, random_pose
from rembo.problems.bodyparts.render import HEIGHT, WIDTH, Depths, Labels, render

UNIT = 2.0  # metres: offsets are pixels at this distance
POSES, CHOICE = 0, 1  # what random numbers of a stream are for


class Stream(IntEnum):
    """What pictures are for."""

    TRAINING = 0
    VALIDATION = 1
    TEST = 2


@dataclass(frozen=True)
class Size:
    """How many pictures each stream has, pixels of each label training has, and foreground pixels a judgement has.

    Where a label has fewer pixels, all are taken; None takes all of the foreground.
    """

    pictures: int = 500
    pixels_per_label: int = 200
    judged_pixels: int | None = 5000

    def __post_init__(self) -> None:
        check_whole(self.pictures, "pictures", 1)
        check_whole(self.pixels_per_label, "pixels_per_label", 1)
        if self.judged_pixels is not None:
            check_whole(self.judged_pixels, "judged_pixels", 1)


PAPER_SIZE = Size(500, 25_000, None)


class Pixels(NamedTuple):
    """Some pixels: all depths of their pictures, (pictures, 240, 320), and of each where it is and what it shows.

    `reach` is 2 m / depth: how many pixels away an offset of 1 is there.
    """

    depth: Depths
    picture: Indices
    row: Indices
    column: Indices
    reach: Depths
    label: Labels


@dataclass(frozen=True, eq=False)
class Album:
    """Pictures: depths and labels, (pictures, 240, 320) each."""

    depth: Depths
    label: Labels

    def pixels(self, chosen: Indices) -> Pixels:
        """Those pixels, numbered through all pictures; neighbours stay neighbours, which is quicker to read."""
        ordered = np.sort(chosen)
        picture, row, column = np.unravel_index(ordered, self.label.shape)
        reach = np.float32(UNIT) / self.depth.reshape(-1)[ordered]
        return Pixels(self.depth, picture, row, column, reach, self.label.reshape(-1)[ordered])


def pose(seed: int, stream: Stream, number: int) -> Pose:
    """A pose of a stream."""
    return random_pose(np.random.default_rng((seed, stream, POSES, number)))


def album(seed: int, stream: Stream, pictures: int) -> Album:
    """The first pictures of a stream."""
    drawn = Album(np.empty((pictures, HEIGHT, WIDTH), np.float32), np.empty((pictures, HEIGHT, WIDTH), np.uint8))
    for number in range(pictures):
        picture = render(pose(seed, stream, number))
        drawn.depth[number], drawn.label[number] = picture.depth, picture.label
    return drawn


@lru_cache(maxsize=1)
def training_pixels(seed: int, size: Size) -> Pixels:
    """Equally many pixels of each label, the background's too."""
    drawn, rng = album(seed, Stream.TRAINING, size.pictures), _choice(seed, Stream.TRAINING)
    labels = drawn.label.reshape(-1)
    shares = [_some(np.flatnonzero(labels == label), size.pixels_per_label, rng) for label in range(LABELS)]
    return drawn.pixels(np.concatenate(shares))


@lru_cache(maxsize=2)  # validation, and at the end test
def judged_pixels(seed: int, stream: Stream, size: Size) -> Pixels:
    """Pixels of the foreground, each as likely as any other."""
    drawn = album(seed, stream, size.pictures)
    return drawn.pixels(_some(np.flatnonzero(drawn.label), size.judged_pixels, _choice(seed, stream)))


def _choice(seed: int, stream: Stream) -> np.random.Generator:
    return np.random.default_rng((seed, stream, CHOICE))


def _some(places: Indices, most: int | None, rng: np.random.Generator) -> Indices:
    """At most so many of the places; all if there are no more."""
    return places if most is None or len(places) <= most else rng.choice(places, most, replace=False)
