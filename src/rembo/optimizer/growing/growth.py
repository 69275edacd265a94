"""The constants of the growing search. What each is worth is measured by `make ablate`; everything else follows."""

import math
from dataclasses import dataclass
from typing import Any

from rembo.border import check_whole


@dataclass(frozen=True)
class Growth:
    """When and how far the embedding grows, and how it is searched meanwhile.

    bins: bins for numbers at first, shared by all of them; as many points are evaluated before the first model.
    alone: up to so many numbers, each has a bin of its own at once: then there is nothing to find by sharing.
    most_bins: bins in all, twice as many where f varies with nearly all of them. Up to so many categoricals have a bin
        of their own at once, and up to so many parameters as soon as f varies with all bins. A fit costs their number.
    margin: standard deviations by which an improvement must exceed the incumbent where there are categoricals and no
        progress was made for a while.
    patience: trials from one split to the next; twice as many without progress demand the margin. Three times as many,
        and one for each bin, split bins whatever is expected; six times, and one for each, end a restart's turn.
    progress: improvement that counts. Where less is expected near the incumbent, in standard deviations of the values,
        bins are split, and a tenth of it is nothing at all. An improvement that was made counts if it is this part of
        the way from the incumbent's value to the median.
    reach: how far from the incumbent the exploiting step looks, in half widths of the region, along a bin whose length
        scale is the geometric mean of all.
    share: part of the bins that is split at once; all are, where f varies with all but this part.
    relevant: half widths of the region over which f changes by a standard deviation, were it a line: above that, a bin
        does not matter.
    collision: expected number of further coordinates that matter, below which a bin stays whole.
    most_data: observations that the model sees: a fit costs the third power.
    near: how far shared bins go in the first points around a user's default, if most parameters are discrete; |y|
        changes a part |y|^4 of a bin then. 0: a bin's parameters change together, as they do without a default.
    """

    bins: int = 8
    alone: int = 20
    most_bins: int = 64
    margin: float = 0.1
    patience: int = 4
    progress: float = 0.01
    reach: float = 0.8
    share: float = 0.25
    relevant: float = 20.0
    collision: float = 0.1
    most_data: int = 512
    near: float = 0.5

    @classmethod
    def from_stored(cls, **stored: Any) -> "Growth":
        """From the constants in a study's file; of those that an earlier version stored, the ones that are left."""
        return cls(**{name: value for name, value in stored.items() if name in cls.__dataclass_fields__})

    def __post_init__(self) -> None:
        least = {"alone": 0, "most_bins": self.bins, "most_data": 8}
        for name, value in vars(self).items():
            if isinstance(Growth.__dataclass_fields__[name].default, int):
                check_whole(value, name, least.get(name, 1))
            elif not 0.0 <= value < math.inf:
                raise ValueError(f"{name} {value} must be finite and not negative")
        if not 0.0 < self.share <= 1.0:
            raise ValueError(f"share {self.share} of the bins to split must lie above 0 and not above 1")
        if self.progress == 0.0:
            raise ValueError("progress 0.0 must be above 0: no improvement would ever be too small")
        if self.reach == 0.0:
            raise ValueError("reach 0.0 must be above 0: the exploiting step would stay at the incumbent")
        if self.near > 1.0:
            raise ValueError(f"near {self.near} must not be above 1, the end of the region")
