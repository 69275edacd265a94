"""What was counted that must not happen, in words."""

from collections.abc import Collection


def wrong(name: str, tally: object, harmless: Collection[str]) -> list[str]:
    """Each count of a tally that is not 0 and not harmless."""
    return [f"{name}: {each} {count}" for each, count in vars(tally).items() if count and each not in harmless]
