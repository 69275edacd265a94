"""From what the user calls a storage to the studies in it, and to the one that is meant."""

from collections.abc import Sequence
from pathlib import Path

from rembo.study.memory import Memory
from rembo.study.sqlite import SQLite
from rembo.study.storage import ABLATION, Storage, StorageError


def open_storage(where: str | Path | None) -> Storage:
    """The studies in a SQLite file, which need not exist yet; or in memory, without a path."""
    if where is None:
        return Memory()
    if not isinstance(where, (str, Path)):
        raise TypeError(f"storage must be the path of a file, or None to keep a study in memory, not {where!r}")
    if "://" in str(where) or str(where) in ("", ":memory:"):
        raise ValueError(f"storage {str(where)!r} must be the path of a file, e.g. 'tune.db', or None for memory")
    return SQLite(Path(where))


def the_only(storage: Storage, name: str | None, where: str | Path) -> str:
    """The name of a study that is there: the one given, or the only one, but for its ablation."""
    names = without_ablations(storage.names())
    if name is None and len(names) != 1:
        there = f"{', '.join(map(repr, names))}: name one of them" if names else "no study yet"
        raise StorageError(f"{where} has {there}")
    return names[0] if name is None else name


def without_ablations(names: Sequence[str]) -> list[str]:
    """The names but for those of ablations of a study that is among them."""
    return [name for name in names if not (name.endswith(ABLATION) and name.removesuffix(ABLATION) in names)]
