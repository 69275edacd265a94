"""The optimizer that a scenario names: the one place where names stand for classes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rembo.optimizer import BayesOpt, Optimizer, RandomSearch, Rembo
from rembo.scenario.document import Table
from rembo.scenario.error import suggestion
from rembo.space import Space
from rembo.study import default_optimizer

METHODS: dict[str, tuple[Callable[..., Optimizer], tuple[str, ...]]] = {  # and the settings that each takes
    "default": (default_optimizer, ()),
    "rembo": (Rembo, ("embedding_dim", "runs", "noise")),
    "bayes_opt": (BayesOpt, ("noise",)),
    "random": (RandomSearch, ()),
}


@dataclass(frozen=True)
class Method:
    """A kind of optimizer by name, with its settings."""

    name: str = "default"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def optimizer(self, space: Space, seed: int | None) -> Optimizer:
        """A new optimizer of this kind."""
        make, _ = METHODS[self.name]
        return make(space, seed=seed, **self.settings)


def read_method(table: Table, space: Space) -> Method:
    """The optimizer of a scenario, a name or a table with a name and settings, tried out on its space."""
    given = table.find("optimizer", str, dict, default="default")
    method = Method(given) if isinstance(given, str) else _read_table(table.table("optimizer"))
    with table.at("optimizer"):
        if method.name not in METHODS:
            raise ValueError(f"unknown optimizer {method.name!r}: {suggestion(method.name, METHODS)}")
        if method.name == "rembo" and "embedding_dim" not in method.settings:
            raise ValueError(
                "rembo needs embedding_dim: write optimizer = {name = 'rembo', embedding_dim = 4, runs = 4}"
            )
        method.optimizer(space, seed=0)
    return method


def _read_table(table: Table) -> Method:
    name = table.need("name", str)
    _, settings = METHODS.get(name, (None, tuple(table.content)))
    table.refuse_unknown(["name", *settings])
    return Method(name, {key: value for key, value in table.content.items() if key != "name"})
