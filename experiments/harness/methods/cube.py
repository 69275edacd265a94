"""The space as the cube [-1,1]^D, for methods that search vectors."""

import numpy as np

import rembo
from harness.methods.method import Objective
from rembo.arrays import Array
from rembo.space import Domain, parts_of


def on_cube(f: Objective, space: Domain, u: Array) -> float:
    """f at the value of the space that the position u in [-1,1]^D stands for."""
    return f(space.decode(rembo.Point(rembo.IdentityEmbedding(space.size), u)))


def snap(space: Domain, u: Array) -> Array:
    """u, (D,), with each discrete coordinate in the middle of its level's share: equal values, equal positions."""
    return np.concatenate([part.parameter.snap(u[part.start : part.stop]) for part in parts_of(space)])
