"""Local search without a model: a hill climber, and a (1+1) evolution strategy with sparse mutation.

Both see a space as its cube, in which a discrete coordinate stands in the middle of its level's share.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from harness.methods.ask_tell import small
from harness.methods.cube import on_cube, snap
from harness.methods.method import Objective
from rembo.arrays import Array
from rembo.space import Domain, Space, level_at, middle_of, parts_of


@dataclass(frozen=True, eq=False)
class Cube:
    """A space's cube: the levels of each coordinate, (D,), 0 for a continuum, and whether they are ordered, (D,)."""

    space: Domain
    levels: Array
    ordered: Array

    def draw(self, rng: np.random.Generator) -> Array:
        """A random position, (D,)."""
        return snap(self.space, rng.uniform(-1.0, 1.0, self.space.size))

    def resampled(self, u: Array, i: int, rng: np.random.Generator) -> float:
        """Another value of coordinate i, each with the same chance."""
        levels = int(self.levels[i])
        if levels < 2:
            return float(rng.uniform(-1.0, 1.0)) if levels == 0 else float(u[i])
        return _at((self._level(u, i) + int(rng.integers(1, levels))) % levels, levels)

    def neighbour(self, u: Array, i: int, step: float, rng: np.random.Generator) -> float:
        """A value next to coordinate i's: a normal step, one level up or down, or another of unordered levels."""
        levels = int(self.levels[i])
        if levels == 0:
            return float(np.clip(u[i] + step * rng.standard_normal(), -1.0, 1.0))
        if not self.ordered[i]:
            return self.resampled(u, i, rng)
        level = self._level(u, i) + int(rng.choice([-1, 1]))
        return _at(abs(level) if level < levels else max(levels - 2, 0), levels)  # the ends have one neighbour

    def _level(self, u: Array, i: int) -> int:
        return int(level_at(u[i], int(self.levels[i])))


def _at(level: int, levels: int) -> float:
    return float(middle_of(np.array(min(level, levels - 1)), levels))


def cube_of(space: Domain) -> Cube:
    """The coordinates of a space."""
    parts = [part.parameter for part in parts_of(space)]
    sizes = [part.size for part in parts]
    return Cube(space, np.repeat([part.levels for part in parts], sizes),
                np.repeat([part.ordered for part in parts], sizes))  # fmt: skip


@dataclass(frozen=True, eq=False)
class Climb:
    """Where a climb stands, (D,), its value, the step of a continuum, and how many tries in a row improved nothing."""

    u: Array
    value: float
    step: float
    failures: int = 0


@dataclass(frozen=True)
class HillClimber:
    """First improvement: one coordinate at a time is changed, in random order, and the change kept if it is better.

    As many failures in a row as there are coordinates halve the step of a continuum. When it is below the smallest, at
    once where all is discrete, the climb is over, and another begins at a random position.
    """

    first_step: float = 0.4
    smallest_step: float = 0.01
    packages: tuple[str, ...] = ("rembo", "numpy")

    def serves(self, space: Domain) -> bool:
        """Every space of at most 1000 dimensions."""
        return small(space)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Climb after climb until the budget is spent."""
        cube, rng = cube_of(space), np.random.default_rng(seed)
        left = n_trials
        while left > 0:
            climb, order = self._begun(f, cube, rng), _sweeps(space.size, rng)
            left -= 1
            while left > 0 and climb.step >= self.smallest_step:
                climb = self._advanced(f, cube, climb, next(order), rng)
                left -= 1

    def _begun(self, f: Objective, cube: Cube, rng: np.random.Generator) -> Climb:
        u = cube.draw(rng)
        return Climb(u, on_cube(f, cube.space, u), self.smallest_step if np.all(cube.levels) else self.first_step)

    def _advanced(self, f: Objective, cube: Cube, climb: Climb, i: int, rng: np.random.Generator) -> Climb:
        """The climb after coordinate i was changed and the change evaluated."""
        u = _changed(climb.u, i, cube.neighbour(climb.u, i, climb.step, rng))
        value = on_cube(f, cube.space, u)
        if value < climb.value:
            return Climb(u, value, climb.step)
        if climb.failures + 1 == cube.space.size:
            return replace(climb, step=climb.step / 2.0, failures=0)
        return replace(climb, failures=climb.failures + 1)


@dataclass(frozen=True)
class SparseMutation:
    """The (1+1) evolution strategy: a few coordinates are drawn anew, and the change is kept if it is not worse.

    At least one changes, and `changes` do on average, each to a value of its own choice: a bit always flips.
    """

    changes: float = 1.5
    packages: tuple[str, ...] = ("rembo", "numpy")

    def __post_init__(self) -> None:
        if not self.changes >= 1.0:
            raise ValueError(f"changes {self.changes} must be at least 1: a step that changes nothing is wasted")

    def serves(self, space: Domain) -> bool:
        """Every space of at most 10,000 dimensions."""
        return small(space, 10_000)

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """From the space's default on, or from a random position if it has none."""
        cube, rng = cube_of(space), np.random.default_rng(seed)
        default = space.default if isinstance(space, Space) else None
        u = cube.draw(rng) if default is None else space.encode(default)
        value = on_cube(f, space, u)
        for _ in range(n_trials - 1):
            mutant = self.mutated(cube, u, rng)
            found = on_cube(f, space, mutant)
            if found <= value:
                u, value = mutant, found

    def mutated(self, cube: Cube, u: Array, rng: np.random.Generator) -> Array:
        """u, (D,), with one coordinate changed for certain, and every other with the same small probability."""
        others = cube.space.size - 1
        many = 1 + int(rng.binomial(others, min((self.changes - 1.0) / others, 1.0)) if others else 0)
        for i in rng.choice(cube.space.size, many, replace=False).tolist():
            u = _changed(u, i, cube.resampled(u, i, rng))
        return u


def _sweeps(dim: int, rng: np.random.Generator) -> Iterator[int]:
    """All coordinates in random order, again and again."""
    while True:
        yield from rng.permutation(dim).tolist()


def _changed(u: Array, i: int, position: float) -> Array:
    """A copy of u, (D,), with another entry i."""
    changed = u.copy()
    changed[i] = position
    return changed
