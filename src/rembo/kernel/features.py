"""Where distance is measured: on y, on the projected image of y, or on the rounded one (Section 3.2).

The wrapper that makes one kernel the paper's k^d or k^D. A feature map is a setting until `bind` tells it the space and
the embedding; what comes back turns points Y, (n, d), into features Z, (n, m), and gradients with respect to Z into
gradients with respect to Y.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rembo.arrays import Array, Indices
from rembo.border import check_whole
from rembo.embedding import Embedding
from rembo.space import Domain, Part, parts_of

SAMPLED = 128  # coordinates; with 32 to 128 of 1000 the search does as well as with all of them


class FeatureMap(Protocol):
    """Features of embedded points, (n, d) -> (n, m)."""

    def __call__(self, Y: Array) -> Array:
        """Z, (n, m)."""

    def pull_back(self, Y: Array, G: Array) -> Array:
        """Gradients G with respect to Z, (n, m), as gradients with respect to Y, (n, d)."""


class Features(Protocol):
    """The choice of a feature map, made before space and embedding are known."""

    def bind(self, space: Domain, embedding: Embedding, projected: bool) -> FeatureMap:
        """The feature map for this space and embedding."""


@dataclass(frozen=True)
class Embedded:
    """Distance measured on y: the low-dimensional kernel k^d."""

    def bind(self, space: Domain, embedding: Embedding, projected: bool) -> FeatureMap:
        """Itself: y needs neither."""
        return self

    def __call__(self, Y: Array) -> Array:
        """Y."""
        return Y

    def pull_back(self, Y: Array, G: Array) -> Array:
        """G."""
        return G


@dataclass(frozen=True, eq=False)
class Linear:
    """Distance measured on y W, for a matrix W, (d, r): a feature map as it is, bound to nothing."""

    W: Array

    def __call__(self, Y: Array) -> Array:
        """Y W, (n, r)."""
        return Y @ self.W

    def pull_back(self, Y: Array, G: Array) -> Array:
        """G W^T."""
        return G @ self.W.T


@dataclass(frozen=True)
class Image:
    """Distance measured on the numeric coordinates of p_X(A y): the high-dimensional kernel k^D.

    Integers are measured where they round to. Beyond `at_most` coordinates a fixed sample of them stands for all.
    """

    at_most: int = SAMPLED

    def __post_init__(self) -> None:
        check_whole(self.at_most, "at_most", 1)

    def bind(self, space: Domain, embedding: Embedding, projected: bool) -> FeatureMap:
        """The map onto the space's numeric coordinates."""
        chosen = _sample([part for part in parts_of(space) if part.parameter.ordered], self.at_most)
        if not chosen:
            raise ValueError("Image() measures numbers and this space has none: use Hamming() for its categories")
        return _Projected.of(chosen, embedding, projected)


@dataclass(frozen=True)
class Rounded:
    """The choices that s(A y) makes, as level numbers: what Hamming distance counts."""

    at_most: int = SAMPLED

    def __post_init__(self) -> None:
        check_whole(self.at_most, "at_most", 1)

    def bind(self, space: Domain, embedding: Embedding, projected: bool) -> FeatureMap:
        """The map onto the space's categories, or onto its whole numbers where it has no categories."""
        discrete = [part for part in parts_of(space) if part.parameter.levels]
        unordered = [part for part in discrete if not part.parameter.ordered]
        chosen = _sample(unordered or discrete, self.at_most)
        if not chosen:
            raise ValueError("Hamming distance counts choices and this space has none: use SquaredExponential()")
        return _Codes(_Projected.of(chosen, embedding, projected=True))


@dataclass(frozen=True)
class _Coordinate:
    part: Part
    offset: int

    @property
    def index(self) -> int:
        return self.part.start + self.offset


def _sample(parts: list[Part], at_most: int) -> list[_Coordinate]:
    """At most so many coordinates, the first ones of every part in turn.

    Rows of A are alike, so the first are as good a sample as any, and the same for every D beyond `at_most`.
    """
    if len(parts) > at_most:
        parts = [parts[i] for i in np.linspace(0, len(parts) - 1, at_most).round().astype(int)]
    taken: dict[int, int] = {}
    for number in sorted(range(len(parts)), key=lambda number: parts[number].parameter.size):
        share = (at_most - sum(taken.values())) // (len(parts) - len(taken))  # what small parts leave, large ones get
        taken[number] = min(parts[number].parameter.size, share)
    return [_Coordinate(part, offset) for number, part in enumerate(parts) for offset in range(taken[number])]


@dataclass(frozen=True, eq=False)
class _Projected:
    """p_X(A y) at the chosen coordinates; whole numbers snap to the middle of their shares."""

    coordinates: tuple[_Coordinate, ...]
    rows: Array
    snapped: tuple[int, ...]
    projected: bool

    @classmethod
    def of(cls, chosen: list[_Coordinate], embedding: Embedding, projected: bool) -> "_Projected":
        index: Indices = np.array([coordinate.index for coordinate in chosen], dtype=np.int64)
        snapped = tuple(j for j, coordinate in enumerate(chosen) if coordinate.part.parameter.levels)
        return cls(tuple(chosen), embedding.rows(index), snapped, projected)

    def positions(self, Y: Array) -> Array:
        X = Y @ self.rows.T
        return np.clip(X, -1.0, 1.0) if self.projected else np.asarray(X)

    def __call__(self, Y: Array) -> Array:
        X = self.positions(Y)
        for j in self.snapped:
            X[:, j] = self.coordinates[j].part.parameter.snap(X[:, j])
        return X

    def pull_back(self, Y: Array, G: Array) -> Array:
        inside = np.abs(Y @ self.rows.T) < 1.0 if self.projected else np.ones_like(G, dtype=bool)
        inside[:, list(self.snapped)] = False
        return np.asarray((G * inside) @ self.rows)


@dataclass(frozen=True, eq=False)
class _Codes:
    """The level number at each chosen coordinate; piecewise constant, so its gradient is zero."""

    image: _Projected

    def __call__(self, Y: Array) -> Array:
        X = self.image.positions(Y)
        codes = [c.part.parameter.code(X[:, j]) for j, c in enumerate(self.image.coordinates)]
        return np.stack(codes, axis=1)

    def pull_back(self, Y: Array, G: Array) -> Array:
        return np.zeros_like(Y)
