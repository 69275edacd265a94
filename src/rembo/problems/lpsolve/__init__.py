"""lp_solve, an open source solver of mixed-integer programs, as a problem of 47 parameters (Section 4.3).

`LpSolve(READY, Iterations(5000))` is the gap that a configuration leaves on a wildlife corridor. It needs Linux and
packages of Debian: `apt-get install lp-solve`, and `gcc libc6-dev` for the limit of iterations.
"""

from rembo.problems.lpsolve.corridor import Corridor
from rembo.problems.lpsolve.evaluation import LpSolve, Outcome
from rembo.problems.lpsolve.flips import Flips, flip_each
from rembo.problems.lpsolve.limits import Iterations, Limit, Seconds
from rembo.problems.lpsolve.optimum import HELD_OUT, HELD_OUT_SMALL, READY, READY_SMALL, largest_utility
from rembo.problems.lpsolve.parameters import SPACE, parameter_text
from rembo.problems.lpsolve.tools import COMPILER, LP_SOLVE

__all__ = [
    "COMPILER",
    "HELD_OUT",
    "HELD_OUT_SMALL",
    "LP_SOLVE",
    "READY",
    "READY_SMALL",
    "SPACE",
    "Corridor",
    "Flips",
    "Iterations",
    "Limit",
    "LpSolve",
    "Outcome",
    "Seconds",
    "flip_each",
    "largest_utility",
    "parameter_text",
]
