"""Few enough points to draw: a picture of a hundred thousand trials must not take longer than one can look at."""

import numpy as np

from rembo.arrays import Indices

MOST_MARKS = 2_000
MOST_STEPS = 400
MOST_MOMENTS = 50


def evenly(count: int, most: int) -> Indices:
    """At most so many of the numbers below count, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).round().astype(np.int64))
