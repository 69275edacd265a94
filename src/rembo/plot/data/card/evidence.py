"""The second part of a method card: what speaks for few directions that matter, and for the model that says so.

A growing search has a length scale for each bin, and so can tell along how many directions f varies. A run of Rembo
cannot: with one length scale for all, the gradients of its model span all d directions whatever f does (measured: of
four, 95 % take four, be it that one or four matter), and what lies outside its subspace it does not see. There it is
the runs that tell, each in a subspace of its own.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.optimizer.growing import Restart
from rembo.plot.data.calibration import Calibration, calibration
from rembo.plot.data.card.entry import Entry, number, percent
from rembo.plot.data.card.matters import Matters, entry
from rembo.plot.data.history import courses_by_run
from rembo.plot.data.importance import growing_of, importances
from rembo.plot.data.model import Model, model_of, modeller_of
from rembo.plot.data.search import Search

_EXPLAINED = 0.95  # of the mean squared gradient
_PLACES = 256


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the run with the best value has learned: its model, how well that predicts, and its bins, if it has any.

    A growing search has a restart, and with two values or more it says how many parameters matter.
    """

    model: Model
    calibration: Calibration
    restart: Restart | None
    matters: Matters | None


def evidence(search: Search) -> Evidence:
    """What the run that found the best value has learned."""
    model = model_of(search)
    _, modeller = modeller_of(search)
    restart = modeller if isinstance(modeller, Restart) else None
    counted = restart is not None and growing_of(search.optimizer).informed
    matters = Matters.counted(importances(search)) if counted else None
    return Evidence(model, calibration(model.posterior), restart, matters)


def directions(model: Model) -> int:
    """How many directions of y explain 95 % of the model's squared gradients over its region.

    None do if the model is flat, or knows switches and other categoricals alone: there it has steps and no gradients.
    """
    Y = model.region.sobol(_PLACES, np.random.default_rng(0))
    G = model.posterior(Y).gradient(np.ones(_PLACES), np.zeros(_PLACES))
    squares = np.maximum(np.linalg.eigvalsh(G.T @ G)[::-1], 0.0)
    return _needed(squares / squares.sum()) if squares.any() else 0


def entries(search: Search, found: Evidence) -> list[Entry]:
    """The evidence in words."""
    fit = found.calibration
    predicts = f"of the variance of {len(fit.observed):,} values is predicted when each is left out in turn"
    return [
        *(_of_runs(search) if found.restart is None else _of_bins(found, found.restart)),
        Entry("Predictions", percent(fit.explained), predicts),
        Entry("Intervals", percent(fit.covered), "of the values lie in intervals that should hold 95 %"),
    ]


def _of_runs(search: Search) -> list[Entry]:
    best = [float(run.best[-1]) for run in courses_by_run(search) if not np.isnan(run.best[-1])]
    if len(best) < 2:
        return [Entry("Directions", "unknown", "one run sees one subspace only: runs= of several would tell more")]
    spread = f"{number(min(best))} to {number(max(best))}"
    return [Entry("Best value of each run", spread, "alike if each subspace holds an optimum: d is large enough")]


def _of_bins(found: Evidence, restart: Restart) -> list[Entry]:
    return [
        *_of_directions(directions(found.model), restart.catch_up().dim),
        entry(found.matters),
        *_of_subspace(restart),
    ]


def _of_directions(count: int, of: int) -> list[Entry]:
    if not count:
        return []
    return [Entry("Directions", f"{count} of {of}", "explain 95 % of the squared gradients of the model over all bins")]


def _of_subspace(restart: Restart) -> list[Entry]:
    model = restart.model()
    if model.rotation is None:
        return []
    probable = f"{model.advantage:.1f} nats more probable than a function of few parameters"
    return [Entry("Subspace", f"of {model.rotation.frame[0].shape[1]} dimensions, across the bins", probable)]


def _needed(shares: Array) -> int:
    """How many of some shares, in falling order, explain enough of all."""
    return int(np.count_nonzero(np.cumsum(shares) < _EXPLAINED)) + 1
