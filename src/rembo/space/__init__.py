"""Search spaces: what the user's function takes, seen as the cube [-1,1]^D.

First step of the path. A parameter turns a position u in [-1,1] into a legal value (the paper's s(x), Section 3.2:
scale and round) and back; a `Space` names several of them. Alike coordinates are one entry whatever their number, so
that `Box(10**9)` costs as much memory as `Box(2)`.
"""

from rembo.space.array import Bounds, Box
from rembo.space.choice import Bool, Categorical, Ordinal
from rembo.space.condition import TRUE, And, Condition, Conditional, Greater, Is, Less, Not, Or, Reading
from rembo.space.domain import DomainLike, check_domain
from rembo.space.number import Float, Integer
from rembo.space.parameter import (
    MOST_LEVELS,
    Coordinates,
    Parameter,
    Scalar,
    Written,
    level_at,
    middle_of,
    stretch,
    unstretch,
)
from rembo.space.rules import Rules
from rembo.space.shown import shown
from rembo.space.space import Domain, Part, Space, coordinate_name, parts_of

__all__ = [
    "MOST_LEVELS",
    "TRUE",
    "And",
    "Bool",
    "Bounds",
    "Box",
    "Categorical",
    "Condition",
    "Conditional",
    "Coordinates",
    "Domain",
    "DomainLike",
    "Float",
    "Greater",
    "Integer",
    "Is",
    "Less",
    "Not",
    "Or",
    "Ordinal",
    "Parameter",
    "Part",
    "Reading",
    "Rules",
    "Scalar",
    "Space",
    "Written",
    "check_domain",
    "coordinate_name",
    "level_at",
    "middle_of",
    "parts_of",
    "shown",
    "stretch",
    "unstretch",
]
