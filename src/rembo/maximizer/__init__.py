"""Maximisers of cheap functions over a box: of acquisitions over Y, of the evidence over length scales.

Fifth step of the path (gp -> maximizer -> learning -> acquisition). Section 3.3 of the paper: DIRECT and CMA-ES, the
better of the two. The authors' released code: DIRECT, then Nelder and Mead's simplex. The default's: gradient ascent,
which is faster. A foreign minimiser gets its minus sign inside its own file.
"""

from rembo.maximizer.ascent import Ascent, climb
from rembo.maximizer.best_of import BestOf, InTurn
from rembo.maximizer.cmaes import CMAES
from rembo.maximizer.direct import Direct
from rembo.maximizer.maximizer import Ascending, Maximizer, Maximum, Score
from rembo.maximizer.nelder_mead import NelderMead
from rembo.maximizer.unseen import Unseen

__all__ = [
    "CMAES",
    "Ascending",
    "Ascent",
    "BestOf",
    "Direct",
    "InTurn",
    "Maximizer",
    "Maximum",
    "NelderMead",
    "Score",
    "Unseen",
    "climb",
]
