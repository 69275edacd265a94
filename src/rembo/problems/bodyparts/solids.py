"""Ellipsoids and capsules, and how far away a camera at the origin sees them.

Everything is made of quadrics |x - c|_Q = 1, for which a line of sight t (X, Y, 1) gives a quadratic equation in t;
since its third coordinate is 1, t is the depth, and not the distance.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rembo.arrays import Array


@dataclass(frozen=True, eq=False)
class Sight:
    """Lines of sight t (X, Y, 1) on a grid: `X` of its columns, (1, columns), and `Y` of its rows, (rows, 1)."""

    X: Array
    Y: Array


@dataclass(frozen=True, eq=False)
class Bounds:
    """A box with sides along the axes that holds a solid: its lowest and its highest corner, (3,) each."""

    low: Array
    high: Array


class Solid(Protocol):
    """Something that can be seen."""

    @property
    def bounds(self) -> Bounds:
        """A box around it."""

    def depth(self, sight: Sight) -> Array:
        """How far away each line of sight meets it, (rows, columns); infinite where it does not."""

    def moved(self, rotation: Array, origin: Array) -> "Solid":
        """The same solid after a rotation, (3, 3), and then a shift, (3,)."""

    def grown(self, scale: float, girth: float) -> "Solid":
        """All lengths times `scale`; across the body, times `girth` too."""


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """c + A b for b in the unit ball: its centre, (3,), and as columns its semi-axes, (3, 3)."""

    centre: Array
    axes: Array

    @property
    def bounds(self) -> Bounds:
        """The tightest box."""
        reach = np.linalg.norm(self.axes, axis=1)
        return Bounds(self.centre - reach, self.centre + reach)

    def depth(self, sight: Sight) -> Array:
        """Where lines of sight enter."""
        inverse = np.linalg.inv(self.axes)
        return entry(inverse.T @ inverse, self.centre, sight)

    def moved(self, rotation: Array, origin: Array) -> "Ellipsoid":
        """Rotated about the origin, then shifted."""
        return Ellipsoid(rotation @ self.centre + origin, rotation @ self.axes)

    def grown(self, scale: float, girth: float) -> "Ellipsoid":
        """Of another size; the second axis is the one along the body."""
        return Ellipsoid(scale * self.centre, scale * self.axes * np.array([girth, 1.0, girth]))


@dataclass(frozen=True, eq=False)
class Capsule:
    """All points within `radius` of the line from `start` to `end`, (3,) each."""

    start: Array
    end: Array
    radius: float

    @property
    def bounds(self) -> Bounds:
        """The tightest box."""
        ends = np.array([self.start, self.end])
        return Bounds(ends.min(axis=0) - self.radius, ends.max(axis=0) + self.radius)

    def depth(self, sight: Sight) -> Array:
        """Where lines of sight enter the nearest of two balls and the cylinder between them."""
        ball = np.identity(3) / self.radius**2
        ends = np.minimum(entry(ball, self.start, sight), entry(ball, self.end, sight))
        return np.minimum(ends, self._depth_of_cylinder(sight))

    def _depth_of_cylinder(self, sight: Sight) -> Array:
        along = self.end - self.start
        length = np.linalg.norm(along)
        axis = along / length
        t = entry((np.identity(3) - np.outer(axis, axis)) / self.radius**2, self.start, sight)
        reached = np.where(np.isfinite(t), t, 0.0)
        height = reached * (axis[0] * sight.X + axis[1] * sight.Y + axis[2]) - axis @ self.start
        return np.where((height >= 0.0) & (height <= length), t, np.inf)

    def moved(self, rotation: Array, origin: Array) -> "Capsule":
        """Rotated about the origin, then shifted."""
        return Capsule(rotation @ self.start + origin, rotation @ self.end + origin, self.radius)

    def grown(self, scale: float, girth: float) -> "Capsule":
        """Of another size."""
        return Capsule(scale * self.start, scale * self.end, scale * girth * self.radius)


def entry(Q: Array, c: Array, sight: Sight) -> Array:
    """The smaller t with (t v - c)^T Q (t v - c) = 1 for v = (X, Y, 1); infinite where there is none in front."""
    X, Y, g = sight.X, sight.Y, Q @ c
    a = (Q[0, 0] * X + 2.0 * Q[0, 1] * Y + 2.0 * Q[0, 2]) * X + (Q[1, 1] * Y + 2.0 * Q[1, 2]) * Y + Q[2, 2]
    b = g[0] * X + g[1] * Y + g[2]
    k = c @ g - 1.0
    discriminant = b * b - a * k
    met = discriminant > 0.0
    t = k / np.where(met, b + np.sqrt(np.where(met, discriminant, 0.0)), -1.0)  # of both forms, the one that is stable
    return np.where(met & (t > 0.0), t, np.inf)
