"""Maximisers of cheap functions over a box: of acquisitions over Y, of the evidence over length scales.

Fifth step of the path (gp -> maximizer -> learning -> acquisition). Section 3.3 of the paper: DIRECT and CMA-ES, the
better of the two; and the faster gradient ascent. A foreign minimiser gets its minus sign inside its own file.
"""

from rembo.maximizer.ascent import Ascent, climb
from rembo.maximizer.best_of import BestOf
from rembo.maximizer.cmaes import CMAES
from rembo.maximizer.direct import Direct
from rembo.maximizer.maximizer import Ascending, Maximizer, Maximum, Score
from rembo.maximizer.unseen import Unseen

__all__ = [
    "CMAES",
    "Ascending",
    "Ascent",
    "BestOf",
    "Direct",
    "Maximizer",
    "Maximum",
    "Score",
    "Unseen",
    "climb",
]
