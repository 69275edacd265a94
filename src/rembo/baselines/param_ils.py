"""ParamILS: iterated local search over configurations (Hutter, Hoos, Leyton-Brown and Stuetzle 2009; Section 4.3).

BasicILS on a single instance: the best of a few configurations is improved by one change at a time until no change
improves it; then three random changes are made and it is improved again; the better of the two local optima is kept.
Different from the publication: what is known already is not asked again while something else is left to ask; and
after a restart the random configuration is improved as it is, without being perturbed first.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Any, TypeAlias

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import IdentityEmbedding, Point
from rembo.optimizer.optimizer import Optimizer, Suggestion, around, as_point, stream
from rembo.optimizer.trial import Trial
from rembo.space import Domain, DomainLike, Integer, Parameter, parts_of

Configuration: TypeAlias = tuple[int, ...]
Move: TypeAlias = tuple[int, int]

FLOAT_VALUES = 7
MOST_INTEGERS = 16
MOST_DIMENSIONS = 2_000
ASIDES = 20
MOST_STEPS = 100  # in a row through configurations that are known already, as all are in a small space in the end


class ParamILS(Optimizer):
    """Iterated first-improvement search in the one-exchange neighbourhood.

    Real numbers take 7 values, evenly spaced from low to high; whole numbers all, or 16 evenly spaced ones where there
    are more; with log=True they are evenly spaced in the logarithm. First come `default`, if there is one, and
    `initial` random configurations; `strength` random changes perturb a local optimum; with probability `restart` the
    search begins anew at a random configuration. A failed trial is worse than every other.
    """

    def __init__(
        self,
        space: DomainLike,
        *,
        default: Any = None,
        initial: int = 10,
        strength: int = 3,
        restart: float = 0.01,
        seed: int | None = None,
    ) -> None:
        super().__init__(space, seed)
        if self.space.size > MOST_DIMENSIONS:
            raise ValueError(f"ParamILS in {self.space.size} dimensions is more than {MOST_DIMENSIONS}: use Rembo")
        if not 0.0 <= restart <= 1.0:
            raise ValueError(f"restart {restart} is a probability: it must lie between 0 and 1")
        self._search = LocalSearch(grid_of(self.space), check_whole(strength, "strength", 1), restart, self.seed)
        self._first = self._search.first(check_whole(initial, "initial", 1), default=self._placed(default))
        self._known: dict[Configuration, float] = {}
        self._climb: Climb | None = None
        self._given = {"default": default, "initial": initial, "strength": strength, "restart": restart}

    @property
    def settings(self) -> dict[str, Any]:
        """All as it was given."""
        return dict(self._given)

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        busy = self._configurations(pending)
        fresh = (wanted for wanted in self._wanted(turn) if wanted not in self._known and wanted not in busy)
        chosen = next(fresh, None) or next(self._asides(turn))
        return self._suggestion(chosen)

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        places = (self._search.grid.nearest(near.point.y) for near in around(best, self.space.size, rng))
        chosen = next((place for place in islice(places, ASIDES) if place not in self._known), None)
        return self._suggestion(chosen or self._search.grid.draw(rng))

    def _observe(self, trial: Trial) -> None:
        self._known[self._configuration(trial)] = np.inf if trial.value is None else trial.value
        if self._climb is None and len(self._known) >= len(self._first):
            self._climb = self._search.begin(min(self._known, key=self._known.__getitem__))
        if self._climb is not None:
            self._climb = self._search.advance(self._climb, self._known, self._configurations(self.pending))

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space))

    def _suggestion(self, configuration: Configuration) -> Suggestion:
        return Suggestion(Point(IdentityEmbedding(self.space.size), self._search.grid.place(configuration)))

    def _wanted(self, turn: int) -> Iterator[Configuration]:
        """What the search needs to know next, the most urgent first; then what does not hurt to know."""
        needed = self._first if self._climb is None else (self._climb.at, *self._climb.neighbours())
        return chain(needed, self._asides(turn))

    def _asides(self, turn: int) -> Iterator[Configuration]:
        return self._search.asides(self._first[0] if self._climb is None else self._climb.at, turn)

    def _configuration(self, trial: Trial) -> Configuration:
        return self._search.grid.nearest(np.asarray(trial.point))

    def _configurations(self, trials: Sequence[Trial]) -> set[Configuration]:
        return {self._configuration(trial) for trial in trials}

    def _placed(self, default: Any) -> Configuration | None:
        return None if default is None else self._search.grid.nearest(self.space.encode(default))


@dataclass(frozen=True, eq=False)
class Grid:
    """The values that each coordinate may take, as positions in [-1,1], (D, m), each row filled up with infinity."""

    positions: Array

    def nearest(self, x: Array) -> Configuration:
        """The numbers of the values nearest to x, (D,)."""
        return tuple(np.abs(self.positions - x[:, None]).argmin(axis=1).tolist())

    def place(self, configuration: Configuration) -> Array:
        """The position in [-1,1]^D, (D,)."""
        return np.asarray(self.positions[np.arange(len(configuration)), configuration])

    def draw(self, rng: np.random.Generator) -> Configuration:
        """A random configuration."""
        return tuple(rng.integers(np.isfinite(self.positions).sum(axis=1)).tolist())

    def moves(self, configuration: Configuration, rng: np.random.Generator) -> tuple[Move, ...]:
        """All changes of one coordinate, in random order."""
        possible = np.isfinite(self.positions)
        possible[np.arange(len(configuration)), configuration] = False
        return tuple((int(i), int(level)) for i, level in rng.permutation(np.argwhere(possible)))


@dataclass(frozen=True)
class Climb:
    """Where a local search stands, the changes it tries, in order, and the best local optimum since a restart."""

    at: Configuration
    moves: tuple[Move, ...]
    incumbent: Configuration | None
    steps: int

    def neighbours(self) -> Iterator[Configuration]:
        """The configurations one change away, in the order in which they are tried."""
        return (changed(self.at, move) for move in self.moves)


@dataclass(frozen=True, eq=False)
class LocalSearch:
    """ParamILS's rules: its steps are functions of what is known of f, its randomness of (seed, number of steps)."""

    grid: Grid
    strength: int
    restart: float
    seed: int

    def first(self, number: int, default: Configuration | None) -> tuple[Configuration, ...]:
        """The default and so many random configurations, each once."""
        rng = stream(self.seed, 0)
        drawn = [self.grid.draw(rng) for _ in range(number)]
        return tuple(dict.fromkeys(drawn if default is None else [default, *drawn]))

    def begin(self, at: Configuration) -> Climb:
        """The first local search."""
        return Climb(at, self.grid.moves(at, stream(self.seed, 1, 0)), None, 0)

    def asides(self, at: Configuration, turn: int) -> Iterator[Configuration]:
        """What can be asked when all that the search needs is pending or known: a perturbation, random ones."""
        rng = stream(self.seed, 2, turn)
        yield self._perturbed(at, rng)
        yield from (self.grid.draw(rng) for _ in range(ASIDES))

    def advance(self, climb: Climb, known: Mapping[Configuration, float], pending: Set[Configuration]) -> Climb:
        """Follow the search as far as values are known; a better neighbour does not wait for pending ones before it."""
        for _ in range(MOST_STEPS):
            if climb.at not in known:
                return climb
            asked = takewhile(lambda place: place in known or place in pending, climb.neighbours())
            improved = next((place for place in asked if known.get(place, np.inf) < known[climb.at]), None)
            if improved is not None:
                climb = self._moved(climb, improved)
            elif all(place in known for place in climb.neighbours()):
                climb = self._iterated(climb, known)
            else:
                return climb
        return climb

    def _moved(self, climb: Climb, at: Configuration) -> Climb:
        steps = climb.steps + 1
        return Climb(at, self.grid.moves(at, stream(self.seed, 1, steps)), climb.incumbent, steps)

    def _iterated(self, climb: Climb, known: Mapping[Configuration, float]) -> Climb:
        """A local optimum: keep the better of it and the last one, then perturb that, or begin anew."""
        optima = [climb.at] if climb.incumbent is None else [climb.at, climb.incumbent]
        incumbent = min(optima, key=known.__getitem__)  # the new one if they are equally good
        rng = stream(self.seed, 3, climb.steps)
        if rng.random() < self.restart:
            return self._moved(replace(climb, incumbent=None), self.grid.draw(rng))
        return self._moved(replace(climb, incumbent=incumbent), self._perturbed(incumbent, rng))

    def _perturbed(self, configuration: Configuration, rng: np.random.Generator) -> Configuration:
        for _ in range(self.strength):
            configuration = changed(configuration, self.grid.moves(configuration, rng)[0])
        return configuration


def changed(configuration: Configuration, move: Move) -> Configuration:
    """The configuration with one coordinate set to another value."""
    coordinate, level = move
    return (*configuration[:coordinate], level, *configuration[coordinate + 1 :])


def grid_of(space: Domain) -> Grid:
    """The values that ParamILS tries, for each coordinate of the space."""
    rows = [row for part in parts_of(space) for row in [values_of(part.parameter)] * part.parameter.size]
    positions = np.full((len(rows), max(map(len, rows))), np.inf)
    for filled, row in zip(positions, rows, strict=True):
        filled[: len(row)] = row
    return Grid(positions)


def values_of(parameter: Parameter) -> Array:
    """The positions in [-1,1] of the values that are tried."""
    if parameter.levels == 0:
        return np.linspace(-1.0, 1.0, FLOAT_VALUES)
    if not isinstance(parameter, Integer):
        return parameter.snap(np.linspace(-1.0, 1.0, parameter.levels))
    if parameter.levels > MOST_INTEGERS:
        return np.unique(parameter.snap(np.linspace(-1.0, 1.0, MOST_INTEGERS)))
    return np.array([parameter.position(value) for value in range(parameter.low, parameter.high + 1)])
