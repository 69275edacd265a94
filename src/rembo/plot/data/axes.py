"""What the entries of y are called, and where on their axes the values of a lone parameter lie.

Naming never costs D: a bin of more than a thousand coordinates is called by their number.
"""

from dataclasses import dataclass

import numpy as np

from rembo.embedding import Forest, IdentityEmbedding, Source
from rembo.space import Domain, Parameter, Scalar, coordinate_name, middle_of, parts_of

_MOST_LISTED = 1_000  # coordinates of a bin that are looked up to name the first of them
_NAMED = 3
_MOST_TICKS = 5


@dataclass(frozen=True)
class Axis:
    """An entry of y: what it is called, and the values of a lone parameter at some positions in [-1,1]."""

    name: str
    ticks: tuple[tuple[float, str], ...] = ()


def axis_of(space: Domain, embedding: Source, entry: int) -> Axis:
    """What entry number `entry` of y stands for: a parameter, a bin of several, or a direction of an embedding."""
    if isinstance(embedding, IdentityEmbedding):
        return _lone(space, entry)
    if not isinstance(embedding, Forest):
        return Axis(f"y[{entry}]")
    size = int(embedding.sizes[entry])
    if size == 1:
        return _lone(space, int(embedding.members(entry)[0]))
    return Axis(_bin_name(space, embedding, entry, size))


def _bin_name(space: Domain, forest: Forest, leaf: int, size: int) -> str:
    """The names of the first few parameters of a bin, and how many there are beside them."""
    if size > _MOST_LISTED:
        return f"{size:,} parameters"
    names = [coordinate_name(space, member) for member in forest.members(leaf)[:_NAMED].tolist()]
    return ", ".join(names) + (f" and {size - _NAMED:,} more" if size > _NAMED else "")


def _lone(space: Domain, index: int) -> Axis:
    parts = parts_of(space)
    owner = parts[int(np.searchsorted([part.start for part in parts], index, side="right")) - 1]
    return Axis(coordinate_name(space, index), _ticks(owner.parameter))


def _ticks(parameter: Parameter) -> tuple[tuple[float, str], ...]:
    """The ends and the middle of a range of numbers, or each of a few choices; nothing for what has no single value."""
    if not isinstance(parameter, Scalar):
        return ()
    few = parameter.levels and parameter.levels <= _MOST_TICKS
    positions = middle_of(np.arange(parameter.levels), parameter.levels) if few else np.array([-1.0, 0.0, 1.0])
    return tuple((float(u), _shown(parameter.value(float(u)))) for u in positions)


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
