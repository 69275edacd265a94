"""How a person stands: three angles at each joint, drawn at random.

Angles are radians about x, y and z. About x, a positive angle swings forward what hangs and tilts backward what stands;
about y, it turns; about z, it moves what hangs to the person's left. Poses are drawn for the left side and mirrored for
the right, so both are equally likely to do everything.
"""

from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.problems.bodyparts.anatomy import MIRROR, NAMES, PARTS, mirrored_name
from rembo.problems.bodyparts.solids import Solid

OPPOSITE = np.array([NAMES.index(mirrored_name(name)) for name in NAMES])
MIRRORED_ANGLES = np.array([1.0, -1.0, -1.0])  # a mirror keeps rotations about x and turns back the others


@dataclass(frozen=True, eq=False)
class Pose:
    """The rotation of each part against the one it hangs on, (19, 3), where the pelvis is, (3,), and the build."""

    angles: Array
    position: Array
    scale: float = 1.0
    girth: float = 1.0

    def mirrored(self) -> "Pose":
        """The pose in a mirror: left is right."""
        return replace(self, angles=self.angles[OPPOSITE] * MIRRORED_ANGLES, position=MIRROR @ self.position)

    def solids(self) -> list[Solid]:
        """The nineteen parts where they are, from the pelvis on."""
        frames: dict[str | None, tuple[Array, Array]] = {None: (np.identity(3), self.position)}
        for part, angles in zip(PARTS, self.angles, strict=True):
            rotation, origin = frames[part.parent]
            frames[part.name] = rotation @ _rotation(angles), origin + rotation @ (self.scale * part.joint)
        return [part.solid.grown(self.scale, self.girth).moved(*frames[part.name]) for part in PARTS]


def _rotation(angles: Array) -> Array:
    """First about z, then about x, then about y."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    about_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    return np.asarray(about_y @ about_x @ about_z)


def random_pose(rng: np.random.Generator) -> Pose:
    """Someone who stands, walks, waves or points, some three metres away."""
    degrees = dict.fromkeys(NAMES, (0.0, 0.0, 0.0)) | _trunk(rng) | _legs(rng)
    degrees |= _arm("left", rng) | _arm("right", rng)
    position = np.array([rng.uniform(-0.4, 0.4), rng.uniform(-0.1, 0.1), rng.uniform(2.7, 3.7)])
    scale, girth = rng.uniform(0.92, 1.08), rng.uniform(0.9, 1.2)
    return Pose(np.radians([degrees[name] for name in NAMES]), position, scale, girth)


def _trunk(rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """Four of five people look roughly at the camera; the bend of the back is shared by abdomen and chest."""
    turn = rng.uniform(-60.0, 60.0) if rng.random() < 0.8 else rng.uniform(-180.0, 180.0)
    back = tuple(rng.normal(0.0, [8.0, 8.0, 5.0]))
    return {
        "pelvis": (rng.normal(0.0, 4.0), turn, rng.normal(0.0, 4.0)),
        "abdomen": back,
        "chest": back,
        "head": tuple(rng.normal(0.0, [12.0, 25.0, 8.0])),
    }


def _arm(side: str, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """Hanging, to the side, to the front, or raised."""
    swing, spread = [(0.0, 12.0), (10.0, 75.0), (75.0, 10.0), (25.0, 145.0)][rng.integers(4)]
    upper = (rng.normal(swing, 20.0), rng.normal(0.0, 30.0), abs(rng.normal(spread, 15.0)))
    elbow = (rng.uniform(0.0, 120.0), rng.normal(0.0, 30.0), 0.0)
    hand = (rng.normal(0.0, 20.0), 0.0, rng.normal(0.0, 20.0))
    return _on(side, {"upper arm": upper, "forearm": elbow, "hand": hand})


def _legs(rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """A step in which one thigh is ahead and the other behind; every tenth leg is raised."""
    step = rng.normal(0.0, 25.0)
    return _leg("left", step, rng) | _leg("right", -step, rng)


def _leg(side: str, swing: float, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    raised = rng.random() < 0.1
    thigh = (
        rng.uniform(45.0, 95.0) if raised else rng.normal(swing, 10.0),
        rng.normal(0.0, 10.0),
        rng.normal(6.0, 5.0),
    )
    knee = (-rng.uniform(30.0, 110.0) if raised else -abs(rng.normal(0.0, 25.0)), 0.0, 0.0)
    return _on(side, {"thigh": thigh, "shin": knee, "foot": (rng.normal(0.0, 10.0), rng.normal(0.0, 10.0), 0.0)})


def _on(side: str, limb: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """The angles of a left limb on the side it has."""
    signs = (1.0, 1.0, 1.0) if side == "left" else MIRRORED_ANGLES
    return {f"{side} {name}": tuple(np.multiply(signs, angles)) for name, angles in limb.items()}
