"""Random spaces with conditions and forbidden clauses: is every configuration that they decode to legal?

    python benchmarks/rules.py            # 100,000 spaces, five positions each (about four minutes of one core)

A configuration is legal if it has just the active parameters, no forbidden clause holds, and the space takes it back.
Spaces whose clauses forbid everything are refused and counted.
"""

import sys
from collections import Counter
from typing import Any

import numpy as np

from rembo import Bool, Box, Categorical, Float, Greater, Integer, Is, Less, Space
from rembo.embedding import IdentityEmbedding, Point
from rembo.space import Condition, Conditional, Parameter, Scalar
from results import save

SPACES, POSITIONS = 100_000, 5
REFUSED = "no configuration was found that is not forbidden"


def random_space(rng: np.random.Generator) -> Space:
    """Two to eight parameters of all kinds, half of them with conditions on others, and up to three clauses."""
    names = [f"p{number}" for number in range(rng.integers(2, 9))]
    parameters = {name: _parameter(rng) for name in names}
    declared: dict[str, Parameter | Conditional] = {}
    for name in rng.permutation(names).tolist():
        earlier = {other: each for other in declared if isinstance(each := parameters[other], Scalar)}
        conditional = earlier and rng.random() < 0.5
        declared[name] = parameters[name].when(_condition(rng, earlier)) if conditional else parameters[name]
    scalars = {name: each for name, each in parameters.items() if isinstance(each, Scalar)}
    clauses = [_condition(rng, scalars, depth=1) for _ in range(rng.integers(0, 4))] if scalars else []
    order = rng.permutation(names).tolist()
    return Space({name: declared[name] for name in order}, forbidden=clauses)


def _parameter(rng: np.random.Generator) -> Parameter:
    kinds: tuple[Parameter, ...] = (
        Float(-1.0, 2.0),
        Float(1e-3, 1e3, log=True),
        Integer(0, 6),
        Integer(1, 1000, log=True),
        Integer(-(10**6), 10**6),
        Bool(),
        Categorical(["a", "b", "c"]),
        Box(2),
    )
    return kinds[rng.integers(len(kinds))]


def _condition(rng: np.random.Generator, among: dict[str, Scalar], depth: int = 2) -> Condition:
    """A comparison with a value that some configurations have, or some joined."""
    if depth and rng.random() < 0.5:
        one, other = (_condition(rng, among, depth - 1) for _ in range(2))
        return [one & other, one | other, ~one][rng.integers(3)]
    name = str(rng.choice(list(among)))
    parameter = among[name]
    value = parameter.value(float(rng.uniform(-1.0, 1.0)))
    if parameter.levels and (not parameter.ordered or rng.random() < 0.3):
        return Is(name, value)
    numbers = [other for other, each in among.items() if each.ordered and other != name]
    than: Any = str(rng.choice(numbers)) if numbers and rng.random() < 0.3 else value
    return (Less, Greater)[rng.integers(2)](name, than)


def fault(space: Space, u: np.ndarray[Any, Any]) -> str | None:
    """What is wrong with the configuration at a position; None if it is legal."""
    x = space.decode(Point(IdentityEmbedding(space.size), u))
    if space.rules.inactive(x) & set(x):
        return "inactive parameters"
    if set(x) | space.rules.inactive(x) != set(space.parameters):
        return "active parameters are missing"
    if space.rules.violated(x) is not None:
        return "forbidden"
    try:
        space.encode(x)
    except ValueError as refusal:
        return f"not taken back: {refusal}"
    return None


def checked(seed: int) -> str:
    """`legal`, `refused`, or the first fault of a space."""
    rng = np.random.default_rng(seed)
    try:
        space = random_space(rng)
    except ValueError as refusal:
        return "refused" if str(refusal).startswith(REFUSED) else f"refused otherwise: {refusal}"
    at = rng.uniform(-1.0, 1.0, (POSITIONS, space.size))
    at[0] = np.sign(at[0])
    return next((found for found in (fault(space, u) for u in at) if found), "legal")


if __name__ == "__main__":
    found = Counter(checked(seed) for seed in range(SPACES))
    save("rules", spaces=SPACES, positions=POSITIONS, found=dict(found))
    sys.exit(int(set(found) - {"legal", "refused"} != set()))
