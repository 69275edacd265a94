"""Which parameters matter: what a change of each does to f at the best configuration, and how sure that is.

importance  the estimate, from a Gaussian process of what was told
observed    what was told, by groups of parameters that moved together
laplace     hyper-parameters that the values leave plausible
"""

from rembo.optimizer.importance.importance import Importance, importance
from rembo.optimizer.importance.observed import Observed, small_enough

__all__ = ["Importance", "Observed", "importance", "small_enough"]
