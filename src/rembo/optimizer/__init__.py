"""Optimizers: ask where to evaluate, tell what came back.

Eighth step of the path (acquisition -> optimizer -> optimize). Only what stands here changes while a search runs.
"""

from rembo.optimizer.bayes_opt import BayesOpt
from rembo.optimizer.growing import Growing, Growth
from rembo.optimizer.importance import Importance
from rembo.optimizer.interleaved import Interleaved
from rembo.optimizer.optimizer import Optimizer, Suggestion
from rembo.optimizer.random_search import RandomSearch
from rembo.optimizer.rembo import Rembo
from rembo.optimizer.trial import Origin, Trial, TrialState

__all__ = [
    "BayesOpt",
    "Growing",
    "Growth",
    "Importance",
    "Interleaved",
    "Optimizer",
    "Origin",
    "RandomSearch",
    "Rembo",
    "Suggestion",
    "Trial",
    "TrialState",
]
