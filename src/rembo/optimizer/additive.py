"""Functions of many variables that are nearly sums: the priors of their kernel, and what values make most probable."""

import math
from collections.abc import Sequence

import numpy as np
import scipy

from rembo.arrays import Array
from rembo.gp import Evidence
from rembo.kernel import BoundEffects, Leaves
from rembo.learning import Prior

LENGTH = Prior(2.0, 2.0, 0.03, 100.0)  # long, so that a bin must earn its relevance
EFFECTS = (  # of main effects: how much shorter their length scales are, their variance, and the interactions'
    Prior(2.7, 1.0, 0.5, 50.0),
    Prior(0.5, 2.0, 1e-3, 100.0),
    Prior(0.5, 2.0, 1e-3, 100.0),
)
FIRST_NOISE = 1e-2  # from which fits begin now and then, and always if f is noisy: at the bound the evidence is flat
_ENOUGH = 1e-5  # of the log posterior: a fit that gains less by a step has arrived, and what follows is rounding


def axes_kernel(leaves: Leaves) -> BoundEffects:
    """Main effects of the bins and interactions, with the hyper-parameters expected before anything is seen."""
    scales = np.append(np.full(len(leaves.choices), LENGTH.median), [prior.median for prior in EFFECTS])
    return BoundEffects(leaves, scales, leaves.groups, leaves.choices > 0, leaves.coded)


def most_probable(evidence: Evidence, priors: Sequence[Prior], start: Array | None, steps: int) -> Array:
    """The kernel's scales, with these priors, and last the noise, (p + 1,): where L-BFGS climbs to from the start.

    Without a start it begins at the medians; all values of the noise between its bounds are equally plausible.
    """
    mean = np.log([prior.median for prior in priors])
    std = np.array([prior.spread for prior in priors])
    low = np.log([*(prior.lower for prior in priors), evidence.noise.low])
    high = np.log([*(prior.upper for prior in priors), evidence.noise.high])
    first = np.append(mean, math.log(FIRST_NOISE)) if start is None else np.log(start)

    def loss(theta: Array) -> tuple[float, Array]:
        value, slope = evidence.with_gradient(np.exp(theta[:-1]), math.exp(theta[-1]))
        off = (theta[:-1] - mean) / std
        slope[:-1] -= off / std
        return -max(value - 0.5 * float(off @ off), -1e10), -slope  # a finite wall, from which L-BFGS turns back

    found = scipy.optimize.minimize(
        loss, np.clip(first, low, high), jac=True, method="L-BFGS-B", bounds=scipy.optimize.Bounds(low, high),
        options={"maxiter": steps, "ftol": _ENOUGH},
    )  # fmt: skip
    return np.asarray(np.exp(found.x))
