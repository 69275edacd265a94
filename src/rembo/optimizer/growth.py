"""The constants of the growing search, chosen by the measurements of docs/adr, 0009, 0010, 0015 and 0016."""

import math
from dataclasses import dataclass

from rembo.border import check_whole


@dataclass(frozen=True)
class Growth:
    """When and how far the embedding grows, and how it is searched meanwhile."""

    bins: int = 8  # bins for numbers at first
    least_shared: int = 8  # coordinates that a first bin holds at least, down to 4 bins
    choices: int = 64  # parameters that are choices get a bin each, up to so many
    most_bins: int = 64  # bins in all
    dense_bins: int = 2  # times as many where f varies with nearly all of them
    design: int = 6  # points before the first model; among choices, points that tell something
    most_design: int = 4  # times as many points at most, where few do
    exhausted: float = math.log(0.01)  # log EI, of standardised values, below which the trust region is exhausted
    hopeless: float = math.log(0.001)  # log EI below which the whole region is
    margin: float = 0.1  # standard deviations of the values that an improvement among choices exceeds, or is none
    patience: int = 4  # trials after a split before the next
    stuck: int = 12  # trials without progress after which bins split whatever is expected
    stalled: int = 24  # trials without progress, and one for each bin, that end a descent's turn
    progress: float = 0.01  # of the way from the best value to the median: what counts as progress
    polishing: float = 1e-6  # the same where f varies along few directions
    share: float = 0.25  # of the bins split at once
    least_splits: int = 3  # at once
    dense: float = 0.75  # share of bins that matter above which all are split at once
    collision: float = 0.1  # expected number of further coordinates that matter, below which a bin stays whole
    explore_every: int = 4  # trials from one that searches the whole region to the next
    polish_every: int = 4  # trials from one polishing to the next, if none succeeds
    coarse: float = 1e-4  # gain worth polishing for, as part of the way to the median, while bins are still to split
    polished: float = 1e-10  # the same when they are not
    most_data: int = 512  # observations that the model sees, fewer where there are more than most_bins
    hurried_data: int = 128  # the same where most of them were made in a hurry

    def __post_init__(self) -> None:
        if not 0.0 < self.share <= 1.0:
            raise ValueError(f"share {self.share} of the bins to split must lie above 0 and not above 1")
        least = {"most_bins": self.bins, "patience": 0, "most_data": 8, "hurried_data": 8}
        for name, value in vars(self).items():
            if isinstance(Growth.__dataclass_fields__[name].default, int):
                check_whole(value, name, least.get(name, 1))
            elif name in ("exhausted", "hopeless"):
                if math.isnan(value):
                    raise ValueError(f"{name} {value} must be a logarithm of an expected improvement")
            elif not value >= 0.0:
                raise ValueError(f"{name} {value} must not be negative")
