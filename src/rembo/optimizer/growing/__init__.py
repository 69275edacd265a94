"""The default: an embedding that grows where f turns out to vary, searched by Bayesian optimization.

    growing       the optimizer: restarts take turns
    restart       one restart: which step comes next (the state machine of docs/growing.md)
    splitting     which bins are split, and when all are
    state         what a restart was told
    model         what it believes of f: main effects and interactions along the axes, or a few directions
    directions    the directions
    lens          the polishing step: a smooth model of the nearest observations
    ascent        where a score is highest, numbers and categoricals alike
    growth        the constants

The embedding is `rembo.embedding.Forest`. Its bins are measured by `rembo.kernel.Leaves` and `BoundEffects`, with the
priors of `rembo.optimizer.additive`. What matters is told by `rembo.optimizer.importance`.
"""

from rembo.optimizer.growing.growing import Growing
from rembo.optimizer.growing.growth import Growth
from rembo.optimizer.growing.restart import Restart

__all__ = ["Growing", "Growth", "Restart"]
