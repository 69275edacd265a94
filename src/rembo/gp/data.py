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

    @property
    def standardized(self) -> Array:
        """Values with mean 0 and variance 1, (n,); a failure counts as the worst value seen, so that it is avoided."""
        seen = self.values[~np.isnan(self.values)]
        if len(seen) == 0:
            return np.zeros(len(self))
        values = np.where(np.isnan(self.values), seen.max(), self.values)
        centered = values - values.mean()
        spread = centered.std()
        return centered / spread if spread > 0.0 else np.zeros(len(self))
