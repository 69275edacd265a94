"""The default with one of its mechanisms taken away, for `ablate.py`: a constant changed, or a part replaced."""

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

import rembo
from harness.methods.method import Objective
from rembo.arrays import Array
from rembo.gp import LogTail, Standardized
from rembo.learning import Prior
from rembo.maximizer import Maximum
from rembo.optimizer import additive
from rembo.optimizer.growing import model, restart
from rembo.optimizer.growing.lens import Lens
from rembo.optimizer.growing.splitting import Splitting
from rembo.optimizer.optimizer import Suggestion, derived_seed
from rembo.space import Domain


@dataclass(frozen=True)
class Replacement:
    """An attribute of a module or class, and what stands in its place during a search."""

    owner: Any
    name: str
    value: Any


def anywhere(first: restart.Restart) -> bool:
    """The mechanism may act on every space."""
    return True


def among_numbers(first: restart.Restart) -> bool:
    """It acts where there are numbers, whole or not."""
    return not first.catch_up().only_choices


def among_few_numbers(first: restart.Restart) -> bool:
    """It acts where there are numbers, each in a bin of its own from the start."""
    return among_numbers(first) and bool((first.forest.sizes[first.forest.choices == 0] == 1).all())


def among_real_numbers(first: restart.Restart) -> bool:
    """It acts where every bin takes any number."""
    return bool(first.catch_up().leaves.continuous.all())


def among_categoricals(first: restart.Restart) -> bool:
    """It acts where there is a categorical."""
    return any(first.forest.layout.kinds)


def in_shared_bins(first: restart.Restart) -> bool:
    """It acts where bins hold several parameters."""
    return bool((first.forest.sizes > 1).any())


@dataclass(frozen=True)
class Ablated:
    """The default with other constants, and with parts replaced while it searches.

    `acts` says by the first restart of a search whether what is taken away may act in it: elsewhere the search would be
    the default's own, to the bit, and is not run.
    """

    constants: dict[str, float] = field(default_factory=dict)
    replaced: Callable[[], Sequence[Replacement]] = tuple
    acts: Callable[[restart.Restart], bool] = anywhere
    packages: tuple[str, ...] = ("rembo", "numpy", "scipy")

    def serves(self, space: Domain) -> bool:
        """The spaces on which the mechanism may act."""
        return self.acts(rembo.Growing(space, seed=0).restarts[0])

    def minimize(self, f: Objective, space: Domain, n_trials: int, seed: int) -> None:
        """Ask, evaluate, tell."""
        with ExitStack() as stack:
            for part in self.replaced():
                stack.enter_context(patch.object(part.owner, part.name, part.value))
            optimizer = rembo.Growing(space, growth=rembo.Growth(**self.constants), seed=seed)  # type: ignore[arg-type]
            for _ in range(n_trials):
                trial = optimizer.ask()
                optimizer.tell(trial, f(trial.x))


def no_polishing() -> Sequence[Replacement]:
    """No polishing step is worth it."""
    return [Replacement(restart.Restart, "_step", lambda self, state, model: None)]


def no_exploration() -> Sequence[Replacement]:
    """The whole region is looked at only where another restart would not help."""
    exhausted = restart.Restart._exhausted
    return [Replacement(restart.Restart, "_exhausted", lambda self, now, found: exhausted(self, now, _NOTHING))]


def no_coin() -> Sequence[Replacement]:
    """Polishing follows improvements alone; the coin is tossed in vain."""
    return [Replacement(restart.Restart, "_polish", _polish_after_improvements)]


def no_growth() -> Sequence[Replacement]:
    """No bin is ever split."""
    return [Replacement(Splitting, "finer", lambda self, model: None)]


def no_resolution() -> Sequence[Replacement]:
    """Where parameters are few, bins are split as where they are many."""
    return [Replacement(Splitting, "_few", lambda self, model: False)]


def no_spans() -> Sequence[Replacement]:
    """What matters is told by length scales alone."""
    return [Replacement(model.Axes, "spans", model.Axes.lengths)]


def no_directions() -> Sequence[Replacement]:
    """Functions of few directions are modelled along the axes."""
    return [Replacement(model.Modelling, "_may_be_rotated", lambda self, state, known: False)]


def no_main_effects() -> Sequence[Replacement]:
    """The variance of main effects is next to nothing."""
    shorter, _, interactions = additive.EFFECTS
    without = shorter, Prior(1e-6, 1.0, 9e-7, 1.1e-6), interactions
    return [Replacement(module, "EFFECTS", without) for module in (additive, model)]


def no_tail() -> Sequence[Replacement]:
    """Values are standardised, and those above the median are not drawn in."""
    return [Replacement(model.Modelling, "_tails", (_NoTail(),))]


def no_change_of_units() -> Sequence[Replacement]:
    """Values are drawn in by the width of the first ones, throughout the search."""
    return [Replacement(model.Modelling, "_tails", property(lambda self: (LogTail(1.0, self.design),)))]


def no_inheritance() -> Sequence[Replacement]:
    """Every restart begins in a new forest, and knows nothing."""
    return [Replacement(rembo.Growing, "_begun", _afresh)]


def no_guests() -> Sequence[Replacement]:
    """The best restart does nothing in the turn of another."""
    return [Replacement(restart.Restart, "polish", lambda self, pending, rng: None)]


def no_mutation() -> Sequence[Replacement]:
    """The model is used whatever it explains."""
    return [Replacement(restart.Restart, "_mutate", lambda self, now: None)]


def no_density() -> Sequence[Replacement]:
    """A quarter of the bins is split at a time, and 64 are the most, also where f varies with all of them."""
    return [Replacement(Splitting, "dense", lambda self, model: False)]


def no_polishing_of_all() -> Sequence[Replacement]:
    """Polishing moves the numbers that matter to the model, and never the others."""
    return [Replacement(restart, "Lens", lambda relevant, whole: Lens(relevant))]


def no_restarts() -> Sequence[Replacement]:
    """No restart is ever exhausted, and none stalls."""
    return [
        Replacement(restart.Restart, "_exhausted", lambda self, now, found: False),
        Replacement(rembo.Growing, "_stalled", lambda self, number: False),
    ]


_NOTHING = Maximum(np.zeros(0), -math.inf)


@dataclass(frozen=True)
class _NoTail(Standardized):
    """Standardised values, as one of several ways to see them."""

    def log_jacobian(self, raw: Array) -> float:
        """Of no interest, as there is no other."""
        return 0.0


_polish = restart.Restart._polish


def _polish_after_improvements(self: restart.Restart, now: restart.Situation) -> Suggestion | None:
    step = _polish(self, now)
    return step if now.state.polish_next else None


def _afresh(self: rembo.Growing, number: int, asked: Any = None) -> restart.Restart:
    seed = derived_seed(self.seed, number)
    return restart.Restart(self.space, self._planted(seed), self.growth, self.noise, seed)
