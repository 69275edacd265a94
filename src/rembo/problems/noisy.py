"""A problem of which only noisy values are seen."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rembo.embedding.checks import check_seed
from rembo.embedding.counter import normals
from rembo.problems.problem import Problem
from rembo.space import Domain


@dataclass(frozen=True)
class Noisy:
    """f(x) = g(x) + N(0, std^2), where the noise of the n-th call is a function of (seed, n).

    The only problem that remembers something: how often it was called.
    """

    problem: Problem
    std: float
    seed: int = 0
    calls: int = field(default=0, init=False, compare=False)

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not 0.0 <= self.std < math.inf:
            raise ValueError(f"std {self.std} must be finite and not below 0")

    @property
    def space(self) -> Domain:
        """That of g."""
        return self.problem.space

    @property
    def optimum(self) -> float:
        """The lowest value without noise."""
        return self.problem.optimum

    def noiseless(self, x: Any) -> float:
        """The true value at x; does not count as a call."""
        return self.problem(x)

    def __call__(self, x: Any) -> float:
        """The value at x with the noise of this call."""
        noise = self.std * float(normals(self.seed, np.array([self.calls]), width=1)[0, 0])
        object.__setattr__(self, "calls", self.calls + 1)
        return self.noiseless(x) + noise
