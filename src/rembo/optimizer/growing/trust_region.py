"""The trust region: how far from the incumbent the exploiting step looks (after TuRBO, Eriksson et al. 2019)."""

from dataclasses import dataclass, replace

import numpy as np

from rembo.arrays import Array
from rembo.embedding import Region, Window
from rembo.kernel import Leaves


@dataclass(frozen=True)
class TrustRegion:
    """How far from the incumbent to look, in units of the length scales; it follows successes and failures."""

    half_width: float = 0.8
    successes: int = 0
    failures: int = 0

    def after(self, improved: bool, bins: int) -> "TrustRegion":
        """Three successes in a row double it, as many failures as there are bins (4 to 10) halve it."""
        successes, failures = (self.successes + 1, 0) if improved else (0, self.failures + 1)
        if successes == 3:
            return TrustRegion(min(2.0 * self.half_width, 1.6))
        if failures == max(4, min(bins, 10)):
            narrower = self.half_width / 2.0
            return TrustRegion(narrower) if narrower >= 2.0**-5 else TrustRegion()
        return replace(self, successes=successes, failures=failures)

    def window(self, at: Array, lengths: Array, leaves: Leaves, region: Region) -> Window:
        """The part of the region around a point, (d,), longer where the length scales are, at most fourfold.

        Categoricals and lone whole numbers are not confined: the steps that are tried change few of them.
        """
        relative = lengths / np.exp(np.log(lengths).mean())
        half_widths = np.where(leaves.continuous, self.half_width * np.minimum(relative, 4.0), 2.0)
        return region.window(at, half_widths)
