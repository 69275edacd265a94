"""Values in few characters, for reprs and errors: the first entries of what is long, and how many there are."""

import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

FEW = 4  # entries that are shown


def shown(value: Any) -> str:
    """A value of a space on part of a line; what is short is shown whole.

    >>> shown({"rate": 0.1, "layers": 3, "weights": [0.0] * 100})
    "{'rate': 0.1, 'layers': 3, 'weights': [0.0, 0.0, 0.0, 0.0, ... 100 in all]}"
    """
    if isinstance(value, Mapping):
        first = [f"{name!r}: {shown(each)}" for name, each in list(value.items())[: FEW + 1]]
        return f"{{{cut(first, len(value))}}}"
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return f"[{cut([f'{each:.4g}' for each in value[: FEW + 1].tolist()], len(value))}]"
    if isinstance(value, (list, tuple)):
        brackets = "[]" if isinstance(value, list) else "()"
        return f"{brackets[0]}{cut(map(shown, value[: FEW + 1]), len(value))}{brackets[1]}"
    return reprlib.repr(value) if isinstance(value, (str, bytes, int)) else repr(value)


def cut(texts: Iterable[str], count: int) -> str:
    """The first few of so many texts, with commas."""
    first = list(texts)
    return ", ".join(first) if count <= len(first) <= FEW else f"{', '.join(first[:FEW])}, ... {count} in all"
