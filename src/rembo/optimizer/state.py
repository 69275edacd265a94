"""What a descent knows: its forest, its observations, and the model that explains them.

f is modelled along the axes, by main effects and an interaction, or along a few directions, whichever explains the
values better. Everything here is a function of what was told.
"""

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Forest
from rembo.gp import Data, Posterior, Values, condition_shortening, telling
from rembo.kernel import BESIDES, BoundEffects, BoundKernel, Leaves
from rembo.learning import Hyperparameters, LengthScale, Prior
from rembo.optimizer.directions import Directions
from rembo.optimizer.trust_region import TrustRegion

MEDIAN_SCALE = 2.0
EXPECTED_EFFECTS = (  # of main effects: how much shorter their scales are, their variance, and the remainder's
    Prior(2.7, 1.0, 0.5, 50.0),
    Prior(0.5, 2.0, 1e-3, 100.0),
    Prior(0.5, 2.0, 1e-3, 100.0),
)


@dataclass(frozen=True, eq=False)
class State:
    """What a descent has learned from the values told so far.

    `learned` are the scales along the axes. The directions are in force if they have the advantage: the difference of
    the two models' log posteriors, less a price for the numbers that had to be learned.
    """

    forest: Forest
    leaves: Leaves
    data: Data
    learned: Hyperparameters
    directions: Directions | None = None
    advantage: float = -math.inf
    trust: TrustRegion = field(default_factory=TrustRegion)
    since_growth: int = 0
    since_progress: int = 0
    since_learning: int = 0
    hurried: int = 0

    @property
    def rotation(self) -> Directions | None:
        """The directions along which f varies, if these are not the axes."""
        return self.directions if self.advantage > 0.0 else None

    @property
    def kernel(self) -> BoundKernel:
        """The covariance of the model in force."""
        return self.axes if self.rotation is None else self.rotation.kernel

    @property
    def axes(self) -> BoundEffects:
        """The covariance of the model along the axes."""
        return axes_kernel(self.leaves).with_scales(self.learned.scales)

    @property
    def noise(self) -> float:
        """The noise of the model in force: what it takes for noise, be it that or fine structure."""
        return self.learned.noise if self.rotation is None else self.rotation.noise

    @property
    def extents(self) -> Array:
        """How far f stays alike along each axis, (d,)."""
        return self.lengths if self.rotation is None else self.rotation.extents

    @property
    def lengths(self) -> Array:
        """The length scale of each leaf along the axes, (d,)."""
        return self.learned.scales[:-BESIDES]

    @property
    def successes(self) -> int:
        """How many evaluations gave a value."""
        return int(np.count_nonzero(~np.isnan(self.data.values)))

    @property
    def told(self) -> Array:
        """The values that say more than that a place is bad."""
        return self.data.values[telling(self.data.values)]

    @property
    def best(self) -> float:
        """The lowest value, infinite if there is none."""
        return float(np.nanmin(self.data.values)) if self.successes else math.inf

    @property
    def spread(self) -> float:
        """From the best value to the median of those that tell; quarters are subtracted, so that nothing overflows."""
        told = self.told
        return 4.0 * float(np.median(told / 4.0) - told.min() / 4.0) if len(told) else 0.0

    @property
    def succeeded(self) -> bool:
        """Whether the last value told is the best."""
        return bool(self.data.values[-1] <= self.best)

    def improved_by(self, value: float, part: float) -> bool:
        """Whether a value beats the best by this part of the way from there to the median; a failure, NaN, does not."""
        if math.isnan(value):
            return False
        return self.successes == 0 or value / 4.0 < self.best / 4.0 - part * self.spread / 4.0

    def active(self, most: int) -> Data:
        """What the model sees: all, or up to a limit the nearest to the best and a quarter from farther away."""
        if len(self.data) <= most:
            return self.data
        best = int(np.nanargmin(self.data.values)) if self.successes else 0
        Z = self.leaves(self.data.Y) / self.lengths[self.leaves.groups]
        order = np.argsort(((Z - Z[best]) ** 2).sum(axis=1), kind="stable")
        near, rest = order[: 3 * most // 4], order[3 * most // 4 :]
        kept = np.sort(np.append(near, rest[np.linspace(0, len(rest) - 1, most - len(near)).astype(int)]))
        return Data(self.data.Y[kept], self.data.values[kept])

    def refined(self, forest: Forest, leaves: Leaves) -> "State":
        """The same observations in a finer forest; its leaves inherit values and length scales."""
        ancestors = forest.ancestors(self.forest)
        return replace(
            self,
            forest=forest,
            leaves=leaves,
            data=Data(leaves.snap(forest.lift(self.data.Y, self.forest)), self.data.values),
            learned=replace(
                self.learned, scale=LengthScale(np.append(self.lengths[ancestors], self.learned.scales[-BESIDES:]))
            ),
            directions=self.directions and self.directions.lifted(ancestors, forest.turns(self.forest)),
            trust=TrustRegion(),
            since_growth=0,
        )


@lru_cache(maxsize=1)
def belief(state: State, values: Values, most_data: int) -> Posterior:
    """The belief about f in a state, from so many observations at most; an ask needs it several times."""
    active = state.active(most_data)
    return condition_shortening(state.kernel, active.Y, values(active.values), state.noise)


def axes_kernel(leaves: Leaves) -> BoundEffects:
    """Main effects of the leaves and an interaction, with the scales that are expected before anything is seen."""
    scales = np.append(np.full(len(leaves.choices), MEDIAN_SCALE), [prior.median for prior in EXPECTED_EFFECTS])
    return BoundEffects(leaves, scales, leaves.groups, leaves.choices > 0, leaves.coded)
