"""The lazy x: a point of the box that is read, not made.

A point is an embedding and the d numbers y; coordinate i is row i of A times y, projected onto the box. A function
that looks at two of a billion coordinates has two rows made, which are then forgotten. Points travel and are stored
as (embedding, y): less than a kilobyte whatever D is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from rembo.arrays import Array, Indices
from rembo.border import check_whole
from rembo.embedding.region import Region
from rembo.space import stretch

LARGEST_ARRAY = 10**7  # coordinates: 80 MB
BLOCK = 2**16  # coordinates: half a megabyte


class Source(Protocol):
    """What a point's coordinates come from."""

    @property
    def ambient_dim(self) -> int:
        """D."""

    @property
    def embedding_dim(self) -> int:
        """The length d of y."""

    def image(self, y: Array, index: Indices) -> Array:
        """Coordinates `index` of A y, (len(index),): the same to the last bit however they are read."""


class Embedding(Source, Protocol):
    """A linear map from the embedded space R^d into the ambient R^D, a row at a time; equal settings, equal rows."""

    @property
    def region(self) -> Region:
        """Where y is searched, unless the user says otherwise."""

    def rows(self, index: Indices) -> Array:
        """Rows `index` of A, (len(index), d): a function of the settings and the index alone."""

    def preimage(self, x: Array) -> Array:
        """The y with A y = x for a whole x, (D,), or a ValueError that says why there is none."""


@dataclass(frozen=True, eq=False)
class Point:
    """p_X(A y) in the user's units: `len(x)`, `x[i]`, `x[[i, j]]`, `x[a:b]`, `x.blocks()`, `np.asarray(x)`.

    With projected=False it is A y itself, outside the box too, as the authors' released Branin demo evaluates it.
    """

    embedding: Source
    y: Array
    low: float = -1.0
    high: float = 1.0
    start: int = 0
    stop: int | None = None
    projected: bool = True

    def __post_init__(self) -> None:
        y = np.array(self.y, dtype=np.float64)
        y.setflags(write=False)
        object.__setattr__(self, "y", y)
        if y.shape != (self.embedding.embedding_dim,):
            raise ValueError(f"y has shape {y.shape}, the embedding takes ({self.embedding.embedding_dim},)")
        if self.stop is None:
            object.__setattr__(self, "stop", self.embedding.ambient_dim)

    def __reduce__(self) -> tuple[Any, ...]:  # through the constructor, so that y comes back read-only
        return Point, (self.embedding, self.y, self.low, self.high, self.start, self.stop, self.projected)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Point):
            return NotImplemented
        return self._settings() == other._settings() and np.array_equal(self.y, other.y)

    __hash__ = None  # type: ignore[assignment]  # compared by its numbers, never hashed

    def _settings(self) -> tuple[Any, ...]:
        return self.embedding, self.low, self.high, self.start, self.stop, self.projected

    def __len__(self) -> int:
        return (self.embedding.ambient_dim if self.stop is None else self.stop) - self.start

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | npt.NDArray[np.integer]) -> Array: ...
    def __getitem__(self, index: Any) -> float | Array:
        if isinstance(index, slice):
            chosen = range(*index.indices(len(self)))
            _check_size(len(chosen))
            return self._read(np.arange(chosen.start, chosen.stop, chosen.step, dtype=np.int64))
        if isinstance(index, (list, tuple, range, np.ndarray)) and np.ndim(index):
            return self._read(self._check(np.asarray(index)))
        return float(self._read(self._check(np.array([index])))[0])

    def __iter__(self) -> Iterator[float]:
        for block in self.blocks():
            yield from block.tolist()

    def blocks(self, size: int = BLOCK) -> Iterator[Array]:
        """All coordinates in order, at most `size` at a time: a billion of them pass in the memory of one block."""
        check_whole(size, "block size", 1, LARGEST_ARRAY)
        for first in range(0, len(self), size):
            yield self._read(np.arange(first, min(first + size, len(self)), dtype=np.int64))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a Point holds no array that could be shared: use np.asarray(x), which makes one")
        return self[:].astype(dtype or np.float64, copy=False)

    def __repr__(self) -> str:
        return f"Point({len(self)} coordinates in [{self.low}, {self.high}], y={self.y}, {self.embedding})"

    def part(self, start: int, stop: int) -> "Point":
        """Coordinates start to stop - 1 as a point of their own."""
        if not 0 <= start <= stop <= len(self):
            raise ValueError(f"coordinates {start} to {stop} are not among the {len(self)} of this point")
        return replace(self, start=self.start + start, stop=self.start + stop)

    def scaled(self, low: float, high: float) -> "Point":
        """The same point with [-1,1] stretched to [low, high]."""
        return replace(self, low=low, high=high)

    def _read(self, index: Indices) -> Array:
        x = self.embedding.image(self.y, index + self.start)
        if not self.projected:
            return np.asarray(stretch(x, self.low, self.high))
        inside = np.clip(stretch(np.clip(x, -1.0, 1.0), self.low, self.high), self.low, self.high)
        return np.where(x <= -1.0, self.low, np.where(x >= 1.0, self.high, inside))

    def _check(self, index: npt.NDArray[Any]) -> Indices:
        if index.ndim != 1 or not (np.issubdtype(index.dtype, np.integer) or index.size == 0):
            raise TypeError(f"a Point is read by whole numbers, slices or lists of whole numbers, not {index!r}")
        _check_size(len(index))
        outside = (index < -len(self)) | (index >= len(self))
        if outside.any():
            raise IndexError(f"coordinate {index[outside][0]} of a point that has {len(self)}")
        whole = index.astype(np.int64)
        return np.where(whole < 0, whole + len(self), whole)


def _check_size(asked: int) -> None:
    if asked > LARGEST_ARRAY:
        raise ValueError(
            f"{asked} coordinates in one array is more than {LARGEST_ARRAY}: "
            "read the ones you need, x[[i, j]], or stream them all, for block in x.blocks()"
        )
