"""`ablate`: from f and two configurations to the few changes that carry the gain."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from rembo.ablation.between import Between, between
from rembo.ablation.result import Ablation, AblationStep, Flip, number
from rembo.ablation.walk import NOTHING, Advance, Changes, NoEvaluationsLeftError, SetValues, advances, needed
from rembo.border import check_whole, is_finite
from rembo.legible import legible
from rembo.space import Domain
from rembo.study.direction import Direction, sign_of
from rembo.study.evaluation import finite_number

Function: TypeAlias = Callable[[Any], Any]
Evaluate: TypeAlias = Callable[[Function, Sequence[Any]], Iterable[float | None]]

Found = TypeVar("Found")

_log = logging.getLogger("rembo")


def one_by_one(f: Function, configurations: Sequence[Any]) -> list[float | None]:
    """The value of each configuration, one after the other; None, and a warning in the log, where f fails."""
    return [_outcome(f, x) for x in configurations]


def ablate(
    f: Function,
    space: Domain,
    start: Any,
    goal: Any,
    *,
    direction: Direction = "minimize",
    share: float = 0.99,
    max_evaluations: int | None = None,
    known: Iterable[tuple[Any, float | None]] = (),
    evaluate: Evaluate = one_by_one,
) -> Ablation:
    """Which few changes carry the gain from one configuration to another, found by evaluating what lies between.

    First, changes that are not needed for `share` of the gain are left out, by undoing groups of them at the goal. The
    others are then made one by one from the start, the one that gains most first; where none gains alone, the least bad
    is made, until several gain together. At last each is undone alone at the goal. f is taken to be deterministic.

    Parameters
    ----------
    f : callable
        As for `minimize`: of a dict if the space is a Space, of a Point if it is a Box. A point where it raises, or
        returns no finite number, counts as the worst of all.
    space : Space or Box
        What f is searched over.
    start, goal : configurations of the space
        E.g. `space.default` and `study.best_params`. The goal must have a better value.
    direction : {"minimize", "maximize"}
        Whether low values are good, or high ones.
    share : float
        The share of the gain to explain, above 0 and at most 1.
    max_evaluations : int, optional
        End before more configurations are evaluated than this, with what is found by then.
    known : pairs of a configuration and its value
        Evaluations that were made before and are not to be made again; the value is None where f failed. E.g.
        `[(trial.x, trial.value) for trial in study.trials if trial.told is not None]`.
    evaluate : callable
        Called with f and a list of configurations, for their values in this order, None where f failed. The default
        evaluates one after the other; another may do it in parallel.

    Returns
    -------
    Ablation
        Printed as a table: the changes with their values before and after, the objective after each, its share of the
        gain, and what is lost where it alone is undone at the goal.

    Raises
    ------
    ValueError
        If f fails at one of the ends, if the goal is no better than the start, or if the ends or `share` are not valid.

    Examples
    --------
    >>> from rembo import Bool, Space
    >>> space = Space({name: Bool() for name in "abcdef"})
    >>> start, goal = (dict.fromkeys("abcdef", value) for value in (False, True))
    >>> ablate(lambda x: 10 - 3 * x["b"] - 5 * (x["c"] and x["e"]), space, start, goal)
    from 10 to 2 (80.0% lower): 3 of 6 changes carry 100.0% of the gain
    change                   objective          share  undone alone
    b         False -> True          7          37.5%         37.5%
    c         False -> True             with the next         62.5%
    e         False -> True          2          62.5%         62.5%
    3 others                         2           0.0%
    undone alone: verified by flipping each back at the goal; the share of the gain that is then lost
    only together: c, e; none of them gains alone
    18 evaluations; trying every change at every step takes 22
    """
    _check_share(share)
    most = math.inf if max_evaluations is None else check_whole(max_evaluations, "max_evaluations", 2)
    span = between(space, start, goal)
    sign = sign_of(direction)

    def measure(sets: Sequence[Changes]) -> list[float]:
        allowed = [changes for changes in sets if span.allows(changes)]  # what is forbidden is as bad as what fails
        values = evaluate(f, [span.configuration(changes) for changes in allowed])
        found = dict(zip(allowed, values, strict=True))
        return [_signed(found.get(changes), sign) for changes in sets]

    v = SetValues(measure, most, _known(known, span, sign))
    return _ablation(v, span, direction, share)


def _ablation(v: SetValues, span: Between, direction: Direction, share: float) -> Ablation:
    """Find the changes and try them; where the evaluations are spent before that, tell what is known by then."""
    everything = frozenset(span.names)
    worst, best = _checked_ends(v, everything, direction)
    made = list(_until_spent(_carrying(v, span.names, share)))
    names = [name for advance in made for name in advance.names]
    undone = list(_until_spent(_undone(v, everything, names)))
    return _Scale(span, direction, worst, best).ablation(made, undone, v.evaluations, complete=not v.spent)


def _carrying(v: SetValues, names: Sequence[str], share: float) -> Iterator[Advance]:
    yield from advances(v, needed(v, NOTHING, names, share))


def _undone(v: SetValues, everything: Changes, names: Sequence[str]) -> Iterator[tuple[str, float]]:
    yield from zip(names, v.each([everything - {name} for name in names]), strict=True)


def _until_spent(found: Iterator[Found]) -> Iterator[Found]:
    with suppress(NoEvaluationsLeftError):
        yield from found


@dataclass(frozen=True)
class _Scale:
    """From values of which low ones are good to the user's own, and to shares of the gain."""

    span: Between
    direction: Direction
    worst: float
    best: float

    def ablation(
        self, made: Sequence[Advance], undone: Sequence[tuple[str, float]], evaluations: int, complete: bool
    ) -> Ablation:
        """What was found, in the user's terms."""
        carrying = {name for advance in made for name in advance.names}
        others = tuple(name for name in self.span.names if name not in carrying)
        reached = [self.worst, *(advance.value for advance in made)]
        *steps, rest = map(self._step, reached, [*made, Advance(others, self.best)])
        flips = tuple(self._flip(name, value) for name, value in undone)
        ends = self._value(self.worst), self._value(self.best)
        return Ablation(self.direction, *ends, tuple(steps), rest, flips, evaluations, complete)

    def _step(self, before: float, advance: Advance) -> AblationStep:
        changes = tuple(self.span.change(name) for name in advance.names)
        return AblationStep(changes, self._value(advance.value), self._share(before, advance.value))

    def _flip(self, name: str, value: float) -> Flip:
        told = None if math.isinf(value) else self._value(value)
        return Flip(self.span.change(name), told, self._share(value, self.best))

    def _value(self, value: float) -> float:
        return sign_of(self.direction) * value + 0.0  # which turns -0.0 into 0.0

    def _share(self, before: float, after: float) -> float:
        return (before - after) / (self.worst - self.best)


def _checked_ends(v: SetValues, everything: Changes, direction: Direction) -> tuple[float, float]:
    """The values of the start and the goal, if there is a gain to explain."""
    if not everything:
        raise ValueError("the start and the goal are the same configuration: there is no gain to explain")
    start, goal = v.each([NOTHING, everything])
    for end, value in (("start", start), ("goal", goal)):
        if math.isinf(value):
            raise ValueError(f"f fails at the {end}, so that the gain cannot be measured: evaluate it there to see why")
    if goal >= start:
        sign = sign_of(direction)
        raise ValueError(
            f"the goal's value {number(sign * goal)} is no better than the start's {number(sign * start)} under "
            f"{direction!r}: there is no gain to explain"
        )
    return start, goal


def _known(pairs: Iterable[tuple[Any, float | None]], span: Between, sign: float) -> dict[Changes, float]:
    """What is known of the configurations between the two ends; the others are of no use."""
    found = ((span.changed(x), value) for x, value in pairs)
    return {changes: _signed(value, sign) for changes, value in found if changes is not None}


def _signed(value: float | None, sign: float) -> float:
    return math.inf if value is None else sign * value


def _outcome(f: Function, x: Any) -> float | None:
    try:
        returned = f(x)
    except Exception as error:  # a configuration that fails is the worst, not the end
        _log.warning("f failed: %s: %s", type(error).__name__, legible(str(error)))
        return None
    value = finite_number(returned)
    if value is None:
        _log.warning("f returned %r, which is not a finite number", returned)
    return value


def _check_share(share: Any) -> None:
    if not is_finite(share) or not 0.0 < share <= 1.0:
        raise ValueError(f"share {share!r} must be a share of the gain, above 0 and not above 1")
