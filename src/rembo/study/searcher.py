"""The optimizer of a study: the default one or the user's, and how it is described in a file."""

from pathlib import Path
from typing import Any

from rembo.optimizer import Growing, Optimizer
from rembo.space import Domain
from rembo.study.codec import Data, describe
from rembo.study.opening import open_storage


def default_optimizer(space: Domain, seed: int | None = None, x0: Any = None) -> Optimizer:
    """What a study uses if it is told nothing: `Growing`."""
    return Growing(space, x0=x0, seed=seed)


def check_optimizer(optimizer: Optimizer | None, space: Domain, seed: int | None) -> Optimizer | None:
    """The optimizer itself, if it can search the space; it brings its own seed."""
    if optimizer is None:
        return None
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"optimizer must be one of rembo's, e.g. Rembo(space, embedding_dim=4), not {optimizer!r}")
    if seed is not None:
        raise ValueError(f"seed {seed} and an optimizer, which has its own seed {optimizer.seed}: give one of them")
    if optimizer.space != space:
        raise ValueError(f"the optimizer searches {optimizer.space}, not {space}: make it with the same space")
    return optimizer


def described_optimizer(optimizer: Optimizer) -> Data:
    """What the file says of an optimizer, which must be as new: what it was told before would not be in the file."""
    if optimizer.trials:
        count = len(optimizer.trials)
        raise ValueError(f"the optimizer has made {count} trials that the file would not know: give it a fresh one")
    return describe(optimizer, "optimizer")


def stored_seed(storage: str | Path | None, name: str) -> int | None:
    """The seed that the study has in the file, if both are there."""
    if storage is None or not Path(storage).is_file() or not Path(storage).stat().st_size:
        return None
    kept = open_storage(storage)
    if name not in kept.names():
        return None
    stored = kept.read(name).header.optimizer
    return stored.get("seed") if isinstance(stored, dict) else None
