"""Growing: a search that needs neither d nor k, because its embedding grows where the function turns out to vary.

It starts with few bins, each shared by many coordinates (`TreeEmbedding`), and models f over the bins with a Gaussian
process that has a length scale for each. Expected improvement is maximised within a trust region around the best point.
When nothing more is expected there, the bins with the shortest length scales, the ones that f varies with, are split:
coordinates that were tied together come apart, and every observation stays valid. Every fourth trial, and when there is
nothing left to split, the whole region is searched instead. Nothing costs D. docs/growing.md tells it with numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rembo.acquisition import LogExpectedImprovement
from rembo.arrays import Array, Indices
from rembo.border import check_whole
from rembo.embedding import LARGEST_ARRAY, Point, Region, TreeEmbedding, Window
from rembo.gp import Data, Evidence, LogTail, Posterior, Values, condition_shortening
from rembo.kernel import BoundKernel, Matern52
from rembo.learning import Hyperparameters, LengthScale, MaximumAPosteriori
from rembo.maximizer import Ascent, Maximum, SparseAscent
from rembo.maximizer.maximizer import higher
from rembo.optimizer.optimizer import Optimizer, Suggestion, as_point, check_seed, derived_seed, stream
from rembo.optimizer.rembo import NOISELESS, noise_range
from rembo.optimizer.trial import Trial
from rembo.space import Domain, check_domain, parts_of

_ASK, _LEARN, _DESIGN = 0, 1, 2  # the uses of randomness


@dataclass(frozen=True)
class Growth:
    """When and how far the embedding grows, and how it is searched meanwhile."""

    bins: int = 4
    most_bins: int = 64
    design: int = 6
    exhausted: float = math.log(0.01)
    patience: int = 4
    share: float = 0.25
    explore_every: int = 4
    hopeless: float = math.log(0.001)

    def __post_init__(self) -> None:
        check_whole(self.bins, "bins", 1)
        check_whole(self.most_bins, "most_bins", self.bins)
        check_whole(self.design, "design", 1)
        check_whole(self.patience, "patience", 0)
        check_whole(self.explore_every, "explore_every", 1)
        for name in ("exhausted", "hopeless"):
            if math.isnan(getattr(self, name)):
                raise ValueError(f"{name} {getattr(self, name)} must be a logarithm of an expected improvement")
        if not 0.0 < self.share <= 1.0:
            raise ValueError(f"share {self.share} of the bins to split must lie above 0 and not above 1")


@dataclass(frozen=True)
class TrustRegion:
    """How far from the best point to look, in units of the length scales; it follows successes and failures."""

    half_width: float = 0.8
    successes: int = 0
    failures: int = 0

    def after(self, improved: bool, bins: int) -> "TrustRegion":
        """Three successes in a row double it, as many failures as there are bins (4 to 10) halve it."""
        successes, failures = (self.successes + 1, 0) if improved else (0, self.failures + 1)
        if successes == 3:
            return TrustRegion(min(2.0 * self.half_width, 1.6))
        if failures == max(4, min(bins, 10)):
            narrower = self.half_width / 2.0
            return TrustRegion(narrower) if narrower >= 2.0**-5 else TrustRegion()
        return replace(self, successes=successes, failures=failures)

    def window(self, at: Array, scales: Array, region: Region) -> Window:
        """The part of the region around a point, (d,), longer where the length scales are, at most fourfold."""
        relative = scales / np.exp(np.log(scales).mean())
        return region.window(at, self.half_width * np.minimum(relative, 4.0))


@dataclass(frozen=True, eq=False)
class Lens:
    """A way of looking at the values, and the length scales that it shows."""

    values: Values
    learned: Hyperparameters

    @property
    def scales(self) -> Array:
        """A length scale for each bin, (d,)."""
        return self.learned.scales

    def refined(self, ancestors: Indices) -> "Lens":
        """The same in a finer tree, whose leaves inherit the length scales."""
        return replace(self, learned=replace(self.learned, scale=LengthScale(self.scales[ancestors])))


@dataclass(frozen=True, eq=False)
class State:
    """What has been learned from the values told so far; a function of them alone.

    `near` is a lens that magnifies the differences among the best values, `far` one that keeps all values in view.
    """

    tree: TreeEmbedding
    data: Data
    near: Lens
    far: Lens
    trust: TrustRegion
    since_growth: int

    def refined(self, tree: TreeEmbedding) -> "State":
        """The same observations in a finer tree; its leaves inherit values and length scales."""
        if tree == self.tree:
            return self
        ancestors = tree.ancestors(self.tree)
        data = Data(self.data.Y[:, ancestors], self.data.values)
        return State(tree, data, self.near.refined(ancestors), self.far.refined(ancestors), TrustRegion(), 0)


class Growing(Optimizer):
    """The default for spaces of numbers: a growing embedding, searched by Bayesian optimization in a trust region.

    Each trial carries the tree it was asked in, so the state is a function of what was told; asking changes nothing but
    the book of trials. `noise="learn"` is for an f that is noisy. `growth` holds the constants; see docs/growing.md.
    """

    def __init__(
        self,
        space: Domain,
        *,
        growth: Growth = Growth(),
        noise: float | Literal["learn"] = NOISELESS,
        seed: int | None = None,
    ) -> None:
        space, seed = check_domain(space), check_seed(seed)
        super().__init__(space, seed)
        if any(part.parameter.levels for part in parts_of(space)):
            raise ValueError("Growing searches continuous parameters (Box, Float) only: use Rembo for the others")
        self.growth = growth
        self.noise = noise_range(noise)
        climb = Ascent(sobol=0, local=0, climbs=4, steps=15)
        self._learning = MaximumAPosteriori(median=2.0, spread=2.0, lower=0.03, upper=100.0, search=climb)
        self._maximizer = SparseAscent()
        tree = TreeEmbedding.grown(space.size, growth.bins, derived_seed(seed))
        learned = self._learning.begin(self._kernel(tree), self.noise)
        self._told: list[Trial] = []
        near, far = Lens(LogTail(least=1e-3), learned), Lens(LogTail(least=1.0), learned)
        self._state = State(tree, Data.empty(tree.embedding_dim), near, far, TrustRegion(), 0)

    @property
    def state(self) -> State:
        """What follows from all that was told, in the order of telling."""
        while len(self._state.data) < len(self._told):
            self._state = self._advance(self._state, self._told[len(self._state.data)])
        return self._state

    def _observe(self, trial: Trial) -> None:
        self._told.append(trial)

    def _locate(self, x: Any) -> Suggestion:
        tree = self._newest_tree()
        point = as_point(x, self.space)
        theirs = point.embedding
        if isinstance(theirs, TreeEmbedding) and (tree.refines(theirs) or theirs.refines(tree)):
            return Suggestion(Point(theirs, theirs.region.clip(point.y)))
        if len(point) > LARGEST_ARRAY:
            raise ValueError(f"the point comes from {point.embedding}, this search takes only points of its own tree")
        return Suggestion(Point(tree, tree.region.clip(tree.preimage(point[:]))))

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        tree, rng = self._newest_tree(), stream(self.seed, _ASK, turn)
        if turn < self.growth.design:
            return Suggestion(Point(tree, self._design_point(turn, tree)))
        state = self.state.refined(tree)
        if turn % self.growth.explore_every == self.growth.explore_every - 1:
            found = self._highest_improvement(state, state.far, pending, tree.region, rng)
            if found.value >= self.growth.hopeless:
                return Suggestion(Point(tree, found.at))
        while True:
            found = self._best_in_trust_region(state, pending, rng)
            if found.value >= self.growth.exhausted:
                break
            if state.since_growth < self.growth.patience or not self._splittable(state.tree):
                found = self._best_anywhere(state, pending, found, rng)
                break
            state = self._grow(state, rng)
        return Suggestion(Point(state.tree, found.at))

    def _design_point(self, turn: int, tree: TreeEmbedding) -> Array:
        """The first points: the middle of the space, then a Sobol sequence."""
        if turn == 0:
            return tree.region.center
        return np.asarray(tree.region.sobol(self.growth.design, stream(self.seed, _DESIGN))[turn])

    def _advance(self, before: State, trial: Trial) -> State:
        """One more observation: in the trial's own tree if that is finer, then learn, then mind the trust region."""
        asked_in = _tree_of(trial)
        state = before.refined(asked_in) if asked_in.embedding_dim > before.tree.embedding_dim else before
        value = math.nan if trial.value is None else trial.value
        data = state.data.add(trial.y[state.tree.ancestors(asked_in)], value)
        after = replace(state, data=data)
        if len(data) % max(1, len(data) // 100) == 0:  # ever more rarely, as a fit costs O(n^3) and changes ever less
            after = self._learn(after, stream(self.seed, _LEARN, trial.number))
        if len(data) <= self.growth.design:
            return after
        trust = state.trust.after(_improves(value, state.data.values), state.tree.embedding_dim)
        return replace(after, trust=trust, since_growth=state.since_growth + 1)

    def _learn(self, state: State, rng: np.random.Generator) -> State:
        """The length scales that the data show through both lenses."""
        near, far = (self._focus(state, lens, rng) for lens in (state.near, state.far))
        return replace(state, near=near, far=far)

    def _focus(self, state: State, lens: Lens, rng: np.random.Generator) -> Lens:
        evidence = Evidence(self._kernel(state.tree), state.data.Y, lens.values(state.data.values), self.noise)
        return replace(lens, learned=self._learning.advance(lens.learned, len(state.data), math.nan, evidence, rng))

    def _grow(self, state: State, rng: np.random.Generator) -> State:
        """The splittable bins with the shortest length scales, a quarter of all but at least two, become two each."""
        room = self.growth.most_bins - state.tree.embedding_dim
        count = min(max(2, int(self.growth.share * state.tree.embedding_dim)), room)
        alike = np.round(
            np.log(state.near.scales), 1
        )  # scales within a tenth count as equal: the larger bin goes first
        order = np.lexsort((-state.tree.sizes, alike)).tolist()
        shortest = [leaf for leaf in order if state.tree.sizes[leaf] > 1]
        return self._learn(state.refined(state.tree.split(shortest[:count])), rng)

    def _splittable(self, tree: TreeEmbedding) -> bool:
        return tree.embedding_dim < self.growth.most_bins and bool(tree.sizes.max() > 1)

    def _newest_tree(self) -> TreeEmbedding:
        """The finest tree that a trial was asked in: trees only grow."""
        trees = [self.state.tree, *(_tree_of(trial) for trial in self.pending)]
        return max(trees, key=lambda tree: tree.embedding_dim)

    def _best_in_trust_region(self, state: State, pending: Sequence[Trial], rng: np.random.Generator) -> Maximum:
        window = state.trust.window(self._incumbent(state), state.near.scales, state.tree.region)
        return self._highest_improvement(state, state.near, pending, window, rng)

    def _best_anywhere(
        self, state: State, pending: Sequence[Trial], found: Maximum, rng: np.random.Generator
    ) -> Maximum:
        """Beyond the trust region, where it is exhausted: the way out of a local optimum."""
        return higher(found, self._highest_improvement(state, state.near, pending, state.tree.region, rng))

    def _highest_improvement(
        self, state: State, lens: Lens, pending: Sequence[Trial], box: Region | Window, rng: np.random.Generator
    ) -> Maximum:
        """The maximum of log EI in a box, given the pending trials, which are believed."""
        posterior = self._posterior(state, lens)
        waiting = [trial.y[state.tree.ancestors(_tree_of(trial))] for trial in pending]
        if waiting:
            posterior = posterior.extend(np.array(waiting), posterior(np.array(waiting)).mean, lens.learned.noise)
        seen = posterior.values if self.noise.known else posterior(posterior.Y).mean
        best = float(seen.min()) if len(seen) else 0.0
        score = LogExpectedImprovement().score(posterior, best, state.tree.region, rng)
        return self._maximizer(score, box, self._incumbent(state), lens.scales, rng)

    def _posterior(self, state: State, lens: Lens) -> Posterior:
        kernel = self._kernel(state.tree).with_scales(lens.scales)
        return condition_shortening(kernel, state.data.Y, lens.values(state.data.values), lens.learned.noise)

    def _incumbent(self, state: State) -> Array:
        """The best point so far, (d,); under noise the one with the best posterior mean; before all data the centre."""
        if np.isnan(state.data.values).all():
            return state.tree.region.center
        near = state.near
        values = near.values(state.data.values) if self.noise.known else self._posterior(state, near)(state.data.Y).mean
        return np.asarray(state.data.Y[int(np.argmin(values))])

    def _kernel(self, tree: TreeEmbedding) -> BoundKernel:
        return Matern52(2.0, ard=True).bind(self.space, tree)


def _tree_of(trial: Trial) -> TreeEmbedding:
    tree = trial.point.embedding
    assert isinstance(tree, TreeEmbedding)  # _suggest and _locate make no others
    return tree


def _improves(value: float, before: Array) -> bool:
    """Better than the best so far by a thousandth of the way from there to the median; a failure is not."""
    seen = before[~np.isnan(before)] / 4.0  # so that no difference of two values overflows
    return len(seen) == 0 or value / 4.0 < seen.min() - 1e-3 * (np.median(seen) - seen.min())
