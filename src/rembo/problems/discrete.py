"""Problems on discrete spaces, with and without low-dimensional structure, whose optimum is known exactly.

The values of all of them are standardised: a configuration drawn at random has mean 0 and variance 1, exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rembo.arrays import Array
from rembo.border import check_whole
from rembo.space import Bool, Categorical, Space

LARGEST_TABLE = 20  # bits: 2^20 values


@dataclass(frozen=True, eq=False)
class Chain:
    """f(v) = sum_i single[i, v_i] + sum_i,k pair[i, k-1, v_i-k, v_i]: levels v in a row, each touching r before it.

    single: (n, q), pair: (n, r, q, q) for n levels out of q; pair[i, k-1] is zero where i < k.
    """

    single: Array
    pair: Array

    def __call__(self, v: list[int]) -> float:
        """The value of the levels v, (n,)."""
        levels, n = np.array(v), len(v)
        reach = range(1, min(self.pair.shape[1], n - 1) + 1)
        touching = [self.pair[np.arange(k, n), k - 1, levels[:-k], levels[k:]].sum() for k in reach]
        return float(self.single[np.arange(n), levels].sum() + sum(touching))

    def lowest(self) -> float:
        """The lowest value, by dynamic programming over the last r levels: axis j of `best` is the level r - j back."""
        n, r, q, _ = self.pair.shape
        best = np.zeros((q,) * r)
        for i in range(n):
            best = best[..., None] + self.single[i]
            for k in range(1, min(i, r) + 1):
                best = best + self.pair[i, k - 1].reshape(q, *(1,) * (k - 1), q)
            best = best.min(axis=0)
        return float(best.min())

    def standardised(self) -> "Chain":
        """The same function, shifted and scaled to mean 0 and variance 1 under independent uniform levels."""
        centred = self._centred()
        variance = (centred.single**2).mean(axis=-1).sum() + (centred.pair**2).mean(axis=(-2, -1)).sum()
        return Chain(centred.single / np.sqrt(variance), centred.pair / np.sqrt(variance))

    def _centred(self) -> "Chain":
        """What a pair does on average over one of its levels, counted to the other: all terms are uncorrelated then."""
        single, pair = self.single.copy(), self.pair.copy()
        n, r = pair.shape[:2]
        for i in range(n):
            for k in range(1, min(i, r) + 1):
                before, after, mean = (pair[i, k - 1].mean(axis=axis) for axis in (1, 0, None))
                single[i - k] += before
                single[i] += after
                pair[i, k - 1] -= before[:, None] + after - mean
        return Chain(single - single.mean(axis=1, keepdims=True), pair)


@dataclass(frozen=True)
class BinaryQuadratic:
    """f(x) = x^T Q x on `dim` bits, all of which matter: Q_ij is normal with spread exp(-((i - j)/decay)^2).

    After the binary quadratic problem of Baptista and Poloczek (2018), with two deviations: values are standardised,
    and bits further apart than `reach` do not touch, which makes the optimum computable.
    """

    dim: int = 50
    seed: int = 0
    decay: float = 5.0
    reach: int = 12

    def __post_init__(self) -> None:
        check_whole(self.dim, "dim", 2)
        check_whole(self.reach, "reach", 1, LARGEST_TABLE)
        if not self.decay > 0.0:
            raise ValueError(f"decay {self.decay} must be above 0")

    @cached_property
    def space(self) -> Space:
        """Bits x0, x1, ..."""
        return Space({f"x{i}": Bool() for i in range(self.dim)})

    @cached_property
    def chain(self) -> Chain:
        """The standardised function as a sum over bits and pairs of bits."""
        normal = np.random.default_rng(self.seed).standard_normal((self.dim, self.reach + 1))
        Q = normal * np.exp(-((np.arange(self.reach + 1) / self.decay) ** 2))  # Q[i, k] is that of bits i and i - k
        Q[np.arange(self.dim)[:, None] < np.arange(self.reach + 1)] = 0.0
        both = np.array([[0.0, 0.0], [0.0, 1.0]])
        return Chain(Q[:, :1] * both[1], Q[:, 1:, None, None] * both).standardised()

    @cached_property
    def optimum(self) -> float:
        """The lowest value, exact."""
        return self.chain.lowest()

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The value of a setting of all bits."""
        return self.chain([int(x[name]) for name in self.space.parameters])


@dataclass(frozen=True)
class SparseBits:
    """A random function of `active` of `dim` bits: each set of m of them acts together with a weight N(0, 4^(1-m))."""

    dim: int = 50
    active: int = 6
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(self.active, "active", 1, LARGEST_TABLE)
        check_whole(self.dim, "dim", self.active)

    @cached_property
    def space(self) -> Space:
        """Bits x0, x1, ..."""
        return Space({f"x{i}": Bool() for i in range(self.dim)})

    @cached_property
    def coordinates(self) -> list[int]:
        """The numbers of the bits that matter."""
        return _some(self.active, self.dim, self.seed)

    @cached_property
    def table(self) -> Array:
        """The values of all settings of the bits that matter, an array of shape (2,) * active."""
        sets = np.indices((2,) * self.active).sum(axis=0)
        weights = _rng(self.seed, 1).standard_normal(sets.shape) * 2.0 ** (1.0 - sets)
        weights.flat[0] = 0.0  # that of the empty set is the mean
        for axis in range(self.active):  # the Walsh transform: sum over sets of weight times product of signs
            without, acting = np.split(weights, 2, axis=axis)
            weights = np.concatenate([without - acting, without + acting], axis=axis)
        return np.asarray(weights / weights.std())

    @cached_property
    def optimum(self) -> float:
        """The lowest value, exact."""
        return float(self.table.min())

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The value of a setting of all bits."""
        return float(self.table[tuple(int(x[f"x{i}"]) for i in self.coordinates)])


@dataclass(frozen=True)
class CategoryTable:
    """Random main effects and pairwise interactions of `active` (None: all) of `dim` categories, in a hidden order.

    Each choice adds N(0, 1), each pair of choices of two categories at most 3 apart in that order N(0, 1/2).
    """

    dim: int = 20
    choices: int = 5
    active: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(self.choices, "choices", 2, 30)
        check_whole(self.dim, "dim", 1)
        if self.active is not None:
            check_whole(self.active, "active", 1, self.dim)

    @cached_property
    def space(self) -> Space:
        """Categories x0, x1, ..., each with choices 0, 1, ..."""
        return Space({f"x{i}": Categorical(range(self.choices)) for i in range(self.dim)})

    @cached_property
    def coordinates(self) -> list[int]:
        """The numbers of the categories that matter, in the hidden order."""
        return _some(self.dim if self.active is None else self.active, self.dim, self.seed)

    @cached_property
    def chain(self) -> Chain:
        """The standardised function of the categories that matter."""
        n, q, reach = len(self.coordinates), self.choices, 3
        rng = _rng(self.seed, 1)
        single, pair = rng.standard_normal((n, q)), np.sqrt(0.5) * rng.standard_normal((n, reach, q, q))
        pair[np.arange(n)[:, None] <= np.arange(reach)] = 0.0
        return Chain(single, pair).standardised()

    @cached_property
    def optimum(self) -> float:
        """The lowest value, exact."""
        return self.chain.lowest()

    def __call__(self, x: Mapping[str, Any]) -> float:
        """The value of a choice in each category."""
        return self.chain([x[f"x{i}"] for i in self.coordinates])


def _rng(seed: int, part: int) -> np.random.Generator:
    return np.random.default_rng([seed, part])


def _some(number: int, dim: int, seed: int) -> list[int]:
    """So many of `dim` parameters, in random order."""
    return [int(i) for i in _rng(seed, 0).permutation(dim)[:number]]
