"""HD BO: variables are selected first, then GP-UCB searches them alone (Chen, Castro and Krause 2012; Section 4.1).

Selection is hierarchical diagonal sampling. A group of variables is moved together along its diagonal while all others
stay where they are; a group that moves f is halved, until single variables are left. Whether it moves f is decided by
a sequential likelihood-ratio test (Wald 1945) between two Gaussian processes with an ARD kernel: along the diagonal f
has a certain length scale, or an infinite one. All values seen so far, seen in the selected variables, are the first
data of GP-UCB.

The method is known here from its abstract and from what others say of it, so these choices are ours:

- The diagonal runs between two corners of the cube that the seed draws, and all other variables stay at one base point
  on it, which the seed draws too: all tests share the value there. Corners are drawn so that no function is missed at
  every seed for being constant along the one diagonal from (-1, ..., -1) to (1, ..., 1).
- The n-th ask is n steps of the golden section of the diagonal's length away from the base, round and round, whichever
  group it moves: so no two groups are moved to the same place, and GP-UCB begins with more to know.
- The length scale is 0.5 on [-1,1], and the noise 1e-4 of the variance of f, so that variables that move f by less than
  a few hundredths of its standard deviation count as irrelevant; for an f that is noisier it must be set. The unit is
  the spread of f along the diagonal of all variables, for which that first test always takes 8 evaluations.
- Both errors of a test have probability 0.001 under its model, with no correction for the number of tests. A test of 8
  values that is still undecided follows the likelier model. Of 0.01, 0.003 and 0.001, the last was wrong least often on
  hidden Branin and Hartmann6, at the price of a few evaluations.
- Where no variable is found, another diagonal is drawn. Failed evaluations are no evidence in a test.
- GP-UCB learns its length scales and its noise every 10 evaluations; the schedule of beta is that of
  `UpperConfidenceBound`. Variables that were not selected stay at the base point, and the selection is final.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from rembo.acquisition import Acquisition, UpperConfidenceBound
from rembo.arrays import Array
from rembo.border import check_whole
from rembo.embedding import IdentityEmbedding, Point
from rembo.gp import Evidence, Noise, Standardized
from rembo.kernel import SquaredExponential
from rembo.learning import MaximumAPosteriori
from rembo.maximizer import Ascent, Maximizer
from rembo.optimizer.mutation import mutants
from rembo.optimizer.optimizer import Optimizer, Suggestion, around, as_point, stream
from rembo.optimizer.rembo import Parts, Run
from rembo.optimizer.trial import Trial, TrialState
from rembo.space import Box, Domain, DomainLike, coordinate_name, parts_of

MOST_DIMENSIONS = 1_000  # the paper: not efficient beyond
GOLDEN_SECTION = (math.sqrt(5.0) - 1.0) / 2.0
_INFINITE = 1e6  # as a length scale on [-1,1]
_NO_GROUP = 0  # moved by the search or by the user
_DIAGONAL, _ASK, _LEARN = 0, 1, 2  # the uses of randomness


class HDBO(Optimizer):
    """Hierarchical diagonal sampling, then GP-UCB in the variables that it finds; for up to 1000 real variables.

    `test` decides whether a group of variables matters; `acquisition` and `maximizer` search the variables that do.
    """

    def __init__(
        self,
        space: DomainLike,
        *,
        test: "RatioTest | None" = None,
        acquisition: Acquisition | None = None,
        maximizer: Maximizer = Ascent(),
        seed: int | None = None,
    ) -> None:
        super().__init__(space, seed)
        if self.space.size > MOST_DIMENSIONS:
            raise ValueError(f"HDBO in {self.space.size} dimensions is more than {MOST_DIMENSIONS}: use Rembo")
        _check_continuous(self.space)
        self.test = test or RatioTest()
        learning = MaximumAPosteriori(every=10, search=Ascent(sobol=4, local=0, climbs=2, steps=20))
        kernel = SquaredExponential(ard=True)
        self._parts = Parts(kernel, acquisition or UpperConfidenceBound(), maximizer, learning, noise="learn")
        self._selection = self._drawn(_NO_GROUP + 1)
        self._search: Run | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The test and the parts of the search, those chosen in place of none."""
        return {"test": self.test, "acquisition": self._parts.acquisition, "maximizer": self._parts.maximizer}

    @property
    def selected(self) -> tuple[int, ...]:
        """The coordinates found to matter so far."""
        return tuple(sorted(self._selection.found))

    @property
    def selecting(self) -> bool:
        """Whether the selection is still going on."""
        return self._search is None

    def _suggest(self, turn: int, pending: Sequence[Trial]) -> Suggestion:
        if self._search is None:
            return self._selection.suggest(turn, [trial.run for trial in pending])
        seen = np.array([self._place(trial) for trial in pending]).reshape(-1, len(self.selected))
        return self._suggestion(self._search.suggest(seen, stream(self.seed, _ASK, turn)).y)

    def _hurry(self, turn: int, best: Trial | None, rng: np.random.Generator) -> Suggestion:
        if self._search is None or best is None:
            return next(around(best, self.space.size, rng))
        return self._suggestion(next(mutants(self._place(best), self._search.region, rng)))

    def _observe(self, trial: Trial) -> None:
        if self._search is not None:
            self._tell(self._search, trial)
            return
        self._selection = self._selection.after(trial.run, trial.y, _value(trial), self.test)
        if not self._selection.open and self._selection.found:
            self._search = self._begun()
        elif not self._selection.open:
            self._selection = self._drawn(self._selection.made)

    def _locate(self, x: Any) -> Suggestion:
        return Suggestion(as_point(x, self.space), _NO_GROUP)

    def _drawn(self, number: int) -> "Selection":
        """A selection along a diagonal of its own, whose groups are counted from a number."""
        return Selection.begin(Diagonal.draw(self.space.size, stream(self.seed, _DIAGONAL, number)), number)

    def _begun(self) -> Run:
        """A search of the selected variables that knows all that was told."""
        identity = IdentityEmbedding(len(self.selected))
        search = Run(Box(identity.ambient_dim), identity, identity.region, self._parts)
        for trial in self.trials:
            if trial.state is not TrialState.RUNNING:
                self._tell(search, trial)
        return search

    def _tell(self, search: Run, trial: Trial) -> None:
        search.observe(self._place(trial), _value(trial), None, stream(self.seed, _LEARN, trial.number))

    def _place(self, trial: Trial) -> Array:
        """Where a trial lies in the selected variables, (d,)."""
        return trial.point[self.selected]

    def _suggestion(self, y: Array) -> Suggestion:
        """The selected variables at y, (d,), all others at the base."""
        x = self._selection.diagonal.base_point
        x[list(self.selected)] = y
        return Suggestion(Point(IdentityEmbedding(len(x)), x), _NO_GROUP)


class Verdict(Enum):
    """What a test says of a group of variables."""

    MOVES = "moves f"
    RESTS = "does not move f"
    OPEN = "not decided yet"


@dataclass(frozen=True)
class Group:
    """Variables that are moved together; where on the diagonal f was evaluated, and the values, NaN for failures."""

    number: int
    members: range
    positions: tuple[float, ...] = ()
    values: tuple[float, ...] = ()

    def add(self, position: float, value: float) -> "Group":
        """One evaluation more."""
        return replace(self, positions=(*self.positions, position), values=(*self.values, value))

    def halves(self, number: int, base: float) -> dict[int, "Group"]:
        """Two groups by number, counted from this one; at the base neither has moved, so they inherit what f is there.

        Nothing is known there if the evaluation is still under way.
        """
        middle = self.members.start + len(self.members) // 2
        known = [value for position, value in zip(self.positions, self.values, strict=True) if position == base]
        inherited = (base,) * len(known), tuple(known)
        first, second = range(self.members.start, middle), range(middle, self.members.stop)
        return {number: Group(number, first, *inherited), number + 1: Group(number + 1, second, *inherited)}


@dataclass(frozen=True)
class RatioTest:
    """The sequential likelihood-ratio test: f varies along a diagonal with a length scale in [-1,1], or not at all."""

    length_scale: float = 0.5
    noise: float = 1e-4
    error: float = 0.001
    most: int = 8

    def __post_init__(self) -> None:
        check_whole(self.most, "most", 2)
        for name in ("length_scale", "noise"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} {getattr(self, name)} must be positive and finite")
        if not 0.0 < self.error < 0.5:
            raise ValueError(f"error {self.error} is a probability that must lie between 0 and 0.5")

    def verdict(self, group: Group, everything: Group) -> Verdict:
        """Wald's rule, in the unit of f along the diagonal of all variables, which must be known first."""
        if len(everything.values) < self.most:
            return Verdict.OPEN
        ratio = self.log_ratio(group, everything)
        bound = math.log((1.0 - self.error) / self.error)
        if abs(ratio) < bound and len(group.values) < self.most:
            return Verdict.OPEN
        return Verdict.MOVES if ratio > 0.0 else Verdict.RESTS

    def log_ratio(self, group: Group, everything: Group) -> float:
        """log p(values | length scale) - log p(values | infinite length scale)."""
        succeeded = ~np.isnan(group.values)
        positions, values = np.array(group.positions)[succeeded], np.array(group.values)[succeeded]
        if len(values) == 0:
            return 0.0
        unit = [value for value in everything.values if not math.isnan(value)]
        standardized = Standardized()(np.concatenate([unit, values]))[len(unit) :]
        kernel = SquaredExponential().bind(Box(1), IdentityEmbedding(1))
        evidence = Evidence(kernel, positions[:, None], standardized, Noise(self.noise, self.noise))
        return evidence(np.array([self.length_scale]), self.noise) - evidence(np.array([_INFINITE]), self.noise)


@dataclass(frozen=True, eq=False)
class Diagonal:
    """From the corner -signs to the corner signs, (D,), of the cube; the base lies a part `start` of the way."""

    signs: Array
    start: float

    @classmethod
    def draw(cls, dim: int, rng: np.random.Generator) -> "Diagonal":
        """A random diagonal of the cube and a random base on it."""
        return cls(rng.choice([-1.0, 1.0], size=dim), rng.random())

    @property
    def base(self) -> float:
        """The position at which variables stay that are not moved."""
        return self.position(0)

    def position(self, step: int) -> float:
        """Where in [-1,1] one is after so many steps of the golden section from the base, round and round."""
        return 2.0 * math.fmod(self.start + step * GOLDEN_SECTION, 1.0) - 1.0

    @property
    def base_point(self) -> Array:
        """Where all variables are at the base, (D,)."""
        return self.base * self.signs

    def place(self, members: range, step: int) -> Array:
        """The point of [-1,1]^D, (D,), where these variables went so many steps and all others stay at the base."""
        x = self.base_point
        x[members.start : members.stop] = self.position(step) * self.signs[members.start : members.stop]
        return x


@dataclass(frozen=True, eq=False)
class Selection:
    """How far hierarchical diagonal sampling has come: groups to be tested, by number, and the variables found."""

    diagonal: Diagonal
    everything: Group
    open: dict[int, Group]
    found: tuple[int, ...]
    made: int

    @classmethod
    def begin(cls, diagonal: Diagonal, number: int) -> "Selection":
        """One group of all variables, with this number."""
        everything = Group(number, range(len(diagonal.signs)))
        return cls(diagonal, everything, {number: everything}, (), number + 1)

    def suggest(self, turn: int, pending: Sequence[int]) -> Suggestion:
        """The next evaluation of the group with the fewest under way; pending: the number of the group of each."""
        group = min(self.open.values(), key=lambda group: pending.count(group.number))
        begun = group.values or group.number in pending
        x = self.diagonal.place(group.members, turn if begun else 0)
        return Suggestion(Point(IdentityEmbedding(len(x)), x), group.number)

    def after(self, number: int, x: Array, value: float, test: RatioTest) -> "Selection":
        """What follows from a value of the group with this number at x, (D,); nothing if its test is over."""
        if number not in self.open:
            return self
        first = self.open[number].members.start
        group = self.open[number].add(float(x[first] * self.diagonal.signs[first]), value)
        everything = group if number == self.everything.number else self.everything
        others = {other: self.open[other] for other in self.open if other != number}
        match test.verdict(group, everything):
            case Verdict.OPEN:
                return replace(self, everything=everything, open=self.open | {number: group})
            case Verdict.RESTS:
                return replace(self, everything=everything, open=others)
            case Verdict.MOVES if len(group.members) == 1:
                return replace(self, everything=everything, open=others, found=(*self.found, first))
            case Verdict.MOVES:
                halves = group.halves(self.made, self.diagonal.base)
                return replace(self, everything=everything, open=others | halves, made=self.made + 2)


def _value(trial: Trial) -> float:
    return math.nan if trial.value is None else trial.value


def _check_continuous(space: Domain) -> None:
    for part in parts_of(space):
        if part.parameter.levels:
            name = coordinate_name(space, part.start)
            raise ValueError(f"HDBO moves real numbers, and {name} is {part.parameter}: use Rembo or Growing")
