"""What of a stored trial must stay the same, bit by bit."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from rembo.study import StudyTrial
from rembo.study.codec import encode, to_text


def facts(trial: StudyTrial) -> str:
    """All that a trial says, as text."""
    said = {field.name: getattr(trial, field.name) for field in fields(trial)}
    enums = {name: said[name] and said[name].value for name in ("origin", "state", "reason")}
    return to_text(encode(said | enums))


def story(trials: Iterable[StudyTrial]) -> list[tuple[Any, ...]]:
    """What an interruption must not change: where, what came of it, and when it was asked and told."""
    return [(trial.number, trial.point, trial.value, trial.asked, trial.told) for trial in trials]
