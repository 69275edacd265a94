"""Functions of conditional parameters, whose optima are known; a seed draws where they lie."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.space import Bool, Categorical, Float, Integer, Is, Less, Space


@dataclass(frozen=True)
class Solvers:
    """One of five solvers, each with six numbers of its own, of which some matter little: 31 parameters, 7 active."""

    seed: int
    count: int = 5
    numbers: int = 6
    optimum: float = 0.0

    @property
    def space(self) -> Space:
        """The solver, then the numbers of each."""
        names = [f"s{i}" for i in range(self.count)]
        own = {f"{name}_{j}": Float(-1.0, 1.0).when(Is("solver", name)) for name in names for j in range(self.numbers)}
        return Space({"solver": Categorical(names), **own})

    @cached_property
    def drawn(self) -> tuple[Array, Array, Array]:
        """Where each solver is best, how much its numbers matter, (5, 6) each, and what it costs at its best, (5,)."""
        rng = np.random.default_rng((self.seed, 1))
        shape = self.count, self.numbers
        costs = rng.permutation(np.linspace(0.0, 0.4, self.count))
        return rng.uniform(-0.8, 0.8, shape), 10.0 ** rng.uniform(-2.0, 0.0, shape), costs

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The cost of a configuration."""
        solver = int(x["solver"][1:])
        best, weights, costs = self.drawn
        at = np.array([x[f"s{solver}_{j}"] for j in range(self.numbers)])
        return float(costs[solver] + (weights[solver] * (at - best[solver]) ** 2).sum())


@dataclass(frozen=True)
class Nested:
    """A number of layers, each with a width; and a method with a restart that has a rate: 10 parameters."""

    seed: int
    optimum: float = -1.6

    @property
    def space(self) -> Space:
        """Conditions on whole numbers, and conditions on conditional parameters."""
        widths = {f"width{i}": Float(-1.0, 1.0).when(~Less("layers", i + 1)) for i in range(4)}
        return Space(
            {
                "method": Categorical(["plain", "restarted"]),
                "layers": Integer(1, 4),
                **widths,
                "restart": Bool().when(Is("method", "restarted")),
                "rate": Float(1e-4, 1.0, log=True).when(Is("restart", True)),
                "momentum": Float(-1.0, 1.0),
            }
        )

    def __call__(self, x: Mapping[str, Any]) -> float:
        """Each layer gains 0.3 at its best, and so do the method and its restart by 0.2."""
        best = np.random.default_rng((self.seed, 2)).uniform(-0.8, 0.8, 5)
        value = (x["momentum"] - best[4]) ** 2
        value += sum((x[f"width{i}"] - best[i]) ** 2 - 0.3 for i in range(x["layers"]))
        if x["method"] == "restarted":
            value -= 0.2
            value += 0.1 * (math.log10(x["rate"]) + 2.0) ** 2 - 0.2 if x["restart"] else 0.0
        return float(value)


@dataclass(frozen=True)
class Pipeline:
    """Six stages that can be left out, each with two numbers, some of them never worth it: 18 parameters."""

    seed: int
    stages: int = 6

    @property
    def space(self) -> Space:
        """The stages, then their numbers."""
        used = {f"stage{i}": Bool() for i in range(self.stages)}
        own = {f"p{i}{j}": Float(-1.0, 1.0).when(Is(f"stage{i}", True)) for i in range(self.stages) for j in range(2)}
        return Space({**used, **own})

    @cached_property
    def drawn(self) -> tuple[Array, Array]:
        """Where each stage is best, (6, 2), and what it gains there, (6,)."""
        rng = np.random.default_rng((self.seed, 3))
        return rng.uniform(-0.8, 0.8, (self.stages, 2)), rng.uniform(-0.3, 0.6, self.stages)

    @property
    def optimum(self) -> float:
        """All stages that gain, at their best."""
        return -float(np.maximum(self.drawn[1], 0.0).sum())

    def __call__(self, x: Mapping[str, Any]) -> float:
        """What the stages that are used lose and gain."""
        best, gains = self.drawn
        used = [i for i in range(self.stages) if x[f"stage{i}"]]
        return float(sum(((np.array([x[f"p{i}0"], x[f"p{i}1"]]) - best[i]) ** 2).sum() - gains[i] for i in used))
