"""The configurations of a finite space, where these are few enough to be listed."""

import math
from collections.abc import Hashable, Set
from itertools import product

import numpy as np

from rembo.arrays import Array
from rembo.embedding import IdentityEmbedding, Point
from rembo.space import Domain, Integer, Parameter, middle_of, parts_of

_LISTED = 4096


def configuration(x: object) -> Hashable:
    """What f gets, in a finite space, as something that can be looked up in a set."""
    return tuple(x.items()) if isinstance(x, dict) else x


def nearest_unseen(space: Domain, x: Array, seen: Set[Hashable]) -> Array | None:
    """The configuration that differs from x, (D,), in fewest parameters, of those that were not seen.

    None if all were, or if there are too many to be listed.
    """
    parameters = [part.parameter for part in parts_of(space)]
    if math.prod(parameter.levels for parameter in parameters) > _LISTED:
        return None
    everything = np.array(list(product(*(_positions(parameter) for parameter in parameters))))
    identity = IdentityEmbedding(space.size)
    for row in everything[np.argsort((everything != x).sum(axis=1), kind="stable")]:
        if configuration(space.decode(Point(identity, row))) not in seen:
            return np.asarray(row)
    return None


def _positions(parameter: Parameter) -> list[float]:
    """Where in [-1,1] each value of a discrete parameter lies."""
    if isinstance(parameter, Integer):
        return [parameter.position(parameter.low + level) for level in range(parameter.levels)]
    return list(middle_of(np.arange(parameter.levels), parameter.levels))
