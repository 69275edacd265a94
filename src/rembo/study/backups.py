"""Copies of a study's file, which are whole also while it is written.

Copying the file as any other loses what is still in SQLite's log, and may catch it half written.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rembo.study.database import check_place, connect, in_words
from rembo.study.opening import open_storage
from rembo.study.sqlite import SQLite
from rembo.study.storage import StorageError


def backup(source: str | Path, target: str | Path) -> None:
    """Copy a file of studies as it is now, also while other processes write it; they wait for nothing.

    Parameters
    ----------
    source : str or Path
        The file of the studies.
    target : str or Path
        Where to copy it; there must be no file yet. If the copy fails, nothing stays there.

    Raises
    ------
    StorageError
        If the source cannot be read, or the target is there already or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from rembo import Box, Study
    >>> with tempfile.TemporaryDirectory() as folder, Study(Box(3), storage=f"{folder}/tune.db", seed=0) as study:
    ...     trial = study.tell(study.ask(), 1.0)
    ...     backup(f"{folder}/tune.db", f"{folder}/copy.db")
    ...     Study.load(f"{folder}/copy.db").best_value
    1.0
    """
    studies, copy = open_storage(source), open_storage(target)
    if not isinstance(studies, SQLite) or not isinstance(copy, SQLite):
        raise TypeError("source and target must be paths of files, not None: a study in memory has no file")
    studies.names()  # refuse what cannot be read before anything is made
    with _new(copy.path) as connection:
        studies.copy_to(connection, copy.path)
        shutil.copymode(studies.path, copy.path)


@contextmanager
def _new(path: Path) -> Iterator[sqlite3.Connection]:
    """An empty database that is filled in a block, and removed if that fails."""
    check_place(path)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise StorageError(f"{path} is there already: give another path, or remove it first") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be made: {error.strerror}: allow the folder to be written") from error
    try:
        with in_words(path), closing(connect(path, "mode=rw")) as connection:
            yield connection
    except BaseException:
        path.unlink(missing_ok=True)
        raise
