"""Optimization history: the values in the order in which they came, and the best so far, alone or over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rembo.arrays import Array, Indices
from rembo.plot.data.search import Search
from rembo.plot.data.thinning import MOST_STEPS, evenly
from rembo.study import StudyTrial


@dataclass(frozen=True, eq=False)
class Course:
    """What a search, or a run of it, was told: trial numbers, values and the best so far, (n,) each.

    The value of a failed trial is NaN, and so is the best before the first value. `evaluations` counts all told.
    """

    name: str
    evaluations: Indices
    numbers: Indices
    values: Array
    best: Array


@dataclass(frozen=True, eq=False)
class Band:
    """The best so far of several searches of one name: median and middle half after so many evaluations, (m,) each."""

    name: str
    seeds: int
    evaluations: Indices
    median: Array
    low: Array
    high: Array


def course(search: Search) -> Course:
    """The whole search as one course."""
    return _course(search.name, search.sign, list(enumerate(search.told, start=1)))


def courses_by_run(search: Search) -> list[Course]:
    """A course for each of its interleaved runs, or of its restarts."""
    told = list(enumerate(search.told, start=1))
    runs = sorted({trial.run for _, trial in told})
    return [_course(f"run {run}", search.sign, [pair for pair in told if pair[1].run == run]) for run in runs]


def bands(searches: Sequence[Search]) -> list[Band]:
    """A band for each name, in the order of first appearance; as long as the shortest search of that name."""
    names = list(dict.fromkeys(search.name for search in searches))
    return [_band(name, [course(search) for search in searches if search.name == name]) for name in names]


def steps(best: Array) -> Indices:
    """Where the best so far changes, and the last place: all that a staircase needs, (m,)."""
    known = np.flatnonzero(~np.isnan(best))
    if len(known) == 0:
        return known
    changes = known[np.append(True, np.diff(best[known]) != 0.0)]
    return np.unique(np.append(changes, known[-1]))


def _course(name: str, sign: float, told: Sequence[tuple[int, StudyTrial]]) -> Course:
    values = np.array([np.nan if trial.value is None else trial.value for _, trial in told], dtype=np.float64)
    return Course(
        name,
        np.array([count for count, _ in told], dtype=np.int64),
        np.array([trial.number for _, trial in told], dtype=np.int64),
        values,
        sign * np.fmin.accumulate(sign * values),
    )


def _band(name: str, courses: Sequence[Course]) -> Band:
    length = min(len(course.best) for course in courses)
    best = np.array([course.best[:length] for course in courses])
    known = np.flatnonzero(~np.isnan(best).any(axis=0))
    at = known[evenly(len(known), MOST_STEPS)] if len(known) else known
    low, median, high = np.quantile(best[:, at], (0.25, 0.5, 0.75), axis=0) if len(at) else np.zeros((3, 0))
    return Band(name, len(courses), at + 1, median, low, high)
