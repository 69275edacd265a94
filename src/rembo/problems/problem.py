"""What a problem is: a function together with the space it is searched on and the lowest value there."""

from collections.abc import Sequence
from typing import Any, Protocol

from rembo.space import Box, Domain


class Problem(Protocol):
    """A function that knows its space and its lowest value there."""

    @property
    def space(self) -> Domain:
        """What f takes."""

    @property
    def optimum(self) -> float:
        """The lowest value in the space."""

    def __call__(self, x: Any) -> float:
        """The value at x."""


class BoxProblem(Protocol):
    """A problem on the cube [-1,1]^D that knows which coordinates can matter."""

    @property
    def space(self) -> Box:
        """[-1,1]^D."""

    @property
    def optimum(self) -> float:
        """The lowest value in the cube."""

    @property
    def coordinates(self) -> Sequence[int]:
        """The coordinates on which f depends."""

    def __call__(self, x: Any) -> float:
        """The value at x, an array or a Point of D numbers."""
