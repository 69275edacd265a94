"""What a method of the contest is."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from rembo.space import Domain

Objective: TypeAlias = Callable[[Any], float]


class Method(Protocol):
    """A way to minimise a black box, with all of its settings."""

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages whose versions a result depends on."""

    def serves(self, space: Domain) -> bool:
        """Whether it can search this space."""

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Evaluate f n_trials times, as low as it can."""
