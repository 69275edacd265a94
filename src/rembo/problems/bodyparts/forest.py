"""The forest: trees grown one after the other until the budget is used up; what they say is averaged."""

import time
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Indices
from rembo.problems.bodyparts.anatomy import LABELS
from rembo.problems.bodyparts.budget import Budget
from rembo.problems.bodyparts.loops import Growth, Nodes, Rules, classify, grow, share
from rembo.problems.bodyparts.pixels import Pixels, Stream
from rembo.problems.bodyparts.render import Labels
from rembo.problems.bodyparts.settings import Settings

MOST_TREES = 100  # more change little; stumps would be thousands
TREES = len(Stream)  # a stream of random numbers beside those of the pictures


@dataclass(frozen=True, eq=False)
class Forest:
    """The nodes of all trees, the number of each tree's root, (trees,), and the work that was done."""

    nodes: Nodes
    roots: Indices
    work: int

    def classify(self, pixels: Pixels) -> Labels:
        """The part that is seen at each pixel, as far as the forest can tell."""
        return classify(self.nodes, self.roots, pixels)

    def accuracy(self, pixels: Pixels) -> float:
        """The share of pixels whose label is found."""
        return float(np.mean(self.classify(pixels) == pixels.label))


def grow_forest(settings: Settings, pixels: Pixels, budget: Budget, seed: int = 0) -> Forest:
    """As many trees as the budget allows, the last in the state in which it was when the budget was used up."""
    started, work, trees = time.perf_counter(), 0, list[Nodes]()
    rules = _rules(settings)
    while len(trees) < MOST_TREES and budget.left(work, time.perf_counter() - started) > 0:
        rng = np.random.default_rng((seed, TREES, len(trees)))
        growth = _seedling(pixels, settings.bootstrap, rng)
        work += 2 * len(growth.order)  # a tree costs something before it grows
        while growth.counts[1] and (left := budget.left(work, time.perf_counter() - started)) > 0:
            work += grow(growth, pixels, rules, rng, left)
        trees.append(_cut_to_size(growth))
    return _together(trees, work)


def _rules(settings: Settings) -> Rules:
    ends = (settings.u, settings.v)
    mean, factor = np.array([end.mean for end in ends]), np.array([end.factor for end in ends])
    return Rules(mean, factor, settings.max_depth, settings.min_samples, settings.candidates)


def _seedling(pixels: Pixels, bootstrap: bool, rng: np.random.Generator) -> Growth:
    """A root with all pixels, or with as many that are drawn from them."""
    size = len(pixels.label)
    most = 2 * size  # a tree whose leaves have a pixel each has 2 n - 1 nodes
    order = rng.integers(0, size, size) if bootstrap else np.arange(size)
    nodes = Nodes(
        np.zeros((most, 4), np.float32),
        np.zeros(most, np.float32),
        np.zeros(most, np.int64),
        np.zeros((most, LABELS), np.float32),
    )
    share(pixels, order, nodes.shares[0])
    opened = np.zeros((most, 4), np.int64)
    opened[0] = 0, 0, size, 0
    return Growth(nodes, order, opened, np.array([1, 1]))


def _cut_to_size(growth: Growth) -> Nodes:
    return Nodes._make(array[: growth.counts[0]].copy() for array in growth.nodes)


def _together(trees: list[Nodes], work: int) -> Forest:
    """The nodes of all trees, numbered through."""
    roots = np.cumsum([0, *(len(tree.child) for tree in trees[:-1])])
    numbered = [
        tree._replace(child=np.where(tree.child > 0, tree.child + root, 0))
        for tree, root in zip(trees, roots, strict=True)
    ]
    return Forest(Nodes._make(map(np.concatenate, zip(*numbered, strict=True))), roots, work)
