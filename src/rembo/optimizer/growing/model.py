"""What a restart believes of f: main effects and interactions along the axes, or a function of a few directions.

Both are Gaussian processes over the bins. The one with the higher evidence is in force, by Schwarz's approximation
(BIC): the log likelihood at the most probable hyper-parameters, less log n / 2 for each of them.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Forest
from rembo.gp import Data, Evidence, LogTail, Noise, Posterior, condition_shortening
from rembo.kernel import BESIDES, BoundEffects
from rembo.learning import MOST_NOISE
from rembo.optimizer.additive import EFFECTS, FIRST_NOISE, LENGTH, axes_kernel, most_probable
from rembo.optimizer.growing.directions import Directions, learn_directions
from rembo.optimizer.growing.state import State

_LEAST_NOISE = 1e-8
_STEPS, _FIRST_STEPS = 12, 60  # of L-BFGS, from where the hyper-parameters were, and from the medians of their priors
_FITS, _FEWER = 10, 2  # a fit costs O(n^3) and changes ever less: the next one is due after n / 10 - 2 observations
_AFRESH = 10  # whenever there are so many observations more, directions are learned from a first guess
_HOPELESS = -20.0  # in nats: above this advantage they are learned from where they were, too


@dataclass(frozen=True, eq=False)
class Axes:
    """A process along the axes: its kernel, what it takes for noise, which may be fine structure, and its evidence."""

    kernel: BoundEffects
    noise: float
    log_evidence: float

    @property
    def lengths(self) -> Array:
        """The length scale of each bin, (d,)."""
        return self.kernel.scales[:-BESIDES]

    @property
    def spans(self) -> Array:
        """How far along each bin f changes by a standard deviation of its values, were it a line, (d,).

        A line has a long length scale and a large variance: the length scale alone does not say that nothing changes.
        """
        shorter, _, interactions = self.kernel.scales[-BESIDES:]
        return np.asarray(self.lengths / math.sqrt(self.kernel.each * shorter**2 + interactions))

    def lifted(self, forest: Forest, coarser: Forest) -> Array:
        """The hyper-parameters in a finer forest, whose bins inherit length scales: (d + 4,)."""
        lengths = self.lengths[forest.ancestors(coarser)]
        return np.concatenate([lengths, self.kernel.scales[-BESIDES:], [self.noise]])


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned from the first `seen` observations in the bins of a forest, of values that `tail` draws in.

    `belief` is what follows from these, to be extended by later ones; without it, nothing is extended.
    """

    forest: Forest
    seen: int
    tail: LogTail
    axes: Axes
    directions: Directions | None = None
    belief: Posterior | None = None

    @property
    def advantage(self) -> float:
        """By how much the evidence of the directions is higher, in nats (Schwarz 1978)."""
        if self.directions is None:
            return -math.inf
        more = self.directions.degrees_of_freedom - len(self.axes.kernel.scales) - 1
        return self.directions.log_evidence - self.axes.log_evidence - 0.5 * more * math.log(self.seen)

    @property
    def rotation(self) -> Directions | None:
        """The directions along which f varies, if these are not the axes."""
        return self.directions if self.advantage > 0.0 else None

    @property
    def in_force(self) -> Axes | Directions:
        """What is believed, the directions or the axes: its kernel, its noise, and how far f stays alike."""
        return self.rotation or self.axes


@dataclass(frozen=True)
class Modelling:
    """How models follow from observations: the noise as the user states it, the number of first points, the limit."""

    noise: Noise
    design: int
    most_data: int

    def learned(self, before: Model | None, state: State) -> Model:
        """The model of a state, learned from where it was before, which may have been in a coarser forest."""
        known = self._active(state, state.known)
        tail, axes = max(
            ((tail, self._learn_axes(before, state, known, tail)) for tail in self._tails),
            key=lambda learned: learned[1].log_evidence + learned[0].log_jacobian(known.values),
        )
        directions = None
        if before is not None and self._may_be_rotated(state, known):
            directions = self._learn_directions(before, state, axes, known, tail(known.values))
        model = Model(state.forest, len(state.known), tail, axes, directions)
        return replace(model, belief=self.posterior(state, model))

    def expected(self, state: State) -> Model:
        """The model before anything is known: all hyper-parameters at the medians of their priors."""
        axes = Axes(axes_kernel(state.leaves), self._roughness.low, 0.0)
        return Model(state.forest, len(state.known), self._tails[0], axes)

    def is_due(self, model: Model | None, state: State) -> bool:
        """Whether a model is to be learned again."""
        n = len(state.known)
        return model is None or model.forest != state.forest or n - model.seen >= max(1, n // _FITS - _FEWER)

    def posterior(self, state: State, model: Model) -> Posterior:
        """The belief about f that follows from all observations of a state but those it inherited.

        Later ones than the model saw extend its belief.
        """
        active = self._active(state, state.data)
        values, seen = model.tail(active.values), model.seen - len(state.inherited)
        if model.belief is None or len(active) < len(state.data) or len(model.belief) < seen:
            return condition_shortening(model.in_force.kernel, active.Y, values, model.in_force.noise)
        return model.belief.extend(active.Y[seen:], values[seen:], model.in_force.noise).with_values(values)

    @property
    def _roughness(self) -> Noise:
        """What may be taken for noise."""
        return Noise(max(self.noise.low, _LEAST_NOISE), max(self.noise.high, MOST_NOISE))

    @property
    def _tails(self) -> tuple[LogTail, LogTail]:
        """In which units values may be seen: as wide as the first ones lay, or as those of the whole search do.

        The first sees f as a whole, the second what is left of it where most observations were made.
        """
        return LogTail(least=1.0, design=self.design), LogTail(least=0.0, design=self.design)

    def _learn_axes(self, before: Model | None, state: State, active: Data, tail: LogTail) -> Axes:
        kernel = axes_kernel(state.leaves)
        evidence = Evidence(kernel, kernel.features(active.Y), tail(active.values), self._roughness)
        priors = [*(LENGTH for _ in state.leaves.choices), *EFFECTS]
        if before is None:
            found = most_probable(evidence, priors, None, _FIRST_STEPS)
        else:
            start = before.axes.lifted(state.forest, before.forest)
            if not self.noise.known or _afresh(before, state):
                start[-1] = max(start[-1], FIRST_NOISE)
            found = most_probable(evidence, priors, start, _STEPS)
        return Axes(kernel.with_scales(found[:-1]), float(found[-1]), evidence(found[:-1], float(found[-1])))

    def _learn_directions(
        self, before: Model, state: State, axes: Axes, active: Data, values: Array
    ) -> Directions | None:
        """The most probable directions; those that are hopeless are forgotten until it is time for a first guess."""
        now = None if before.advantage < _HOPELESS else self._lifted(before, state)
        afresh = _afresh(before, state)
        if now is None and not afresh:
            return None
        noise = self._roughness.low if self.noise.known else axes.noise
        return learn_directions(active.Y, values, noise, now, afresh)

    @staticmethod
    def _lifted(before: Model, state: State) -> Directions | None:
        if before.directions is None or before.forest == state.forest:
            return before.directions
        return before.directions.lifted(state.forest.ancestors(before.forest), state.forest.turns(before.forest))

    def _may_be_rotated(self, state: State, known: Data) -> bool:
        """Whether there are numbers enough for directions, and values to tell them by."""
        seen = known.values[~np.isnan(known.values)]
        enough = state.dim >= 3 and len(seen) > self.design
        return bool(enough and state.leaves.continuous.all() and seen.min() < seen.max())

    def _active(self, state: State, data: Data) -> Data:
        """What the model sees of these: all, or up to a limit the nearest to the best and a quarter from farther away.

        Where most were made without a model, f is faster than a model of many observations.
        """
        most = self.most_data // 4 if 2 * state.model_free > len(state.data) else self.most_data
        if len(data) <= most:
            return data
        best = 0 if np.isnan(data.values).all() else int(np.nanargmin(data.values))
        Z = state.leaves(data.Y)
        order = np.argsort(((Z - Z[best]) ** 2).sum(axis=1), kind="stable")
        near, rest = order[: 3 * most // 4], order[3 * most // 4 :]
        kept = np.sort(np.append(near, rest[np.linspace(0, len(rest) - 1, most - len(near)).astype(int)]))
        return Data(data.Y[kept], data.values[kept])


def _afresh(before: Model, state: State) -> bool:
    """Whether it is time not to trust what was learned before."""
    return len(state.known) // _AFRESH > before.seen // _AFRESH
