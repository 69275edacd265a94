"""The second part of a method card: what speaks for few directions that matter, and for the model that says so.

f(A y) varies along as many directions of y as f does of x, if the embedding has as many: where the model's gradients
span fewer directions than d, d was large enough. What lies outside the embedding no model of it can see.
"""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array
from rembo.optimizer.descent import Descent
from rembo.optimizer.state import State
from rembo.plot.data.calibration import Calibration, calibration
from rembo.plot.data.card.entry import Entry, percent
from rembo.plot.data.model import Model, model_of, modeller_of
from rembo.plot.data.search import Search

_EXPLAINED = 0.95  # of the mean squared gradient
_RESPONSIBLE = 0.9  # of f's variation
_PLACES = 256


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a model says of itself and of f: its calibration, and along how many directions of y it varies."""

    model: Model
    calibration: Calibration
    directions: int
    state: State | None  # of a growing search
    dense: bool


def evidence(search: Search) -> Evidence:
    """What the run that found the best value has learned."""
    model = model_of(search)
    _, modeller = modeller_of(search)
    state = modeller.state if isinstance(modeller, Descent) else None
    dense = isinstance(modeller, Descent) and modeller.dense(modeller.state)
    return Evidence(model, calibration(model.posterior), directions(model), state, dense)


def directions(model: Model) -> int:
    """How many directions of y explain 95 % of the model's squared gradients over its region."""
    Y = model.region.sobol(_PLACES, np.random.default_rng(0))
    G = model.posterior(Y).gradient(np.ones(_PLACES), np.zeros(_PLACES))
    squares = np.maximum(np.linalg.eigvalsh(G.T @ G)[::-1], 0.0)
    if not squares.any():
        return 0
    return int(np.count_nonzero(np.cumsum(squares) / squares.sum() < _EXPLAINED)) + 1


def entries(found: Evidence) -> list[Entry]:
    """The evidence in words."""
    d, fit = found.model.region.dim, found.calibration
    spans = "of the squared gradients of the model; fewer than there are say that d was large enough"
    predicts = f"of the variance of {len(fit.observed):,} values is predicted when each is left out in turn"
    covers = "of the values lie in intervals that should hold 95 %"
    return [
        Entry("Directions", f"{found.directions} of {d} explain 95 %", spans),
        *([] if found.state is None else _of_bins(found.state)),
        Entry("Predictions", percent(fit.explained), predicts),
        Entry("Intervals", percent(fit.covered), covers),
    ]


def _of_bins(state: State) -> list[Entry]:
    share, sizes = state.variation, state.forest.sizes
    order = np.argsort(-share, kind="stable")
    count = _needed(share[order])
    held = int(sizes[order[:count]].sum())
    bins = Entry(
        "Parameters held responsible",
        f"{held:,} of {state.forest.ambient_dim:,}",
        f"those of the {count} of {len(share)} bins that hold 90 % of the variation: at most so many matter much",
    )
    if state.rotation is None:
        return [bins]
    rotated = (
        f"{state.rotation.frame[0].shape[1]} across the bins, by {state.advantage:.1f} nats more probable than the axes"
    )
    return [bins, Entry("Subspace", rotated, "f varies along few directions that are not parameters")]


def _needed(shares: Array) -> int:
    """How many of the largest shares, in falling order, make up 90 %."""
    return int(np.count_nonzero(np.cumsum(shares) < _RESPONSIBLE)) + 1
