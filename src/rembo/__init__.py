"""rembo: Bayesian optimization of black boxes with very many parameters, few of which matter.

    user's values <-> space <-> [-1,1]^D  <-clip-  embedding  <-  y in region, a box in R^d
                                                                  ^
      value of f  ->  gp data -> condition -> posterior -> acquisition -> maximizer
                         ^            ^                                      |
                         |       learning (Algorithm 3)                      v
                         +------------ optimizer.tell <-- f <-- optimizer.ask -> y -> x
                                             +-- interleaved: k of them take turns
                      study = optimizer + workers + storage              (the imperative shell)
                      minimize, maximize = study + result

The names below stand in the order of that path. Start with `minimize`:

>>> result = minimize(lambda x: (x[17] - 0.3) ** 2 + x[999_999_998] ** 2, Box(10**9), n_trials=20, seed=0)
>>> len(result.x)
1000000000
"""

import importlib
import types

from rembo.space import Bool, Bounds, Box, Categorical, Float, Greater, Integer, Is, Less, Ordinal, Space
from rembo.embedding import GaussianEmbedding, HashEmbedding, IdentityEmbedding, Point, TreeEmbedding
from rembo.embedding import Region, epsilon_region, paper_region, theorem_radius
from rembo.kernel import Embedded, Image, Rounded
from rembo.kernel import Hamming, Matern32, Matern52, Product, SquaredExponential
from rembo.gp import LogTail, Posterior, Raw, Standardized, condition
from rembo.maximizer import CMAES, Ascent, BestOf, Direct, InTurn, NelderMead
from rembo.learning import MaximumAPosteriori, Schedule
from rembo.acquisition import ExpectedImprovement, LogExpectedImprovement, ProbabilityOfImprovement
from rembo.acquisition import Portfolio, ThompsonSampling, UpperConfidenceBound
from rembo.optimizer import (
    BayesOpt,
    Growing,
    Growth,
    Importance,
    Interleaved,
    Optimizer,
    RandomSearch,
    Rembo,
    Trial,
    TrialState,
)
from rembo import protocols
from rembo.study import End, EvaluationError, Reason, StorageError, Study, StudyTrial, TrialPruned, backup, verify
from rembo.callbacks import LogTrials, StopAt, StopWithoutProgress
from rembo.optimize import maximize, minimize
from rembo.ablation import Ablation, ablate
from rembo.version import __version__ as __version__

__all__ = [
    "Bool", "Bounds", "Box", "Categorical", "Float", "Greater", "Integer", "Is", "Less", "Ordinal", "Space",
    "GaussianEmbedding", "HashEmbedding", "IdentityEmbedding", "Point", "TreeEmbedding",
    "Region", "epsilon_region", "paper_region", "theorem_radius",
    "Embedded", "Image", "Rounded",
    "Hamming", "Matern32", "Matern52", "Product", "SquaredExponential",
    "LogTail", "Posterior", "Raw", "Standardized", "condition",
    "CMAES", "Ascent", "BestOf", "Direct", "InTurn", "NelderMead",
    "MaximumAPosteriori", "Schedule",
    "ExpectedImprovement", "LogExpectedImprovement", "ProbabilityOfImprovement",
    "Portfolio", "ThompsonSampling", "UpperConfidenceBound",
    "BayesOpt", "Growing", "Growth", "Importance", "Interleaved", "Optimizer", "RandomSearch", "Rembo",
    "Trial", "TrialState",
    "protocols",
    "End", "EvaluationError", "Reason", "StorageError", "Study", "StudyTrial", "TrialPruned", "backup",
    "verify",
    "LogTrials", "StopAt", "StopWithoutProgress",
    "maximize", "minimize",
    "Ablation", "ablate",
]  # fmt: skip


_LATER = ("plot", "problems")


def __getattr__(name: str) -> types.ModuleType:
    """`rembo.plot` and `rembo.problems` when they are first used: most programs need neither."""
    if name in _LATER:
        return importlib.import_module(f"rembo.{name}")
    raise AttributeError(f"module 'rembo' has no attribute {name!r}")


def __dir__() -> list[str]:
    """All names, with those that are loaded later."""
    return sorted({*globals(), *_LATER})
