"""What was observed: points and values, failed ones included; it only grows."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array


@dataclass(frozen=True, eq=False)
class Data:
    """Points Y, (n, d), and values, (n,); the value of a failed evaluation is NaN."""

    Y: Array
    values: Array

    @classmethod
    def empty(cls, dim: int) -> "Data":
        """No observation yet."""
        return cls(np.zeros((0, dim)), np.zeros(0))

    def __len__(self) -> int:
        return len(self.values)

    def add(self, y: Array, value: float) -> "Data":
        """One observation more."""
        return Data(np.vstack([self.Y, y]), np.append(self.values, value))
