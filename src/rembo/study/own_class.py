"""Classes of the user's own in a file: named by their module, found among those that the program has imported.

Nothing is imported here: a file that somebody sends must not run what lies in a folder. Whoever goes on with a study
imports the modules that it needs, and whoever only looks at it sees their names.
"""

import sys
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from rembo.arrays import Array, Indices


class UnknownClassError(ValueError):
    """A class in a file whose module this program has not imported; its argument is the class's name there."""

    def __str__(self) -> str:
        """What to import, or that the class has gone."""
        name, module = str(self.args[0]), str(self.args[0]).partition(":")[0]
        if sys.modules.get(module) is None:
            return f"the class {name} is not rembo's: import {module} before you open the study"
        return f"the class {name} is not rembo's, and {module} has it no longer: give it back its name there"


def own_name(kind: type, where: str) -> str:
    """`module:Class`, by which a class can be found again, or a TypeError with the cure."""
    name = f"{kind.__module__}:{kind.__qualname__}"
    if kind.__module__ == "__main__" or _found(name) is not kind:
        cure = "define it at the top level of a module of its own, e.g. mine.py, and import it from there"
        raise TypeError(f"{where} is of the class {name}, which no other program can find again: {cure}")
    return name


def own_class_named(name: str, is_fit: Callable[[type], bool]) -> type:
    """The class that a file names, if its module was imported; an error if it was not, or if the class is not fit."""
    kind = _found(name)
    if kind is None:
        raise UnknownClassError(name)
    if not isinstance(kind, type) or not is_fit(kind):
        raise ValueError(f"{name} is no frozen dataclass or optimizer, which the file says it is")
    return kind


class UnknownEmbedding:
    """Stands for an embedding of an unknown class where a study is only looked at: it has a name and no coordinates."""

    def __init__(self, name: str, ambient_dim: int, embedding_dim: int) -> None:
        self.name, self.ambient_dim, self.embedding_dim = name, ambient_dim, embedding_dim

    def image(self, y: Array, index: Indices) -> Array:
        """An error that says what to import, unless no coordinate is asked for."""
        if len(index):
            raise UnknownClassError(self.name)
        return np.zeros(0)


def _found(name: str) -> Any:
    """What an imported module has under a name, if anything; nothing that it would import when it is asked for it."""
    module, _, path = name.partition(":")
    return reduce(_inside, path.split("."), sys.modules.get(module))


def _inside(place: Any, name: str) -> Any:
    return vars(place).get(name) if hasattr(place, "__dict__") else None
