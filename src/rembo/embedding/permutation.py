"""A random permutation of 0..D-1 that is computed, not stored: where any index goes, and where it came from.

A Feistel network shuffles the smallest square of a power of two that holds D; an index that lands outside is shuffled
again until it lands inside (cycle walking), which leaves a permutation of 0..D-1. Only integer operations, so the
numbers are the same on every machine; they are frozen by a golden test.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rembo.arrays import Indices
from rembo.embedding.checks import check_dims, check_seed
from rembo.embedding.counter import words

_ROUNDS = 6
_KEYS = 3  # the stream of the generator that the rounds' keys come from


@dataclass(frozen=True)
class Permutation:
    """A permutation of range(size), drawn by the seed."""

    size: int
    seed: int = 0

    def __post_init__(self) -> None:
        check_dims(self.size, 1)
        check_seed(self.seed)

    def rank(self, index: Indices) -> Indices:
        """Where each index goes."""
        return self._walk(index, range(_ROUNDS), forward=True)

    def index(self, rank: Indices) -> Indices:
        """Which index goes to each rank; the inverse of `rank`."""
        return self._walk(rank, range(_ROUNDS)[::-1], forward=False)

    @property
    def _half_bits(self) -> int:
        return max((max(self.size - 1, 1).bit_length() + 1) // 2, 1)

    def _walk(self, numbers: Indices, rounds: range, forward: bool) -> Indices:
        keys = words(self.seed, np.arange(_ROUNDS, dtype=np.int64), width=2, stream=_KEYS).astype(np.uint64)
        keys = (keys[:, 0] << np.uint64(32)) | keys[:, 1]
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < self.size):
            raise IndexError(f"a permutation of {self.size} numbers takes 0 to {self.size - 1}")
        walked = self._shuffle(numbers.astype(np.uint64), keys, rounds, forward)
        while (outside := walked >= self.size).any():
            walked[outside] = self._shuffle(walked[outside], keys, rounds, forward)
        return walked.astype(np.int64)

    def _shuffle(
        self, numbers: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64], rounds: range, forward: bool
    ) -> npt.NDArray[np.uint64]:
        """The Feistel network on 2 x half_bits bits: each round mixes one half into the other, then they swap."""
        bits = np.uint64(self._half_bits)
        mask = (np.uint64(1) << bits) - np.uint64(1)
        left, right = numbers >> bits, numbers & mask
        for number in rounds:
            if forward:
                left, right = right, left ^ (_mix(right ^ keys[number]) & mask)
            else:
                left, right = right ^ (_mix(left ^ keys[number]) & mask), left
        return (left << bits) | right


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """64 bits in, 64 bits out, each depending on all: products modulo 2^64 and shifted differences."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
