"""Growing: a search that needs neither d nor k, because its embedding grows where the function turns out to vary.

It starts with few bins, each shared by many coordinates (`Forest`), and goes from coarse bins to fine ones (`Restart`).
A restart that stalls is followed by another one in another forest, and the best one goes on when that one stalls, too:
the way out of a local optimum, and of a forest in which coordinates that matter fell into one bin. Nothing costs D.
docs/growing.md tells it with numbers. Nested subspaces that grow are BAxUS's idea, too (Papenmeier et al. 2022).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice, takewhile
from typing import Any, Literal

import numpy as np

from rembo.arrays import Array, Indices
from rembo.blas import one_thread
from rembo.border import check_part
from rembo.embedding import LARGEST_ARRAY, Forest, Layout, Point
from rembo.gp import LogTail
from rembo.kernel import Leaves
from rembo.optimizer.configurations import configuration, nearest_unseen
from rembo.optimizer.growing.growth import Growth
from rembo.optimizer.growing.restart import Restart
from rembo.optimizer.growing.state import forest_of
from rembo.optimizer.importance import Importance, Observed, importance, small_enough
from rembo.optimizer.mutation import mutants
from rembo.optimizer.optimizer import Optimizer, Suggestion, as_point, check_seed, derived_seed, stream
from rembo.optimizer.rembo import NOISELESS, noise_range
from rembo.optimizer.trial import Origin, Trial, TrialState
from rembo.space import Domain, DomainLike, Space, check_domain, parts_of

_LEAST = 2  # values that tell what matters
_FEW, _NEAR = 64, 1e-3  # coordinates that are compared first, and how near they must be: beyond all rounding
_NEW, _MATTERS, _POLISH = 3, 4, 5  # the uses of randomness, beside those of a restart


class Growing(Optimizer):
    """The default: a growing embedding, searched by Bayesian optimization; restart after restart.

    `x0` is evaluated first, and the embedding is centred there; without it a Space's own default, if it has one, or the
    middle of all ranges. `noise="learn"` is for an f that is noisy. `growth` holds the constants.
    """

    def __init__(
        self,
        space: DomainLike,
        *,
        x0: Any = None,
        growth: Growth = Growth(),
        noise: float | Literal["learn"] = NOISELESS,
        seed: int | None = None,
    ) -> None:
        space, seed = check_domain(space), check_seed(seed)
        super().__init__(space, seed)
        self.growth = check_part(growth, "growth", "bins", "rembo.Growth()")
        self.noise = noise_range(noise)
        self._given = {"x0": x0, "growth": growth, "noise": noise}
        start = space.default if x0 is None and isinstance(space, Space) else x0
        self.center = None if start is None else as_point(start, space)
        self._restarts: list[Restart] = []

    @property
    def settings(self) -> dict[str, Any]:
        """x0 as it was given, the constants, and what was said of the noise."""
        return dict(self._given)

    @property
    def restarts(self) -> tuple[Restart, ...]:
        """The restarts so far; a trial's `run` says which one asked it."""
        return tuple(self._restart(number) for number in range(self._newest() + 1))

    @property
    def informed(self) -> bool:
        """Whether enough values were told for `importance`."""
        return sum(trial.value is not None for trial in self._trials) >= _LEAST

    @one_thread
    def importance(self) -> tuple[Importance, ...]:
        """Which groups of parameters f depends on around its best configuration, and how sure that is.

        Small spaces (up to 512 choices and 64 numbers): from all trials, whichever restart asked them; parameters that
        moved together in all of them are one group. Larger spaces: the groups are the bins of the restart that saw
        most values. As the search goes on, groups that matter split, down to single parameters.

        Returns
        -------
        tuple[Importance, ...]
            Those that surely matter first; both these and the others by falling shares. The same trials give the same
            list.

        Raises
        ------
        ValueError
            If fewer than two values were told.

        Examples
        --------
        >>> import rembo
        >>> optimizer = rembo.Growing(rembo.Integer(1, 8), seed=0)
        >>> for trial in optimizer.ask(4):
        ...     _ = optimizer.tell(trial, float(trial.x))
        >>> [group.parameters for group in optimizer.importance()]
        [('x',)]
        """
        seen = self.observed()
        if len(seen) < _LEAST:
            raise ValueError(f"{len(seen)} values are too few to tell what matters: tell at least {_LEAST}")
        return importance(self.space, seen, LogTail(1.0, self._restart(0).design), stream(self.seed, _MATTERS))

    def observed(self) -> Observed:
        """What was told, by groups of parameters that moved together: what `importance` goes by."""
        if small_enough(self.space):
            return Observed.of_parameters(self.space, self._trials)
        state = max((restart.catch_up() for restart in self.restarts), key=lambda state: state.successes)
        return Observed.of_bins(state.forest, state.leaves, state.data)

    def _recalled(self, turn: int, suggestion: Suggestion) -> None:
        asked = suggestion.point.embedding
        assert isinstance(asked, Forest)  # no others are made
        if suggestion.run == len(self._restarts):  # it begins with what was told when its first trial was asked
            self._restarts.append(self._begun(suggestion.run, asked))

    def _observe(self, trial: Trial) -> None:
        self._restart(trial.run).observe(trial)

    def _locate(self, x: Any) -> Suggestion:
        point = as_point(x, self.space)
        theirs = point.embedding
        newest = self._newest()
        if isinstance(theirs, Forest):
            for number in range(newest + 1):
                ours = self._restart(number).newest_forest(self._pending_in(number))
                if ours.refines(theirs) or theirs.refines(ours):
                    return Suggestion(Point(theirs, theirs.region.clip(point.y)), number)
        if len(point) > LARGEST_ARRAY:
            raise ValueError(f"the point comes from {point.embedding}, this search takes only points of its own tree")
        x = point[:]
        asked = self._asked_at(x)
        if asked is not None:
            return Suggestion(asked.point, asked.run)
        restart = self._restart(newest)
        coarse = restart.newest_forest(self._pending_in(newest))
        forest = coarse.separating(x, max(restart.splitting.most_bins, coarse.embedding_dim))
        return Suggestion(Point(forest, forest.region.clip(forest.preimage(x))), newest)

    def _asked_at(self, x: Array) -> Trial | None:
        """The first trial at a whole x, (D,), if there is one; a few of their real numbers rule most trials out."""
        some = _real_coordinates(self.space)
        near = (trial for trial in self._trials if (np.abs(trial.point[some] - x[some]) <= _NEAR).all())
        return next((trial for trial in near if np.array_equal(self.space.encode(trial.x), x)), None)

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        found = self._next(turn)
        point = self._new(found.point, turn) if self._finite else found.point
        return replace(found, point=point)

    def _next(self, turn: int) -> Suggestion:
        """The next point of the restart whose turn it is, of the best one, which polishes meanwhile, or a new one."""
        number, best = self._turn_of(), self._leader()
        if best != number:
            polish = self._restart(best).polish(self._pending_in(best), stream(self.seed, _POLISH, turn))
            if polish is not None:
                return replace(polish, run=best)
        found = self._ask_restart(number)
        if found is None:
            number = self._newest() + 1
            found = self._ask_restart(number)
        assert found is not None  # a restart begins with a design
        return replace(found, run=number)

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        number = self._newest() if best is None else best.run
        forest = self._finest(number)
        at = None if best is None else forest.lift(best.y[None, :], forest_of(best))[0]
        return self._unasked(Suggestion(Point(forest, y), number) for y in mutants(at, forest.region, rng))

    def _finest(self, number: int) -> Forest:
        """The finest forest that a restart was asked in; its state is not consulted, which may have to catch up."""
        asked = (forest_of(trial) for trial in self._trials if trial.run == number)
        return max([self._restart(number).forest, *asked], key=lambda forest: forest.embedding_dim)

    def _turn_of(self) -> int:
        """Whose turn it is: the last one's until it stalls; then the best one's, or if it is the best, a new one's.

        A polishing step may be one of the best restart's in the turn of another, and does not take the turn.
        """
        last = next((trial.run for trial in reversed(self._trials) if trial.origin is not Origin.POLISH), 0)
        if not self._stalled(last):
            return last
        return self._leader() if self._leader() != last else self._newest() + 1

    def _leader(self) -> int:
        """The restart that has found the best value."""
        return 0 if self._best is None else self._best.run

    def _stalled(self, number: int) -> bool:
        """Whether the restart made no progress for long since it took its turn.

        A new one would not help where all bins are split, or where f varies with all of them.
        """
        restart = self._restart(number)
        state = restart.catch_up()
        turn = takewhile(lambda trial: trial.run == number or trial.origin is Origin.POLISH, reversed(self._trials))
        since_turn = sum(trial.run == number for trial in turn)
        window = 6 * self.growth.patience + state.dim
        if min(state.since_progress, since_turn) < window or not (state.forest.sizes > 1).any():
            return False
        return not restart.splitting.dense(restart.model())

    def _ask_restart(self, number: int) -> Suggestion | None:
        """The next point of a restart; those after the first do not evaluate the centre again."""
        asked = sum(trial.run == number for trial in self._trials)
        return self._restart(number).suggest(asked if number == 0 else asked + 1, self._pending_in(number))

    def _newest(self) -> int:
        return max((trial.run for trial in self._trials), default=0)

    def _pending_in(self, number: int) -> list[Trial]:
        return [trial for trial in self.pending if trial.run == number]

    def _restart(self, number: int) -> Restart:
        while len(self._restarts) <= number:
            self._restarts.append(self._begun(len(self._restarts)))
        return self._restarts[number]

    def _begun(self, number: int, asked: Forest | None = None) -> Restart:
        """A restart in a new forest, or, every other one, in that of the one before, whose trials tell what matters.

        One whose first trial was asked elsewhere was begun by an earlier version: all of its restarts had new forests.
        """
        seed, before = derived_seed(self.seed, number), number - 1
        if number % 2 == 0 or not (asked is None or asked.refines(self._finest(before))):
            return Restart(self.space, self._planted(seed), self.growth, self.noise, seed)
        told = [trial for trial in self._trials if trial.run == before and trial.state is not TrialState.RUNNING]
        return Restart(self.space, self._finest(before), self.growth, self.noise, seed, told)

    def _planted(self, seed: int) -> Forest:
        """A bin for each number if they are few, or else few bins; the same for categoricals, of which few are more."""
        layout, growth = Layout.of(self.space), self.growth
        sizes = dict(zip(layout.kinds, layout.sizes, strict=True))
        numbers = sizes.pop(0, 0)
        categoricals = sum(sizes.values())
        return Forest.planted(
            layout,
            numbers if numbers <= growth.alone else min(growth.bins, max(growth.bins // 2, numbers // growth.bins)),
            seed,
            choices=categoricals if categoricals <= growth.most_bins else growth.bins,
            center=self.center,
            near=self._near or None,
        )

    @property
    def _near(self) -> bool:
        """Whether few parameters change near a user's default: where most are discrete, which cannot change a little.

        A search that was begun by an earlier version goes on as it was begun.
        """
        if self._trials:
            return bool(forest_of(self._trials[0]).near)
        discrete = sum(part.stop - part.start for part in parts_of(self.space) if part.parameter.levels)
        return self.center is not None and self.growth.near > 0.0 and 2 * discrete > self.space.size

    def _new(self, point: Point, turn: int) -> Point:
        """The point, or where f was asked there before, one that differs from it in as few leaves as need be.

        Where that is not found at random, and there are few configurations, it is the nearest of all.
        """
        forest, rng = point.embedding, stream(self.seed, _NEW, turn)
        assert isinstance(forest, Forest)
        leaves, seen, y = Leaves.of(self.space, forest), self._seen(), point.y
        for attempt in range(16 * forest.embedding_dim):
            if configuration(self.space.decode(Point(forest, y))) not in seen:
                return Point(forest, y)
            changed = rng.permutation(forest.embedding_dim)[: 1 + attempt // 16]
            y = point.y.copy()
            y[changed] = rng.uniform(-1.0, 1.0, size=len(changed))
            y = leaves.snap(y[None, :])[0]
        x = nearest_unseen(self.space, point[:], seen)
        return point if x is None else Point(forest.resolved, forest.resolved.preimage(x))


def _real_coordinates(space: Domain) -> Indices:
    """A few coordinates that stand for real numbers, if there are any."""
    parts = (part for part in parts_of(space) if not part.parameter.levels)
    return np.fromiter(islice(chain.from_iterable(range(part.start, part.stop) for part in parts), _FEW), np.int64)
