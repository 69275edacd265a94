"""Fresh interpreters that run no module of the current folder, where they are started by others than us.

multiprocessing, and with it Dask, takes no options for the interpreters that it starts. They read the environment.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

_NAME = "PYTHONSAFEPATH"  # `-P` by another name


def safe_path_setting() -> str | None:
    """What the user has set; None if nothing."""
    return os.environ.get(_NAME)


@contextmanager
def safe_path() -> Iterator[None]:
    """A time in which the interpreters that are started run no module of the current folder."""
    before = safe_path_setting()
    os.environ[_NAME] = "1"
    try:
        yield
    finally:
        restore_safe_path(before)


def restore_safe_path(before: str | None) -> None:
    """Set the environment back, so that what f starts has the one that the user has."""
    os.environ.pop(_NAME, None)
    if before is not None:
        os.environ[_NAME] = before
