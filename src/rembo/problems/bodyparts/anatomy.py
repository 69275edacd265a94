"""The nineteen parts of a body: what each is made of, and where it hangs on another.

Lengths are metres, of a person of 1.80 m who stands upright, arms hanging, and looks at the camera: x points to the
right of the picture, which is the person's left, y up, and z away from the camera.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.problems.bodyparts.solids import Capsule, Ellipsoid, Solid

MIRROR = np.diag([-1.0, 1.0, 1.0])
OTHER_SIDE = {"left": "right", "right": "left"}


@dataclass(frozen=True, eq=False)
class Part:
    """A solid in a frame whose origin is a joint; `joint` says where that is in the frame of the part it hangs on."""

    name: str
    parent: str | None
    joint: Array
    solid: Solid


def _ellipsoid(name: str, parent: str | None, joint: float, centre: float, semi_axes: tuple[float, ...]) -> Part:
    """A part of the trunk; joint and centre are heights."""
    return Part(name, parent, _up(joint), Ellipsoid(_up(centre), np.diag(semi_axes)))


def _capsule(name: str, parent: str, joint: tuple[float, ...], end: tuple[float, ...], radius: float) -> Part:
    """A part that reaches from its joint to `end`."""
    return Part(name, parent, np.array(joint), Capsule(np.zeros(3), np.array(end), radius))


def _up(height: float) -> Array:
    return np.array([0.0, height, 0.0])


def _right(part: Part) -> Part:
    """The part on the other side of the body."""
    parent = part.parent and mirrored_name(part.parent)
    return Part(mirrored_name(part.name), parent, MIRROR @ part.joint, part.solid.moved(MIRROR, np.zeros(3)))


def mirrored_name(name: str) -> str:
    """The part of that name in a mirror."""
    side, _, rest = name.partition(" ")
    return f"{OTHER_SIDE[side]} {rest}" if side in OTHER_SIDE else name


TRUNK = (
    _ellipsoid("pelvis", None, 0.0, 0.0, (0.165, 0.125, 0.115)),
    _ellipsoid("abdomen", "pelvis", 0.08, 0.07, (0.145, 0.15, 0.105)),
    _ellipsoid("chest", "abdomen", 0.18, 0.11, (0.17, 0.175, 0.115)),
    _capsule("neck", "chest", (0.0, 0.25, 0.0), (0.0, 0.08, 0.0), 0.055),
    _ellipsoid("head", "neck", 0.09, 0.10, (0.085, 0.125, 0.105)),
)
LEFT = (
    _capsule("left shoulder", "chest", (0.10, 0.19, 0.0), (0.09, 0.0, 0.0), 0.075),
    _capsule("left upper arm", "left shoulder", (0.09, 0.0, 0.0), (0.0, -0.29, 0.0), 0.052),
    _capsule("left forearm", "left upper arm", (0.0, -0.29, 0.0), (0.0, -0.25, 0.0), 0.042),
    _capsule("left hand", "left forearm", (0.0, -0.27, 0.0), (0.0, -0.11, 0.0), 0.045),
    _capsule("left thigh", "pelvis", (0.095, -0.05, 0.0), (0.0, -0.43, 0.0), 0.078),
    _capsule("left shin", "left thigh", (0.0, -0.43, 0.0), (0.0, -0.41, 0.0), 0.053),
    _capsule("left foot", "left shin", (0.0, -0.43, 0.02), (0.0, -0.02, -0.17), 0.045),
)
PARTS = (*TRUNK, *LEFT, *map(_right, LEFT))  # each after the one it hangs on; its label is its place here, from 1
NAMES = tuple(part.name for part in PARTS)
LABELS = len(PARTS) + 1  # with the background, label 0
