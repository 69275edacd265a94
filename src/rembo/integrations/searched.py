"""What the doors share: a space with what is fixed beside it, and an optimizer chosen by what makes it.

Other libraries let a parameter have a single value, and learn the space only when they run. So a door takes the class
of an optimizer, or anything else that makes one of a space and a seed, instead of an optimizer that exists already.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rembo.optimizer import Optimizer
from rembo.space import Categorical, Domain, Parameter, Space
from rembo.study import default_optimizer

Maker: TypeAlias = Callable[..., Optimizer]


@dataclass(frozen=True)
class Fixed:
    """In the place of a parameter: its only value."""

    value: Any


@dataclass(frozen=True)
class Searched:
    """A space, and what is the same at all of its points."""

    space: Space
    constants: Mapping[str, Any]

    @staticmethod
    def of(entries: Mapping[str, Parameter | Fixed], default: Mapping[str, Any] | None = None) -> "Searched":
        """What is searched and what is fixed, told apart.

        >>> from rembo import Float
        >>> Searched.of({"rate": Float(0.0, 1.0), "depth": Fixed(3)}).complete({"rate": 0.5})
        {'rate': 0.5, 'depth': 3}
        """
        parameters = {name: entry for name, entry in entries.items() if isinstance(entry, Parameter)}
        constants = {name: entry.value for name, entry in entries.items() if isinstance(entry, Fixed)}
        start = None if default is None else {name: default[name] for name in parameters}
        return Searched(Space(parameters, start), constants)

    def complete(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """A value of the space together with the constants."""
        return {**x, **self.constants}


def choice_of(values: Sequence[Any]) -> Parameter | Fixed:
    """A parameter with these values, which have no order; one value alone is fixed."""
    return Fixed(values[0]) if len(values) == 1 else Categorical(values)


def optimizer_of(maker: Maker | None, space: Domain, seed: int | None) -> Optimizer:
    """The optimizer of a space that the user wants; without a wish the default, as `minimize` has it.

    >>> from functools import partial
    >>> from rembo import Box, Rembo
    >>> optimizer_of(partial(Rembo, embedding_dim=2), Box(100), seed=0).seed
    0
    """
    made = (check_maker(maker) or default_optimizer)(space, seed=seed)
    if not isinstance(made, Optimizer):
        raise TypeError(f"optimizer must make one of rembo's optimizers, not {made!r}")
    if made.space != space:
        raise ValueError(f"the optimizer searches {made.space}, not the space that it was given: pass it on")
    return made


def check_maker(maker: Any) -> Maker | None:
    """What makes an optimizer, or nothing; a TypeError for anything else, an optimizer that exists already included."""
    if maker is not None and (isinstance(maker, Optimizer) or not callable(maker)):
        cure = "give a class, e.g. rembo.BayesOpt, or functools.partial(rembo.Rembo, embedding_dim=4)"
        raise TypeError(f"optimizer must make one of a space and a seed, which {maker!r} does not: {cure}")
    checked: Maker | None = maker
    return checked
