"""Leaves of a forest that say nothing while the parameter they stand for is inactive.

Two configurations that differ only in what f does not get are one configuration. So where a conditional parameter has a
leaf of its own, and all those that decide whether it exists have one, too, its leaf rests at the default while it is
inactive. In leaves that several parameters share nothing is changed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rembo.arrays import Array, Indices, Mask
from rembo.space import TRUE, Condition, Domain, Reading, Rules, Scalar, Space


@dataclass(frozen=True, eq=False)
class Dormant:
    """The leaves of single parameters by name, of an array several; and where each of the d leaves rests, (d,)."""

    rules: Rules
    leaves: Mapping[str, tuple[int, ...]]
    rest: Array

    @classmethod
    def of(cls, space: Domain, alone: Mapping[int, int], dim: int) -> "Dormant | None":
        """Of d leaves, of which some stand for a single coordinate of a space; None where no parameter has a condition.

        alone: the coordinate of each such leaf.
        """
        if not isinstance(space, Space) or not has_conditions(space):
            return None
        leaves: dict[str, tuple[int, ...]] = {}
        rest = np.zeros(dim)
        starts, names = [part.start for part in space.parts], list(space.parameters)
        for leaf, coordinate in alone.items():
            place = int(np.searchsorted(starts, coordinate, side="right")) - 1
            leaves[names[place]] = (*leaves.get(names[place], ()), leaf)
            rest[leaf] = _resting(space, names[place], coordinate - starts[place])
        return cls(space.rules, leaves, rest)

    @cached_property
    def _groups(self) -> list[tuple[Condition, Indices, list[str]]]:
        """The conditions in order, each with the leaves that rest without it, and the parameters that others name."""
        return [
            (
                condition,
                np.array([leaf for name in names for leaf in self.leaves[name]]),
                [name for name in names if name in self.rules.decisive],
            )
            for condition, names in self.rules.grouped(self.leaves)
        ]

    def mask(self, Y: Array) -> Mask:
        """Which leaves rest at each of some points that are snapped, (n, d)."""
        readings = {
            name: Reading(each, each.numbers(Y[:, self.leaves[name][0]]))
            for name, each in self.rules.decisive.items()
            if name in self.leaves
        }
        resting = np.zeros(Y.shape, dtype=bool)
        for condition, leaves, decisive in self._groups:
            unfulfilled = np.asarray(condition.truth(readings) != TRUE)
            resting[:, leaves] = unfulfilled[:, None]
            for name in decisive:
                numbers = np.where(unfulfilled, math.nan, readings[name].numbers)
                readings[name] = Reading(readings[name].parameter, numbers)
        return resting

    def rested(self, Y: Array) -> Array:
        """Points that are snapped, (n, d), with inactive leaves at rest."""
        return np.where(self.mask(Y), self.rest, Y)


def has_conditions(space: Domain) -> bool:
    """Whether a parameter of a space has a condition."""
    return isinstance(space, Space) and bool(space.rules.conditions)


def _resting(space: Space, name: str, coordinate: int) -> float:
    """The position of the default, or else the middle, of a coordinate of a parameter."""
    parameter = space.parameters[name]
    if space.default is not None:
        return float(parameter.snap(parameter.encode(space.default[name]))[coordinate])
    return (
        float(parameter.snap(np.array(parameter.position(parameter.middle)))) if isinstance(parameter, Scalar) else 0.0
    )
