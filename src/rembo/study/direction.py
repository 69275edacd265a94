"""Whether low values are good or high ones: the one place where a value gets a sign.

Optimizers always minimise. What a study is told in its own direction they are told with this sign.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from rembo.study.trial import StudyTrial

Direction: TypeAlias = Literal["minimize", "maximize"]


def sign_of(direction: Direction) -> float:
    """What a value is multiplied with so that low ones are good, or a ValueError that names the directions."""
    if direction not in ("minimize", "maximize"):
        raise ValueError(f"direction {direction!r} must be 'minimize' or 'maximize'")
    return 1.0 if direction == "minimize" else -1.0


def best_first(trials: Iterable[StudyTrial], direction: Direction) -> list[StudyTrial]:
    """The complete trials, those with good values first, and equal ones by number."""
    sign = sign_of(direction)
    losses = [(sign * trial.value, trial.number, trial) for trial in trials if trial.value is not None]
    return [trial for *_, trial in sorted(losses, key=lambda each: each[:2])]
