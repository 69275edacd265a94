"""What an ablation finds, and how it is printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rembo.study.direction import Direction

_LONGEST = 32  # characters of a value in the table


@dataclass(frozen=True)
class Change:
    """A parameter whose value differs: before, at the start, and after, at the goal."""

    name: str
    before: Any
    after: Any

    def __str__(self) -> str:
        """In a few words."""
        return f"{self.name}: {_short(self.before)} -> {_short(self.after)}"


@dataclass(frozen=True)
class AblationStep:
    """Changes that were made next, the objective after them, and their share of the whole gain.

    Where there are several, none of them gained alone.
    """

    changes: tuple[Change, ...]
    value: float
    share: float


@dataclass(frozen=True)
class Flip:
    """A change that was undone alone at the goal; the loss is a share of the whole gain, negative if that is better.

    Where f failed there, the value is None and the loss infinite.
    """

    change: Change
    value: float | None
    loss: float


@dataclass(frozen=True, repr=False)
class Ablation:
    """Which few changes carry the gain from a start to a goal, as `rembo.ablate` finds it; printed as a table.

    Attributes
    ----------
    direction : {"minimize", "maximize"}
        Whether low values are good, or high ones.
    start_value, goal_value : float
        The objective at both ends.
    steps : tuple of AblationStep
        The changes that carry the gain, in the order in which they gain most; each has `changes` (name, before, after),
        the objective `value` after it, and its `share` of the gain.
    rest : AblationStep
        All other changes, made together at last: they lead to the goal. Its share is what the steps leave unexplained.
    flips : tuple of Flip
        Each change of the steps, undone alone at the goal, with the `loss` as a share of the gain.
    evaluations : int
        How many configurations were evaluated.
    complete : bool
        Whether the share that was asked for is explained and all flips are made; if not, `max_evaluations` ended it.
    """

    direction: Direction
    start_value: float
    goal_value: float
    steps: tuple[AblationStep, ...]
    rest: AblationStep
    flips: tuple[Flip, ...]
    evaluations: int
    complete: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that carry the gain, in the order of the steps."""
        return tuple(change.name for step in self.steps for change in step.changes)

    @property
    def explained(self) -> float:
        """The share of the gain that the steps carry."""
        reached = self.steps[-1].value if self.steps else self.start_value
        return (reached - self.start_value) / (self.goal_value - self.start_value)

    def __repr__(self) -> str:
        return "\n".join([self._title(), *_aligned(list(self._rows())), *self._remarks()])

    def _title(self) -> str:
        differing = len(self.names) + len(self.rest.changes)
        ends = f"from {number(self.start_value)} to {number(self.goal_value)}{self._relative()}"
        return f"{ends}: {len(self.names)} of {differing} changes carry {self.explained:.1%} of the gain"

    def _relative(self) -> str:
        if self.start_value == 0.0:
            return ""
        word = "lower" if self.goal_value < self.start_value else "higher"
        return f" ({abs(self.goal_value / self.start_value - 1.0):.1%} {word})"

    def _rows(self) -> Iterator[Sequence[str]]:
        losses = {flip.change.name: _loss(flip) for flip in self.flips}
        yield "change", "", "objective", "share", "undone alone"
        for step in self.steps:
            for position, change in enumerate(step.changes):
                last = position == len(step.changes) - 1
                outcome = (number(step.value), f"{step.share:.1%}") if last else ("", "with the next")
                values = f"{_short(change.before)} -> {_short(change.after)}"
                yield change.name, values, *outcome, losses.get(change.name, "not tried")
        if self.rest.changes:
            yield f"{len(self.rest.changes)} others", "", number(self.rest.value), f"{self.rest.share:.1%}", ""

    def _remarks(self) -> Iterator[str]:
        """What the table does not say by itself."""
        if self.flips:
            yield "undone alone: verified by flipping each back at the goal; the share of the gain that is then lost"
        for step in self.steps:
            if len(step.changes) > 1:
                names = ", ".join(change.name for change in step.changes)
                yield f"only together: {names}; none of them gains alone"
        unneeded = [flip.change.name for flip in self.flips if flip.loss <= 0.0]
        if unneeded:
            yield f"undoing {', '.join(unneeded)} at the goal loses nothing: its effect depends on the other changes"
        if self.rest.share < 0.0 and self.steps:
            yield f"the others make it worse: without them the objective is {number(self.steps[-1].value)}"
        differing = len(self.names) + len(self.rest.changes)
        yield f"{self.evaluations} evaluations; trying every change at every step takes {plain_evaluations(differing)}"
        if not self.complete:
            yield f"ended by max_evaluations: {max(0.0, self.rest.share):.1%} of the gain is not explained"


def plain_evaluations(differing: int) -> int:
    """How many configurations plain ablation evaluates, the two ends included: those of each round, and the start."""
    return differing * (differing + 1) // 2 + 1


def number(value: float) -> str:
    """A value of the objective: whole numbers with all digits, others with six."""
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _loss(flip: Flip) -> str:
    return "fails" if flip.value is None else f"{flip.loss:.1%}"


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows with columns of equal width: texts to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cell(text, width, i) for i, (text, width) in enumerate(zip(row, widths, strict=True))).rstrip()
            for row in rows]  # fmt: skip


def _cell(text: str, width: int, column: int) -> str:
    return text.ljust(width) if column < 2 else text.rjust(width)
