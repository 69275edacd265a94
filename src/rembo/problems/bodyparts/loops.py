"""The inner loops of the forest, compiled by numba: growing a tree node by node, and asking trees about pixels.

At a node, a sample of its pixels answers m candidate features. The answers to one are sorted into equal bins, and the
cut between two bins that tells most about the labels is scored; the best cut of the best feature splits the node.
Trees are grown depth first, and one that was stopped is whole: its open nodes are leaves.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rembo.arrays import Array, Indices
from rembo.extras import absent
from rembo.problems.bodyparts.anatomy import LABELS
from rembo.problems.bodyparts.pixels import Pixels
from rembo.problems.bodyparts.render import HEIGHT, WIDTH, Labels

try:
    import numba
except ModuleNotFoundError as missing:
    raise absent("the forest of BodyParts needs numba", "numba") from missing

Function = TypeVar("Function", bound=Callable[..., Any])
Singles: TypeAlias = npt.NDArray[np.float32]

SAMPLE = 100  # pixels of a node that answer its candidates
BINS = 24
DRAWING = 8  # what it costs to draw and to score a candidate, in answers
N_LOG_N = np.arange(SAMPLE + 1) * np.log(np.maximum(np.arange(SAMPLE + 1), 1))


class Rules(NamedTuple):
    """How nodes are split: means, (2, 2), and factors of covariances, (2, 2, 2), of u and of v; and when not to."""

    mean: Array
    factor: Array
    max_depth: int
    min_samples: int
    candidates: int


class Nodes(NamedTuple):
    """n nodes of trees: `child` is the left child of each, which the right one follows; leaves have 0.

    offsets: (n, 4), horizontal and vertical of u, then of v; shares: of each label among its pixels, (n, 20).
    """

    offsets: Singles
    threshold: Singles
    child: Indices
    shares: Singles


class Growth(NamedTuple):
    """A tree in the making.

    order: its pixels, those of a node side by side. opened: rows of node, first place and end in `order`, and depth, of
    which the last is next. counts: the number of nodes, and of open ones.
    """

    nodes: Nodes
    order: Indices
    opened: Indices
    counts: Indices


def compiled(function: Function) -> Function:
    """The same function as machine code, which is kept in __pycache__.

    It holds the constants of other files as they were: delete it after changing one of those.
    """
    return cast(Function, numba.njit(cache=True)(function))


@compiled
def answer(pixels: Pixels, n: int, offsets: Singles) -> float:
    """depth(P + 2 u / depth(P)) - depth(P + 2 v / depth(P)) at pixel P = n, cut to whole pixels of the picture."""
    row_u = min(max(pixels.row[n] + int(pixels.reach[n] * offsets[1]), 0), HEIGHT - 1)
    row_v = min(max(pixels.row[n] + int(pixels.reach[n] * offsets[3]), 0), HEIGHT - 1)
    column_u = min(max(pixels.column[n] + int(pixels.reach[n] * offsets[0]), 0), WIDTH - 1)
    column_v = min(max(pixels.column[n] + int(pixels.reach[n] * offsets[2]), 0), WIDTH - 1)
    picture = pixels.picture[n]
    return pixels.depth[picture, row_u, column_u] - pixels.depth[picture, row_v, column_v]  # type: ignore[no-any-return]


@compiled
def draw(rules: Rules, rng: np.random.Generator, offsets: Singles) -> None:
    """Put u and v, drawn from their distributions, into `offsets`."""
    for end in range(2):
        first, second = rng.standard_normal(), rng.standard_normal()
        offsets[2 * end] = rules.mean[end, 0] + rules.factor[end, 0, 0] * first
        offsets[2 * end + 1] = rules.mean[end, 1] + rules.factor[end, 1, 0] * first + rules.factor[end, 1, 1] * second


@compiled
def sampled(order: Indices, first: int, end: int, rng: np.random.Generator) -> Indices:
    """The pixels of a node if they are few, otherwise some of them, drawn with replacement."""
    if end - first <= SAMPLE:
        return order[first:end].copy()
    sample = np.empty(SAMPLE, np.int64)
    for i in range(SAMPLE):
        sample[i] = order[first + rng.integers(0, end - first)]
    return sample


@compiled
def sort_answers(answers: Array, bins: Indices) -> float:
    """Put the bin of each answer into `bins`; returns how wide bins are, 0 if all answers are the same."""
    low, width = answers.min(), (answers.max() - answers.min()) / BINS
    for i in range(len(answers)):
        bins[i] = min(int((answers[i] - low) / width), BINS - 1) if width > 0.0 else 0
    return width  # type: ignore[no-any-return]


@compiled
def sort_labels(bins: Indices, labels: Labels, ordered: Labels) -> Indices:
    """Put the labels into `ordered` bin after bin; returns where each bin begins, and the end, (BINS + 1,)."""
    starts = np.zeros(BINS + 1, np.int64)
    for i in range(len(bins)):
        starts[bins[i] + 1] += 1
    starts = np.cumsum(starts)
    places = starts.copy()
    for i in range(len(bins)):
        ordered[places[bins[i]]] = labels[i]
        places[bins[i]] += 1
    return starts


@compiled
def best_cut(ordered: Labels, starts: Indices) -> tuple[float, int]:
    """The highest information gain of a cut, and the last bin on its left; minus infinity if there is but one bin.

    Up to a constant and a factor, it is the sum of n log n over the labels on either side, less that of the sides.
    """
    left, right = np.zeros(LABELS, np.int64), np.bincount(ordered, minlength=LABELS)
    told, best, cut = N_LOG_N[right].sum(), -np.inf, 0
    for b in range(BINS - 1):
        for label in ordered[starts[b] : starts[b + 1]]:
            told += N_LOG_N[left[label] + 1] - N_LOG_N[left[label]]
            told += N_LOG_N[right[label] - 1] - N_LOG_N[right[label]]
            left[label] += 1
            right[label] -= 1
        n = starts[b + 1]
        gain = told - N_LOG_N[n] - N_LOG_N[len(ordered) - n]
        if gain > best and 0 < n < len(ordered):
            best, cut = gain, b
    return best, cut


@compiled
def best_split(pixels: Pixels, sample: Indices, rules: Rules, rng: np.random.Generator, found: Singles) -> float:
    """Put the best candidate into `found`; returns its threshold, which is not a number if no answers differ."""
    labels, ordered, offsets = pixels.label[sample], pixels.label[sample], np.empty(4, np.float32)
    answers, bins = np.empty(len(sample)), np.empty(len(sample), np.int64)
    best, threshold = -np.inf, np.nan
    for _ in range(rules.candidates):
        draw(rules, rng, offsets)
        for i in range(len(sample)):
            answers[i] = answer(pixels, sample[i], offsets)
        width = sort_answers(answers, bins)
        gain, cut = best_cut(ordered, sort_labels(bins, labels, ordered))
        if gain > best:
            best, threshold = gain, answers.min() + (cut + 1) * width
            found[:] = offsets
    return threshold


@compiled
def partition(pixels: Pixels, order: Indices, first: int, end: int, offsets: Singles, threshold: float) -> int:
    """Put the pixels of a node that go left before the others; returns where the others begin."""
    while first < end:
        if answer(pixels, order[first], offsets) < threshold:
            first += 1
        else:
            end -= 1
            order[first], order[end] = order[end], order[first]
    return first


@compiled
def share(pixels: Pixels, members: Indices, shares: Singles) -> None:
    """Put the share of each label among the pixels into `shares`."""
    for n in members:
        shares[pixels.label[n]] += 1.0
    shares /= len(members)


@compiled
def split(growth: Growth, pixels: Pixels, node: int, first: int, middle: int, end: int, depth: int) -> None:
    """Give a node two children, and open them, the left one to be next."""
    child = growth.counts[0]
    growth.nodes.child[node] = child
    share(pixels, growth.order[first:middle], growth.nodes.shares[child])
    share(pixels, growth.order[middle:end], growth.nodes.shares[child + 1])
    growth.opened[growth.counts[1]] = child + 1, middle, end, depth + 1
    growth.opened[growth.counts[1] + 1] = child, first, middle, depth + 1
    growth.counts[:] += 2


@compiled
def grow(growth: Growth, pixels: Pixels, rules: Rules, rng: np.random.Generator, allowance: int) -> int:
    """Split open nodes until there are none, or the allowance is used up; returns the work that was done."""
    nodes, order, work = growth.nodes, growth.order, 0
    while growth.counts[1] > 0 and work < allowance:
        growth.counts[1] -= 1
        node, first, end, depth = growth.opened[growth.counts[1]]
        if depth >= rules.max_depth or end - first < rules.min_samples or nodes.shares[node].max() == 1.0:
            continue
        sample = sampled(order, first, end, rng)
        work += rules.candidates * (len(sample) + DRAWING) + end - first
        nodes.threshold[node] = best_split(pixels, sample, rules, rng, nodes.offsets[node])
        middle = partition(pixels, order, first, end, nodes.offsets[node], nodes.threshold[node])
        if first < middle < end:
            split(growth, pixels, node, first, middle, end, depth)
    return work


@compiled
def classify(nodes: Nodes, roots: Indices, pixels: Pixels) -> Labels:
    """The label of which the trees, on average, give each pixel the largest share."""
    labels = np.empty(len(pixels.row), np.uint8)
    for n in range(len(labels)):
        votes = np.zeros(LABELS, np.float32)
        for root in roots:
            node = root
            while nodes.child[node] > 0:
                right = answer(pixels, n, nodes.offsets[node]) >= nodes.threshold[node]
                node = nodes.child[node] + right
            votes += nodes.shares[node]
        labels[n] = votes.argmax()
    return labels
