"""The paper's second application (Section 4.4): a classifier of body parts, whose 14 parameters all seem to matter.

A random forest labels each pixel of a depth image with the part of the body that is seen there, after Shotton et al.
(2011). It may grow for a limited time, so that depth, candidates and number of trees compete. The pictures are drawn
here, those of the paper not being available.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rembo.border import check_whole
from rembo.problems.bodyparts.budget import Budget, Seconds, Work
from rembo.problems.bodyparts.pixels import PAPER_SIZE, Pixels, Size, Stream, judged_pixels, training_pixels
from rembo.problems.bodyparts.settings import SPACE, Settings
from rembo.space import Space

if TYPE_CHECKING:
    from rembo.problems.bodyparts.forest import Forest

SMALL_SIZE = Size()
SMALL_BUDGET = Work(4_000_000)  # 0.1 to 0.4 s
PAPER_BUDGET = Seconds(300.0)


@dataclass(frozen=True)
class BodyParts:
    """The error rate of a forest on the foreground pixels of validation pictures, as a function of 14 parameters.

    The seed draws the pictures and grows the forest; with a budget of work the value is a function of it and x alone.
    """

    seed: int = 0
    size: Size = SMALL_SIZE
    budget: Budget = SMALL_BUDGET

    def __post_init__(self) -> None:
        check_whole(self.seed, "seed", 0)

    @classmethod
    def as_in_the_paper(cls, seed: int = 0) -> "BodyParts":
        """25,000 training pixels of each label, all validation pixels, and five minutes for each forest."""
        return cls(seed, PAPER_SIZE, PAPER_BUDGET)

    @property
    def space(self) -> Space:
        """Fourteen named parameters, and a default."""
        return SPACE

    @property
    def optimum(self) -> float:
        """No errors: a bound, as the lowest rate that a forest can have is not known."""
        return 0.0

    def forest(self, x: Mapping[str, Any]) -> "Forest":
        """The forest that these parameters grow."""
        from rembo.problems.bodyparts.forest import grow_forest  # numba is needed from here on

        return grow_forest(Settings.of(x), training_pixels(self.seed, self.size), self.budget, self.seed)

    def judged(self, stream: Stream) -> Pixels:
        """The pixels of a stream on which forests are judged; those of the test are for the end, when all is chosen."""
        return judged_pixels(self.seed, stream, self.size)

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The error rate on the validation pictures."""
        return 1.0 - self.forest(x).accuracy(self.judged(Stream.VALIDATION))
