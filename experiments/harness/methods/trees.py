"""A forest of extremely randomised trees (Geurts, Ernst and Wehenkel 2006), which `tried.py` sets beside our model."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices, Mask

TREES, FEWEST = 24, 3  # trees, and rows of a node that is split
SHARE = 0.5  # of the features that vary in a node: so many are tried, each at one random cut
LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Cut:
    """A feature, where it is cut, and which rows of the node are below, (n,)."""

    feature: int
    at: float
    below: Mask


@dataclass(frozen=True, eq=False)
class Trees:
    """Nodes of all trees: the feature that is cut, where, the first of two children, mean and variance, (k,) each.

    A leaf's first child is -1; roots, (t,), are the first nodes of the trees.
    """

    feature: Indices
    cut: Array
    child: Indices
    mean: Array
    variance: Array
    roots: Indices

    def __call__(self, Z: Array) -> tuple[Array, Array]:
        """Mean and standard deviation at Z, (n, m): (n,) each; the variance is that of leaves and between trees."""
        at = np.tile(self.roots[:, None], (1, len(Z)))
        while (inner := self.child[at] >= 0).any():
            above = Z[np.arange(len(Z)), np.maximum(self.feature[at], 0)] > self.cut[at]
            at = np.where(inner, self.child[at] + above, at)
        mean = self.mean[at]
        return mean.mean(axis=0), np.sqrt(mean.var(axis=0) + self.variance[at].mean(axis=0) + LEAST_VARIANCE)


def grow(Z: Array, values: Array, rng: np.random.Generator) -> Trees:
    """A forest that follows values, (n,), at Z, (n, m); each tree sees rows drawn with replacement."""
    nodes: list[tuple[int, float, int, float, float]] = []
    roots = []
    for _ in range(TREES):
        roots.append(len(nodes))
        nodes.append(_leaf(values))
        unsplit = [(roots[-1], rng.integers(0, len(Z), len(Z)))]
        while unsplit:
            node, rows = unsplit.pop()
            nodes[node] = _leaf(values[rows])
            if (cut := _best_cut(Z[rows], values[rows], rng)) is not None:
                nodes[node] = (cut.feature, cut.at, len(nodes), *nodes[node][3:])
                unsplit += [(len(nodes), rows[cut.below]), (len(nodes) + 1, rows[~cut.below])]
                nodes += [nodes[node]] * 2
    return Trees(*(np.array(each) for each in zip(*nodes, strict=True)), np.array(roots))


def _leaf(values: Array) -> tuple[int, float, int, float, float]:
    return -1, 0.0, -1, float(values.mean()), float(values.var())


def _best_cut(Z: Array, values: Array, rng: np.random.Generator) -> Cut | None:
    """The cut that explains most variance of some random ones; None if there is nothing to explain, or to cut."""
    low, high = Z.min(axis=0), Z.max(axis=0)
    able = np.flatnonzero(high > low)
    if len(Z) < FEWEST or values.var() < 1e-12 or not len(able):
        return None
    able = rng.permutation(able)[: max(1, int(np.ceil(SHARE * len(able))))]
    cuts = rng.uniform(low[able], high[able])
    below = Z[:, able] <= cuts
    count, total = below.sum(axis=0), values @ below
    gain = total**2 / count + (values.sum() - total) ** 2 / np.maximum(len(Z) - count, 1)
    gain[count == len(Z)] = -np.inf
    best = int(np.argmax(gain))
    return Cut(int(able[best]), float(cuts[best]), below[:, best]) if count[best] < len(Z) else None
