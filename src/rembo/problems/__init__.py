"""Problems: functions that know their box and optimum, and wrappers that hide them in many dimensions."""

from rembo.problems.functions import Branin, Hartmann6
from rembo.problems.padded import Padded, Problem
from rembo.problems.subspace import Subspace

__all__ = ["Branin", "Hartmann6", "Padded", "Problem", "Subspace"]
