"""What a method is, and an entry that makes one."""

from collections.abc import Callable
from dataclasses import dataclass
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


def titled(name: str, panel: str) -> str:
    """The name, and the panel where there are several."""
    return f"{name}, {panel}" if panel else name


@dataclass(frozen=True)
class Entry:
    """A method's name, and how it is made: what it imports is imported then; curves of one panel are drawn together."""

    label: str
    load: Callable[[], Method]
    panel: str = ""

    @property
    def title(self) -> str:
        """Its name in tables, where panels stand together."""
        return titled(self.label, self.panel)
