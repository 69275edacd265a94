"""What makes a point an array for NumPy: arithmetic, comparisons and the methods of `np.ndarray`.

Nothing is written twice: operators go through NumPy's protocol for ufuncs, methods to the array that `np.asarray`
makes. So all of them need as much memory as that array, and refuse what it refuses.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rembo.arrays import Array, Mask

if TYPE_CHECKING:

    class _Operators:
        """The operators of NDArrayOperatorsMixin that make arrays, with the types that it leaves open."""

        def __add__(self, other: npt.ArrayLike) -> Array: ...
        def __neg__(self) -> Array: ...
        def __lt__(self, other: npt.ArrayLike) -> Mask: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __add__
        __pos__ = __abs__ = __neg__
        __le__ = __gt__ = __ge__ = __lt__

        def __matmul__(self, other: npt.ArrayLike) -> Any: ...
        def __rmatmul__(self, other: npt.ArrayLike) -> Any: ...
else:
    from numpy.lib.mixins import NDArrayOperatorsMixin as _Operators


def _method(name: str) -> Callable[..., Any]:
    """The method of that name of the array that np.asarray makes."""

    def delegated(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(np.asarray(self), name)(*arguments, **keywords)

    delegated.__name__ = name
    delegated.__doc__ = f"The same as `np.asarray(x).{name}`."
    return delegated


class ArrayLike(_Operators, ABC):
    """The operators and methods of an array of one dimension, for what `np.asarray` reads and nobody may change."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        changed = keywords.get("out", ()) if method != "at" else inputs[:1]
        if any(isinstance(each, ArrayLike) for each in changed):
            raise TypeError("a Point cannot be changed: write x = x + 1 in place of x += 1, or change x.copy()")
        arrays = (np.asarray(each) if isinstance(each, ArrayLike) else each for each in inputs)
        return getattr(ufunc, method)(*arrays, **keywords)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("a Point cannot be changed: change a copy, a = x.copy(), which is an array")

    @property
    def shape(self) -> tuple[int]:
        """One dimension: (len(x),)."""
        return (len(self),)

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return len(self)

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """float64."""
        return np.dtype(np.float64)

    @property
    def T(self) -> Array:
        """The array itself, as of every array of one dimension."""
        return np.asarray(self)

    all = _method("all")
    any = _method("any")
    argmax = _method("argmax")
    argmin = _method("argmin")
    argsort = _method("argsort")
    astype = _method("astype")
    clip = _method("clip")
    copy = _method("copy")
    cumprod = _method("cumprod")
    cumsum = _method("cumsum")
    dot = _method("dot")
    flatten = _method("flatten")
    item = _method("item")
    max = _method("max")
    mean = _method("mean")
    min = _method("min")
    nonzero = _method("nonzero")
    prod = _method("prod")
    ravel = _method("ravel")
    repeat = _method("repeat")
    reshape = _method("reshape")
    round = _method("round")
    squeeze = _method("squeeze")
    std = _method("std")
    sum = _method("sum")
    take = _method("take")
    tobytes = _method("tobytes")
    tolist = _method("tolist")
    var = _method("var")
