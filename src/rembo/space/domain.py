"""What may be given as a space: one of ours, a parameter alone, or a list of bounds."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rembo.space.array import Bounds
from rembo.space.parameter import Parameter
from rembo.space.shown import shown
from rembo.space.space import Domain, Space

DomainLike: TypeAlias = Domain | Sequence[Sequence[Any]] | npt.NDArray[Any]


def check_domain(space: object) -> Domain:
    """The space that is meant, or a TypeError that says what to write.

    Parameters
    ----------
    space
        A Space, a parameter alone, or bounds as a list of `(low, high)` and `(low, high, "log")`, as an array of two
        columns, or as `scipy.optimize.Bounds`.

    Examples
    --------
    >>> check_domain([(0, 1), (1e-5, 1e-1, "log")])
    Bounds([(0.0, 1.0), (1e-05, 0.1, 'log')])
    """
    if isinstance(space, (Parameter, Space)):
        return space
    if isinstance(space, Mapping):
        ours = all(isinstance(each, Parameter) for each in space.values())
        example = shown(space) if space and ours else "{'rate': rembo.Float(0.0, 1.0), 'layers': rembo.Integer(1, 8)}"
        raise TypeError(f"a dict becomes a space by rembo.Space, not {shown(space)}: write rembo.Space({example})")
    if isinstance(space, (list, tuple)):
        return _of_list(space)
    if isinstance(space, np.ndarray):
        return _of_list(list(space.tolist()) if space.ndim else [space.tolist()])
    if hasattr(space, "lb") and hasattr(space, "ub"):  # of SciPy, which is not imported for it
        return Bounds(np.stack(np.broadcast_arrays(*np.atleast_1d(space.lb, space.ub)), axis=1).tolist())
    examples = "e.g. rembo.Box(100), or a list of bounds, [(0, 1), (1e-5, 1e-1, 'log')]"
    raise TypeError(f"space must be a Box, a Space or a single parameter, not {shown(space)}: {examples}")


def _of_list(given: Sequence[Any]) -> Bounds:
    """The bounds in a list, or a TypeError if it holds something else."""
    if any(isinstance(each, Parameter) for each in given):
        raise TypeError("a list of parameters is no space: name them, rembo.Space({'a': ..., 'b': ...})")
    if any(isinstance(each, (list, tuple)) and any(isinstance(part, Parameter) for part in each) for each in given):
        raise TypeError("pairs of names and parameters are made a space by rembo.Space: write rembo.Space(your_list)")
    return Bounds(given)
