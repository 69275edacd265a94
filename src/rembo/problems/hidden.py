"""A function of few numbers hidden in many dimensions: what `Padded` and `Subspace` have in common."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from rembo.border import check_whole
from rembo.embedding import Point
from rembo.problems.problem import BoxProblem
from rembo.space import Box


@dataclass(frozen=True)
class Hidden(ABC):
    """f(x_1:D) = g(z_1:d_e) with z read from x in a way that the seed draws."""

    problem: BoxProblem
    ambient_dim: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(self.ambient_dim, "ambient_dim", self.problem.space.size)

    @abstractmethod
    def effective(self, x: Point) -> list[float]:
        """What the hidden function takes: d_e numbers."""

    @property
    def space(self) -> Box:
        """[-1,1]^D."""
        return Box(self.ambient_dim)

    @property
    def optimum(self) -> float:
        """That of the hidden function."""
        return self.problem.optimum

    def __call__(self, x: Point) -> float:
        """The value at x, a Point or an array of D numbers."""
        return self.problem(self.effective(x))
