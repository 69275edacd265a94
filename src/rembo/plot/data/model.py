"""What an optimizer believes of f, whichever of them it is: a posterior over a region of y, run by run.

Pictures of the model are in the units that the Gaussian process sees: standard deviations of the values, low is good.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Forest, Point, Region, Source
from rembo.gp import Posterior
from rembo.optimizer import Growing, Interleaved, Optimizer
from rembo.optimizer.growing import Restart
from rembo.optimizer.rembo import EmbeddedSearch, Run
from rembo.plot.data.search import Search
from rembo.space import Domain

Modeller: TypeAlias = Run | Restart


@dataclass(frozen=True, eq=False)
class Model:
    """The belief of one run about f over its region, and the embedding that makes points of the space of y."""

    run: int
    space: Domain
    embedding: Source
    region: Region
    projected: bool
    posterior: Posterior

    @property
    def best_at(self) -> Array:
        """The best point seen, (d,); under noise the one with the best posterior mean."""
        return np.asarray(self.posterior.Y[int(np.argmin(self.posterior.fitted))])

    @property
    def best(self) -> float:
        """The belief about f there: what an improvement must be better than."""
        return float(self.posterior.fitted.min())

    def point(self, y: Array) -> Point:
        """The point of [-1,1]^D that y, (d,), stands for."""
        return Point(self.embedding, y, projected=self.projected)


def modellers(optimizer: Optimizer) -> dict[int, Modeller]:
    """Who models f, by the number that a trial has for its `run`; nobody where an optimizer has no such model."""
    if isinstance(optimizer, EmbeddedSearch):
        return dict(enumerate(optimizer.runs))
    if isinstance(optimizer, Growing):
        return dict(enumerate(optimizer.restarts))
    if isinstance(optimizer, Interleaved):
        k = len(optimizer.runs)
        ours = [(number, modellers(run)) for number, run in enumerate(optimizer.runs)]
        return {theirs * k + number: modeller for number, by_run in ours for theirs, modeller in by_run.items()}
    return {}


def modeller_of(search: Search, run: int | None = None) -> tuple[int, Modeller]:
    """The run of this number and who models f there; without a number the run that found the best value."""
    number, known = search.best.run if run is None else run, modellers(search.optimizer)
    if not known:
        raise ValueError(
            f"{type(search.optimizer).__name__} has no model of f to draw: Rembo, BayesOpt and Growing have"
        )
    if number not in known:
        raise ValueError(f"{search.name!r} has no model for run {number!r}: it has one for {_listed(sorted(known))}")
    return number, known[number]


def model_of(search: Search, run: int | None = None) -> Model:
    """What a run believes, by default the one that found the best value."""
    number, modeller = modeller_of(search, run)
    model = (
        _of_restart(number, modeller)
        if isinstance(modeller, Restart)
        else _of_run(number, modeller, search.optimizer.space)
    )
    if len(model.posterior) == 0:
        raise ValueError(f"run {number} of {search.name!r} was told nothing yet: there is no belief to draw")
    return model


def _of_restart(number: int, restart: Restart) -> Model:
    forest: Forest = restart.catch_up().forest
    return Model(number, restart.space, forest, forest.region, True, restart.posterior())


def _of_run(number: int, run: Run, space: Domain) -> Model:
    return Model(number, space, run.embedding, run.region, run.parts.projection, run.state.posterior)


def _listed(numbers: list[int]) -> str:
    return f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
