"""The walk from the start to the goal: pure functions of v(S), the value where the changes S are made.

Low is good. First the changes that do not gain are left out, by undoing groups of them at the goal and halving those
that matter, in the manner of delta debugging (Zeller and Hildebrandt 2002). Then the others are made one by one from
the start, the one that gains most first (Fawcett and Hoos 2016).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Changes: TypeAlias = frozenset[str]
Measure: TypeAlias = Callable[[Sequence[Changes]], Sequence[float]]

NOTHING: Changes = frozenset()


class NoEvaluationsLeftError(Exception):
    """All evaluations that are allowed were made."""


class SetValues:
    """v(S) of many S at once, each measured once; `evaluations` counts what was not known before.

    A round that would take more than `most` evaluations in all is not begun: a NoEvaluationsLeftError is raised, and
    from then on at every round with something new.
    """

    def __init__(self, measure: Measure, most: float, known: Mapping[Changes, float]) -> None:
        self._measure, self._most = measure, most
        self._known = dict(known)
        self.evaluations = 0
        self.spent = False

    def of(self, changes: Changes) -> float:
        """v(S) of one set."""
        return self.each([changes])[0]

    def each(self, sets: Sequence[Changes]) -> list[float]:
        """v(S) of each set."""
        new = [changes for changes in dict.fromkeys(sets) if changes not in self._known]
        if new:
            self.spent = self.spent or self.evaluations + len(new) > self._most
            if self.spent:
                raise NoEvaluationsLeftError
            self._known.update(zip(new, self._measure(new), strict=True))
            self.evaluations += len(new)
        return [self._known[changes] for changes in sets]


@dataclass(frozen=True)
class Advance:
    """Changes that were made together, and the value after them."""

    names: tuple[str, ...]
    value: float


def needed(v: SetValues, made: Changes, names: Sequence[str], share: float) -> list[str]:
    """Those of the changes that gain: together with those made they give at least a share of what all of them give.

    A group of changes whose undoing changes nothing, as far as the share allows, is left out. Any other is halved, also
    where undoing it is better: what gains may stand beside what does more harm. A single change that does harm is left
    out. Where k of p changes gain or do harm, this takes about 2 k (1 + log2(p / k)) evaluations.
    """
    kept, groups = set(names), [list(names)]
    start, reached = v.of(made), v.of(made | kept)
    while groups:
        group = groups.pop()
        value = v.of(made | (kept - set(group)))
        if abs(value - reached) <= (1.0 - share) * (start - reached) or (len(group) == 1 and value < reached):
            kept -= set(group)
            reached = min(reached, value)
        elif len(group) > 1:
            half = len(group) // 2
            groups += [group[:half], group[half:]]
    return [name for name in names if name in kept]


def advances(v: SetValues, names: Sequence[str]) -> Iterator[Advance]:
    """From the start towards all of the changes, until what they give together is reached."""
    made, left = NOTHING, list(names)
    while v.of(made) > v.of(frozenset(names)):
        taken = _next(v, made, left)
        made, left = made | set(taken), [name for name in left if name not in taken]
        yield Advance(tuple(taken), v.of(made))


def _next(v: SetValues, made: Changes, left: Sequence[str]) -> list[str]:
    """The change that gains most; where none gains, the least bad one and so on, until they gain together."""
    taken: list[str] = []
    while not taken or v.of(made | set(taken)) >= v.of(made):
        candidates = [name for name in left if name not in taken]
        values = v.each([made | {*taken, name} for name in candidates])
        taken.append(candidates[values.index(min(values))])
    if len(taken) <= 2:  # the second gains only where the first is made: alone it was no better
        return taken
    return needed(v, made, taken, share=1.0)
