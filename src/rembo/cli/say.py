"""What commands say to a person: on standard output or standard error, and nothing in it that a terminal would obey."""

import sys

from rembo.legible import legible


def say(text: object) -> None:
    """A line of results on standard output, there for a reader at once."""
    print(legible(str(text)), flush=True)


def remark(text: object) -> None:
    """A line of progress, or an error, on standard error."""
    print(legible(str(text)), file=sys.stderr, flush=True)
