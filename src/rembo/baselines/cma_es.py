"""CMA-ES on the box (Hansen and Ostermeier 2001), from the package cmaes, one trial at a time.

The cube [-1,1]^D is searched from its centre. A discrete coordinate has the package's margin (Hamano, Saito, Nomura and
Shirakawa 2022), which keeps every level within reach; the choices of a category are taken in their order. In many
dimensions the covariance is diagonal (Ros and Hansen 2008), and levels are rounded to.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.baselines.foreign import check_repeated, check_size, tamed
from rembo.border import is_finite
from rembo.embedding import IdentityEmbedding, Point
from rembo.optimizer.optimizer import Optimizer, Suggestion, as_point, derived_seed, stream
from rembo.optimizer.trial import Origin, Trial
from rembo.space import Domain, DomainLike, Integer, Parameter, parts_of

MOST_DIMENSIONS = 1_000_000
SEPARABLE_ABOVE = 200
MOST_LEVELS = 1_000


class CMAES(Optimizer):
    """CMA-ES with the package's population size, started with spread `sigma`, restarted at random points.

    A generation is complete when as many of its trials are told as the population has; a failed one counts as the
    worst of them. Those of its trials that are told later are not used, nor are points of your own.
    """

    def __init__(self, space: DomainLike, *, sigma: float = 0.3, seed: int | None = None) -> None:
        super().__init__(space, seed)
        check_size(self.space, "CMAES", MOST_DIMENSIONS)
        if not is_finite(sigma) or sigma <= 0.0:
            raise ValueError(f"sigma {sigma} must be a number above 0: 0.3 is a seventh of the box")
        self._sigma = float(sigma)
        self._starts = 0
        self._evolution = self._start(np.zeros(self.space.size))
        self._drawn: dict[int, Array] = {}
        self._generation: list[tuple[Array, float | None]] = []

    @property
    def settings(self) -> dict[str, Any]:
        """The first spread."""
        return {"sigma": self._sigma}

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        asked = self._evolution.ask()
        u, drawn = asked if isinstance(asked, tuple) else (asked, asked)
        self._drawn[len(self.trials)] = drawn  # the number that the trial is about to get
        return Suggestion(Point(IdentityEmbedding(self.space.size), u[: self.space.size]))

    def _observe(self, trial: Trial) -> None:
        drawn = self._drawn.pop(trial.number, None)
        if drawn is None:
            return
        self._generation.append((drawn, trial.value))
        if len(self._generation) == self._evolution.population_size:
            self._evolve()

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space))

    def _recalled(self, turn: int, suggestion: Suggestion) -> None:
        if suggestion.origin is not Origin.GIVEN:  # in a hurry it asks as always
            check_repeated(self._suggest(turn, self.pending), suggestion)

    def _evolve(self) -> None:
        """The next generation; one of failures alone says nothing, and is drawn again."""
        values = [value for _, value in self._generation if value is not None]
        if values:
            self._evolution.tell([(u, tamed(max(values) if f is None else f)) for u, f in self._generation])
        self._generation, self._drawn = [], {}
        if self._evolution.should_stop():
            self._evolution = self._start(stream(self.seed, 0, self._starts).uniform(-1.0, 1.0, self.space.size))

    def _start(self, mean: Array) -> Any:
        """The package's own strategy; before 0.12 it wants two dimensions: a line gets one that f does not see."""
        import cmaes

        self._starts += 1
        seed = derived_seed(self.seed, 1, self._starts) % 2**31
        steps = np.append(_steps(self.space), np.zeros(int(self.space.size == 1)))
        bounds = np.stack([steps / 2.0 - 1.0, 1.0 - steps / 2.0], axis=1)  # from the first level to the last
        start = np.clip(np.resize(mean, len(steps)), *bounds.T)
        if len(steps) > SEPARABLE_ABOVE:
            return cmaes.SepCMA(start, self._sigma, bounds, seed=seed)
        return cmaes.CMAwM(start, self._sigma, bounds, steps, seed=seed)


def _steps(space: Domain) -> Array:
    """How far apart the levels of each coordinate lie, (D,); 0 for a continuum."""
    return np.concatenate([np.full(part.parameter.size, _step(part.parameter)) for part in parts_of(space)])


def _step(parameter: Parameter) -> float:
    """The distance of neighbouring levels; 0 where they are so many, or so uneven, that they are rounded to."""
    uneven = isinstance(parameter, Integer) and parameter.log
    return 0.0 if uneven or not 0 < parameter.levels <= MOST_LEVELS else 2.0 / parameter.levels
