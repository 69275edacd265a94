"""Problems: functions that know their box and optimum, and wrappers that hide them in many dimensions."""

from rembo.problems.functions import Branin
from rembo.problems.padded import Padded, Problem

__all__ = ["Branin", "Padded", "Problem"]
