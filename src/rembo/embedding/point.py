"""The lazy x: a point of the box that is read, not made.

A point is an embedding and the d numbers y; coordinate i is row i of A times y, projected onto the box. A function
that looks at two of a billion coordinates has two rows made, which are then forgotten. Points travel and are stored
as (embedding, y): less than a kilobyte whatever D is.
"""

import numbers
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import Any, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from rembo.arrays import LARGEST_ARRAY, Array, Indices, Mask
from rembo.border import check_whole
from rembo.embedding.array_like import ArrayLike
from rembo.embedding.region import Region
from rembo.space import Written, stretch

_SHOWN = 3  # coordinates
_NUMBERS = (numbers.Number, np.generic, np.ndarray, list, tuple)  # what a point is compared with one by one
BLOCK = 2**16  # coordinates: half a megabyte


_Several: TypeAlias = (
    slice | EllipsisType | Sequence[int] | Sequence[bool] | npt.NDArray[np.integer] | Mask | tuple[Any, ...] | None
)


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


@dataclass(frozen=True, eq=False, repr=False)
class Point(ArrayLike):
    """p_X(A y) in the user's units: an array of one dimension that is read, not made, and cannot be changed.

    `x[i]`, `x[[i, j]]`, `x[a:b]` and `x.blocks()` make no more than they return, whatever D is. All else that an array
    can do, such as `x.sum()`, `x**2`, `x @ w`, `x > 0`, `x[x > 0]` or `x.tolist()`, works on `np.asarray(x)`, and gives
    arrays; a point of more than 10**7 coordinates refuses that with a ValueError.

    `==` and `!=` compare a point with numbers coordinate by coordinate, as arrays do, but two points as a whole: they
    are equal if they have the same embedding, y and units, which can be told of a billion coordinates at once.
    `np.equal(x, z)` compares the coordinates of two points.

    With projected=False it is A y itself, outside the box too, as the authors' released Branin demo evaluates it.
    `written` holds numbers that the user wrote, which are read as they were written; `given` those of a point of
    [-1,1]^D that the user gave, in the units of a space, which reads them.

    Examples
    --------
    >>> from rembo import IdentityEmbedding
    >>> x = Point(IdentityEmbedding(4), [0.5, -0.25, 1.0, 0.0])
    >>> x
    Point(4 coordinates in [-1, 1]: [0.5, -0.25, 1, ...])
    >>> float((x**2).sum()), float(x.max()), x[x < 0].tolist()
    (1.3125, 1.0, [-0.25])
    """

    embedding: Source
    y: Array
    low: float = -1.0
    high: float = 1.0
    start: int = 0
    stop: int | None = None
    projected: bool = True
    written: Written | None = field(default=None, metadata={"later": True})  # files of points are older
    given: Written | None = field(default=None, metadata={"later": True})

    def __post_init__(self) -> None:
        y = np.array(self.y, dtype=np.float64)
        y.setflags(write=False)
        object.__setattr__(self, "y", y)
        if y.shape != (self.embedding.embedding_dim,):
            raise ValueError(f"y has shape {y.shape}, the embedding takes ({self.embedding.embedding_dim},)")
        if self.stop is None:
            object.__setattr__(self, "stop", self.embedding.ambient_dim)

    def __reduce__(self) -> tuple[Any, ...]:  # through the constructor, so that y comes back read-only
        return Point, (self.embedding, self.y, *self._settings()[1:])

    @overload  # type: ignore[override]
    def __eq__(self, other: "Point | None", /) -> bool: ...
    @overload
    def __eq__(self, other: npt.ArrayLike, /) -> Mask: ...
    def __eq__(self, other: Any, /) -> bool | Mask:
        if isinstance(other, Point):
            return self._settings() == other._settings() and np.array_equal(self.y, other.y)
        return np.asarray(self) == other if isinstance(other, _NUMBERS) else NotImplemented

    @overload  # type: ignore[override]
    def __ne__(self, other: "Point | None", /) -> bool: ...
    @overload
    def __ne__(self, other: npt.ArrayLike, /) -> Mask: ...
    def __ne__(self, other: Any, /) -> bool | Mask:
        if isinstance(other, Point):
            return not self == other
        return np.asarray(self) != other if isinstance(other, _NUMBERS) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # compared by its numbers, never hashed

    def _settings(self) -> tuple[Any, ...]:
        return self.embedding, self.low, self.high, self.start, self.stop, self.projected, self.written, self.given

    def __len__(self) -> int:
        return (self.embedding.ambient_dim if self.stop is None else self.stop) - self.start

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: _Several) -> Array: ...
    def __getitem__(self, index: Any) -> float | Array:
        if isinstance(index, slice):
            chosen = range(*index.indices(len(self)))
            _check_size(len(chosen))
            return self._read(np.arange(chosen.start, chosen.stop, chosen.step, dtype=np.int64))
        if index is None or index is ... or (isinstance(index, tuple) and any(map(_is_axis, index))):
            return np.asarray(self)[index]
        if isinstance(index, (list, tuple, range, np.ndarray)) and np.ndim(index):
            return self._read(self._check(self._places(np.asarray(index))))
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
        first = ", ".join(f"{number:.4g}" for number in self[:_SHOWN].tolist())
        rest = ", ..." if len(self) > _SHOWN else ""
        return f"Point({len(self)} coordinates in [{self.low:g}, {self.high:g}]: [{first}{rest}])"

    def part(self, start: int, stop: int) -> "Point":
        """Coordinates start to stop - 1 as a point of their own."""
        if not 0 <= start <= stop <= len(self):
            raise ValueError(f"coordinates {start} to {stop} are not among the {len(self)} of this point")
        written, given = (None if each is None else each.part(start, stop) for each in (self.written, self.given))
        return replace(self, start=self.start + start, stop=self.start + stop, written=written, given=given)

    def scaled(self, low: float, high: float, written: Written | None = None) -> "Point":
        """The same point with [-1,1] stretched to [low, high]; numbers that the user wrote are read as written."""
        return replace(self, low=low, high=high, written=written, given=None)

    def _read(self, index: Indices) -> Array:
        x = self.embedding.image(self.y, index + self.start)
        if not self.projected:
            return np.asarray(stretch(x, self.low, self.high))
        inside = np.clip(stretch(np.clip(x, -1.0, 1.0), self.low, self.high), self.low, self.high)
        values = np.where(x <= -1.0, self.low, np.where(x >= 1.0, self.high, inside))
        return values if self.written is None else self.written.restored(index, x, values)

    def _places(self, index: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Where a mask is true; an index that is none is left as it is."""
        if index.dtype != np.bool_ or index.ndim != 1:
            return index
        if len(index) != len(self):
            raise IndexError(f"a mask of {len(index)} for a point that has {len(self)} coordinates")
        return np.flatnonzero(index)

    def _check(self, index: npt.NDArray[Any]) -> Indices:
        if index.ndim != 1 or not (np.issubdtype(index.dtype, np.integer) or index.size == 0):
            raise TypeError(f"a Point is read by whole numbers, slices or lists of whole numbers, not {index!r}")
        _check_size(len(index))
        outside = (index < -len(self)) | (index >= len(self))
        if outside.any():
            raise IndexError(f"coordinate {index[outside][0]} of a point that has {len(self)}")
        whole = index.astype(np.int64)
        return np.where(whole < 0, whole + len(self), whole)


def _is_axis(index: Any) -> bool:
    """Whether an entry of an index shapes an array, as in x[:, None]."""
    return index is None or index is ... or isinstance(index, slice)


def _check_size(asked: int) -> None:
    if asked > LARGEST_ARRAY:
        raise ValueError(
            f"{asked} coordinates in one array is more than {LARGEST_ARRAY}: "
            "read the ones you need, x[[i, j]], or stream them all, for block in x.blocks()"
        )
