"""A function whose optimum was moved away from the centre of the box."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rembo.arrays import Array
from rembo.embedding.checks import check_seed
from rembo.embedding.counter import uniforms
from rembo.problems.functions import Function
from rembo.space import Box


@dataclass(frozen=True)
class Shifted:
    """f(x) = g(x - shift), where the shift puts g's first optimizer at a place that the seed draws.

    In each coordinate that place is at least `margin` away from the centre of the box and from its edges. Near the
    edges x - shift can leave the box of g: there g itself is evaluated, neither clipped nor wrapped around. Because a
    `Function` is nowhere lower outside its box, the optimum stays what it was.
    """

    problem: Function
    seed: int = 0
    margin: float = 0.2

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not 0.0 <= self.margin <= 0.5:
            raise ValueError(f"margin {self.margin} must lie between 0 and 0.5, where centre and edge leave no room")

    @property
    def space(self) -> Box:
        """[-1,1]^dim."""
        return self.problem.space

    @property
    def coordinates(self) -> range:
        """All of them matter."""
        return self.problem.coordinates

    @property
    def optimum(self) -> float:
        """That of g."""
        return self.problem.optimum

    @property
    def optimizers(self) -> tuple[tuple[float, ...], ...]:
        """Those of g that are in the box after the move, the first of them always."""
        moved = np.array(self.problem.optimizers) + self.shift
        return tuple(tuple(place) for place in moved[np.all(np.abs(moved) <= 1.0, axis=1)].tolist())

    @cached_property
    def shift(self) -> Array:
        """How far the first optimizer was moved, (dim,)."""
        size, side = uniforms(self.seed, np.arange(self.problem.dim), width=2).T
        place = np.where(side < 0.5, -1.0, 1.0) * (self.margin + (1.0 - 2.0 * self.margin) * size)
        return np.asarray(place - np.array(self.problem.optimizers[0]))

    def __call__(self, x: Array) -> float:
        """The value at x in [-1,1]^dim."""
        return self.problem(np.asarray(x) - self.shift)
