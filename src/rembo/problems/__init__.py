"""Problems: functions that know their box and optimum, and wrappers that hide, move, blur or discretise them."""

from rembo.problems.bodyparts import BodyParts
from rembo.problems.discrete import BinaryQuadratic, CategoryTable, SparseBits
from rembo.problems.discretised import Discretised
from rembo.problems.functions import Ackley, Branin, Hartmann6, Levy, Rastrigin, Rosenbrock
from rembo.problems.lasso import SparseRegression
from rembo.problems.noisy import Noisy
from rembo.problems.padded import Padded
from rembo.problems.problem import Problem
from rembo.problems.shifted import Shifted
from rembo.problems.subspace import Subspace

__all__ = [
    "Ackley",
    "BinaryQuadratic",
    "BodyParts",
    "Branin",
    "CategoryTable",
    "Discretised",
    "Hartmann6",
    "Levy",
    "Noisy",
    "Padded",
    "Problem",
    "Rastrigin",
    "Rosenbrock",
    "Shifted",
    "SparseBits",
    "SparseRegression",
    "Subspace",
]
