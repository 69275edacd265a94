"""Rulers: what the positions along an axis of y are called, in the user's units where there are any.

A parameter alone has its own values: numbers, on a log scale if it is searched on one, or names. Parameters that move
together have none in common: there a position says how far they go from where the search began.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.plot.data.coordinates import Coordinate
from rembo.plot.data.thinning import evenly
from rembo.space import level_at, middle_of

PLACES = 65  # along an axis
_MOST_LABELS = 12


class Ruler(ABC):
    """How positions along an axis of y are shown: as numbers, some of them with labels."""

    @property
    def log(self) -> bool:
        """Whether the numbers want a logarithmic axis."""
        return False

    @property
    def plain(self) -> bool:
        """Whether the numbers of the axis speak for themselves; else its labels stand there instead."""
        return True

    @property
    def named(self) -> bool:
        """Whether there is nothing between two labels: names have no order."""
        return False

    @property
    def title(self) -> str:
        """What stands below the axis; nothing where the values speak for themselves."""
        return ""

    def places(self, half_width: float) -> Array:
        """The positions to look at in [-half_width, half_width]."""
        return np.linspace(-half_width, half_width, PLACES)

    @abstractmethod
    def shown(self, positions: Array) -> Array:
        """The numbers of the axis at some positions, (n,)."""

    def labels(self) -> tuple[tuple[float, str], ...]:
        """Some positions, and what stands there; nothing where numbers need no label."""
        return ()


@dataclass(frozen=True)
class Position(Ruler):
    """An entry of y that stands for no parameter: its position is all that there is."""

    @property
    def title(self) -> str:
        """The position."""
        return "position y"

    def shown(self, positions: Array) -> Array:
        """The positions as they are."""
        return positions


@dataclass(frozen=True)
class Numbers(Ruler):
    """A parameter whose values are numbers."""

    coordinate: Coordinate

    @property
    def log(self) -> bool:
        """Whether its logarithm is searched evenly."""
        return self.coordinate.log

    def places(self, half_width: float) -> Array:
        """Evenly spread; of whole numbers each once."""
        even = super().places(half_width)
        return np.unique(self.coordinate.parameter.snap(even)) if self.coordinate.parameter.levels else even

    def shown(self, positions: Array) -> Array:
        """The numbers that f gets."""
        return np.array([self.coordinate.number(float(u)) for u in positions])

    def labels(self) -> tuple[tuple[float, str], ...]:
        """Each of few whole numbers; else the ends, the middle and the quarters of the range."""
        few = 0 < self.coordinate.parameter.levels <= _MOST_LABELS
        chosen = self.places(1.0) if few else np.linspace(-1.0, 1.0, 5)
        return tuple((float(u), self._text(float(u))) for u in chosen)

    def _text(self, u: float) -> str:
        value = self.coordinate.value(u)
        return f"{value:.3g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Names(Ruler):
    """Levels without an order, each with a name."""

    texts: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """The number of a level says nothing."""
        return False

    @property
    def named(self) -> bool:
        """Names have no order."""
        return True

    def places(self, half_width: float) -> Array:
        """The middle of each level's share, of as many levels as can be shown."""
        return np.asarray(middle_of(evenly(len(self.texts), PLACES), len(self.texts)))

    def shown(self, positions: Array) -> Array:
        """The number of the level."""
        return level_at(positions, len(self.texts))

    def labels(self) -> tuple[tuple[float, str], ...]:
        """The names, of as many levels as can be read."""
        chosen = evenly(len(self.texts), _MOST_LABELS)
        middles = middle_of(chosen, len(self.texts)).tolist()
        return tuple((at, self.texts[level]) for at, level in zip(middles, chosen.tolist(), strict=True))


@dataclass(frozen=True)
class Together(Ruler):
    """Several numbers that go the same part of the way to one or the other end of their ranges."""

    @property
    def plain(self) -> bool:
        """A position says nothing to the user."""
        return False

    def shown(self, positions: Array) -> Array:
        """The positions as they are: no number of the user's stands for all parameters."""
        return positions

    def labels(self) -> tuple[tuple[float, str], ...]:
        """Both ends, and where the search began."""
        return ((-1.0, "one end"), (0.0, "start"), (1.0, "other end"))


def ruler_of(coordinate: Coordinate) -> Ruler:
    """The ruler of a parameter alone."""
    return Names(coordinate.names) if coordinate.names else Numbers(coordinate)


def shared_ruler(levels: int) -> Ruler:
    """The ruler of several parameters that move together: numbers (0 levels), or as many choices each."""
    if levels == 0:
        return Together()
    return Names(("unchanged", "flipped")) if levels == 2 else Names(("unchanged", *_steps(levels)))


def _steps(levels: int) -> Sequence[str]:
    return [f"{step} on" for step in range(1, levels)]
