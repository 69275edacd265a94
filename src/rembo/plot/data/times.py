"""Where the time goes: into evaluations of f, or into suggestions of where to evaluate it."""

from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.plot.data.search import Search


@dataclass(frozen=True, eq=False)
class Times:
    """Seconds that each trial took to suggest and to evaluate, (n,); NaN where no evaluation was timed."""

    name: str
    numbers: Indices
    suggesting: Array
    evaluating: Array

    @property
    def overhead(self) -> float:
        """The share of suggestions in all the time that is known."""
        suggesting, evaluating = float(self.suggesting.sum()), float(np.nansum(self.evaluating))
        return suggesting / (suggesting + evaluating) if suggesting + evaluating else 0.0


def times(search: Search) -> Times:
    """The times of all trials that were told."""
    return Times(
        search.name,
        np.array([trial.number for trial in search.told], dtype=np.int64),
        np.array([trial.ask_seconds for trial in search.told], dtype=np.float64),
        np.array([np.nan if trial.duration is None else trial.duration for trial in search.told], dtype=np.float64),
    )
