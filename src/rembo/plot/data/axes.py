"""What the entries of y are called, and how positions along them read.

Naming never costs D: a bin of more than a thousand coordinates is called by their number.
"""

from dataclasses import dataclass

from rembo.embedding import Forest, IdentityEmbedding, Source
from rembo.plot.data.coordinates import coordinate
from rembo.plot.data.rulers import Position, Ruler, ruler_of, shared_ruler
from rembo.space import Domain, coordinate_name

_MOST_LISTED = 1_000  # coordinates of a bin that are looked up to name the first of them
_NAMED = 3


@dataclass(frozen=True)
class Axis:
    """An entry of y: what it is called, and its ruler."""

    name: str
    ruler: Ruler


def axis_of(space: Domain, embedding: Source, entry: int) -> Axis:
    """What entry number `entry` of y stands for: a parameter, a bin of several, or a direction of an embedding."""
    if isinstance(embedding, IdentityEmbedding):
        return _lone(space, entry)
    if not isinstance(embedding, Forest):
        return Axis(f"y[{entry}]", Position())
    size = int(embedding.sizes[entry])
    if size == 1:
        return _lone(space, int(embedding.members(entry)[0]))
    return Axis(_bin_name(space, embedding, entry, size), shared_ruler(int(embedding.choices[entry])))


def _lone(space: Domain, index: int) -> Axis:
    found = coordinate(space, index)
    return Axis(found.name, ruler_of(found))


def _bin_name(space: Domain, forest: Forest, leaf: int, size: int) -> str:
    """The names of the first few parameters of a bin, and how many there are beside them."""
    if size > _MOST_LISTED:
        return f"{size:,} parameters"
    names = [coordinate_name(space, member) for member in forest.members(leaf)[:_NAMED].tolist()]
    return ", ".join(names) + (f" and {size - _NAMED:,} more" if size > _NAMED else "")
