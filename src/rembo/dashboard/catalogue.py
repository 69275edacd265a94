"""Which studies there are: those of a file, or of the files in a folder, each known by the names of both.

Only files that were found here are ever opened: what a request names is looked up, not made into a path.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from rembo.study import StorageError
from rembo.study.sqlite import SQLite
from rembo.study.storage import Overview

SUFFIXES = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True)
class Place:
    """Where a study is: the name of a file of the catalogue, and its own name there."""

    file: str
    name: str

    def query(self, more: Iterable[tuple[str, str]] = ()) -> str:
        """The part of an address that names the study, and more."""
        return urlencode([("file", self.file), ("name", self.name), *more])


@dataclass(frozen=True)
class Shelf:
    """A file: its studies, or what is wrong with it."""

    file: str
    studies: Sequence[Overview] = ()
    problem: str | None = None


class UnknownPlaceError(LookupError):
    """A file or a study that is not in the catalogue."""


@dataclass(frozen=True)
class Catalogue:
    """The studies of a file, which need not exist yet, or of a folder."""

    path: Path

    def files(self) -> dict[str, Path]:
        """The files by name."""
        if not self.path.is_dir():
            return {self.path.name: self.path}
        found = sorted(each for each in self.path.iterdir() if each.suffix in SUFFIXES and each.is_file())
        return {each.name: each for each in found}

    def shelves(self) -> list[Shelf]:
        """Every file with what is in it."""
        return [_shelf(name, path) for name, path in self.files().items()]

    def storage(self, file: str) -> SQLite:
        """The storage of a file that is there."""
        path = self.files().get(file)
        if path is None:
            raise UnknownPlaceError(f"There is no file {file!r} in {self.path}.")
        return SQLite(path)


def _shelf(name: str, path: Path) -> Shelf:
    try:
        return Shelf(name, SQLite(path).overviews())
    except StorageError as error:
        return Shelf(name, problem=str(error))
