"""A line of a method card."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A topic, what is the case, and why, or what it means."""

    topic: str
    finding: str
    meaning: str = ""


def number(value: float) -> str:
    """A value of f as one reads it."""
    return f"{value:.6g}"


def percent(share: float) -> str:
    """A share as one reads it."""
    return f"{100.0 * share:.0f} %"
