"""Which bins are split: those that may hide several coordinates that matter."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Mask
from rembo.embedding import Forest
from rembo.optimizer.growing.growth import Growth
from rembo.optimizer.growing.model import Model


@dataclass(frozen=True)
class Splitting:
    """Into how many bins a restart splits its forest, and which first, by what its model says of f."""

    growth: Growth
    most_bins: int

    def dense(self, model: Model) -> bool:
        """Whether f varies with nearly all bins, and not through few directions: then all are split at once."""
        most = (1.0 - self.growth.share) * model.forest.embedding_dim
        if model.rotation is not None and model.rotation.frame[0].shape[1] <= most:
            return False
        return bool(np.count_nonzero(self._matter(model)) > most)

    def worthwhile(self, model: Model) -> Mask:
        """Which bins to split, (d,): those that matter and hold another coordinate that does with some probability.

        As many coordinates as bins matter, at least, and they lie anywhere. If a single bin matters, it is split
        whatever its size: a function of one coordinate alone is not expected. If none matters, any may be split.
        """
        sizes, matter = model.forest.sizes, self._matter(model)
        expected = matter.sum() * sizes / model.forest.ambient_dim
        match np.count_nonzero(matter):
            case 0:
                likely = sizes > 1
            case 1:
                likely = matter
            case _:
                likely = matter & (expected >= self.growth.collision)
        return (sizes > 1) & likely & (self._left(model) > 0)

    def finer(self, model: Model) -> Forest | None:
        """The forest in which the bins most worth it are split; None if none is.

        That is likely for a large bin and for a short length scale. If fewer bins are worth it than are to be split,
        their halves are split, too, so that two coordinates that share one part with probability 3/4. If each
        coordinate may have a bin of its own, all get it where f varies with all bins, and where no bin is worth it:
        what two coordinates do may cancel out in the bin that they share.
        """
        forest, worthwhile = model.forest, self.worthwhile(model)
        if self._few(model) and (self.dense(model) or not worthwhile.any()):
            return forest.resolved if (forest.sizes > 1).any() else None
        if not worthwhile.any():
            return None
        order = np.argsort(2.0 * np.log(model.in_force.lengths) - np.log(forest.sizes), kind="stable").tolist()
        return _split(forest, [leaf for leaf in order if worthwhile[leaf]], self._at_once(model))

    def _matter(self, model: Model) -> Mask:
        return np.asarray(model.in_force.spans < self.growth.relevant)

    def _few(self, model: Model) -> bool:
        """Whether each coordinate may have a bin of its own."""
        return model.forest.ambient_dim <= self.most_bins

    def _left(self, model: Model) -> int:
        """How many bins more there may be: of twice as many where f varies with all."""
        return self.most_bins * (2 if self.dense(model) else 1) - model.forest.embedding_dim

    def _at_once(self, model: Model) -> int:
        """How many splits are made at once: a quarter of the bins, at least three, or all where f varies with all."""
        d = model.forest.embedding_dim
        return min(max(3, d if self.dense(model) else int(self.growth.share * d)), self._left(model))


def _split(forest: Forest, leaves: Sequence[int], count: int) -> Forest:
    """The forest with so many splits: of the first of these leaves, then of their halves, the largest first."""
    finer = forest.split(leaves[:count])
    left = count - len(leaves)
    while left > 0:
        descended = np.isin(finer.ancestors(forest), leaves) & (finer.sizes > 1)
        halves = sorted(np.flatnonzero(descended).tolist(), key=lambda leaf: -int(finer.sizes[leaf]))[:left]
        if not halves:
            break
        finer, left = finer.split(halves), left - len(halves)
    return finer
